#include "tensor/elementwise/elementwise.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "tensor/core/factories.h"
#include "tensor/core/tensor_iterator.h"
#include "tensor/elementwise/elementwise_kernels.h"
#include "tensor/kernels/level.h"

namespace heed {
namespace {

using kernels::Kernel;
using kernels::Op;

const kernels::ElementwiseKernels& table() {
  return kernels::get<kernels::ElementwiseKernels>();
}

[[noreturn]] void fail_dtype(std::string_view name, Op op, DType dtype) {
  std::string allowed, last;
  for (DType each : {float32, float64, int64, boolean}) {
    if (!table().of(op, each)) continue;
    if (!last.empty()) allowed += (allowed.empty() ? "" : ", ") + last;
    last = heed::name(each);
  }
  allowed += (allowed.empty() ? "" : " or ") + last;
  const char* const cure =
      table().of(op, float32) ? "; to(float32) converts a tensor" : "";
  fail("{}: the dtype must be {}, got {}{}", name, allowed, heed::name(dtype), cure);
}

// Throws Error, naming `name`, when the op has no kernel for the dtype.
Kernel kernel_of(std::string_view name, Op op, DType dtype) {
  const Kernel kernel = table().of(op, dtype);
  if (!kernel) [[unlikely]]
    fail_dtype(name, op, dtype);
  return kernel;
}

// What a kernel reads: a tensor, or a number that stands for a tensor of its copies.
class Operand {
 public:
  Operand(const Tensor& x) : tensor_(&x), size_(element_size(x.dtype())) {}

  template <class T>
  explicit Operand(T number) : size_(sizeof(T)) {
    std::memcpy(number_, &number, sizeof number);
  }
  // The number that `value` is in a tensor of `dtype`.
  Operand(std::string_view name, Number value, DType dtype) : size_(element_size(dtype)) {
    dispatch(dtype, [&]<class T>() {
      const T number = value.as<T>(name);
      std::memcpy(number_, &number, sizeof number);
    });
  }

  bool is_number() const { return !tensor_; }
  // True when the elements lie as those of a contiguous tensor of `shape`.
  bool is_dense(const Shape& shape) const {
    return is_number() || (tensor_->shape() == shape && tensor_->is_contiguous());
  }
  Strides strides(const Shape& shape) const {
    return is_number() ? Strides::zeros(shape.rank())
                       : expanded_strides(tensor_->shape(), tensor_->strides(), shape);
  }
  // Element i, counted in the storage from the tensor's first.
  const void* element(std::int64_t i) const {
    if (is_number()) return number_;
    const auto* block = static_cast<const char*>(tensor_->storage()->data());
    return block + (tensor_->offset() + i) * size_;
  }

 private:
  const Tensor* tensor_ = nullptr;
  std::int64_t size_;
  alignas(8) unsigned char number_[8];
};

template <std::size_t N>
using Operands = std::array<Operand, N>;

// Runs the kernel over operands that broadcast to `shape`, into the row-major elements of
// `size` bytes from `out` on.
template <std::size_t N>
void run(Kernel kernel, const Shape& shape, const Operands<N>& in, void* out,
         std::size_t size) {
  const auto element = static_cast<std::int64_t>(size);
  const std::int64_t numel = count(shape);
  if (numel == 0) return;
  auto* const to = static_cast<char*>(out);
  std::array<std::int64_t, N> steps;
  const auto run_piece = [&](std::int64_t n, const auto& from, std::int64_t at) {
    std::array<const void*, N> first;
    for (std::size_t k = 0; k < N; ++k) first[k] = in[k].element(from[k]);
    kernel(n, first.data(), steps.data(), to + at * element);
  };

  bool dense = true;
  for (std::size_t k = 0; k < N; ++k) {
    dense = dense && in[k].is_dense(shape);
    steps[k] = in[k].is_number() ? 0 : 1;
  }
  if (dense) {
    parallel_for(numel, 1, [&](std::int64_t begin, std::int64_t end) {
      std::array<std::int64_t, N> from;
      from.fill(begin);
      run_piece(end - begin, from, begin);
    });
    return;
  }

  std::array<Strides, N + 1> strides;
  std::array<const Strides*, N + 1> pointers;
  for (std::size_t k = 0; k < N; ++k) strides[k] = in[k].strides(shape);
  strides[N] = row_major(shape);
  for (std::size_t k = 0; k <= N; ++k) pointers[k] = &strides[k];
  const TensorIterator<N + 1> iterator(shape, pointers);
  std::copy_n(iterator.inner_strides().begin(), N, steps.begin());
  iterator.run([&](std::int64_t n, const auto& at) { run_piece(n, at, at[N]); });
}

template <std::size_t N>
Tensor compute(Kernel kernel, const Shape& shape, DType dtype, const Operands<N>& in) {
  Tensor out = empty(shape, dtype);
  run(kernel, shape, in, out.storage()->data(), element_size(dtype));
  return out;
}

// --- the forms that operations take; `name` is the op in error messages

// The dtype of which the op has a kernel for elements of `dtype`: integers and bools
// become float32 for an op of floating numbers alone, as in PyTorch.
DType computed_in(Op op, DType dtype) {
  if (is_floating(dtype)) return dtype;
  const bool is_floating_alone = table().of(op, float32) && !table().of(op, int64);
  return is_floating_alone ? float32 : dtype;
}

// Comparisons of any elements give bools.
DType dtype_of_result(Op op, DType elements) {
  for (const Op comparison : {Op::eq, Op::ne, Op::lt, Op::le, Op::gt, Op::ge}) {
    if (op == comparison) return boolean;
  }
  return elements;
}

// A property that only floating numbers can have or lack; the others all have `other`.
Tensor property(Op op, const Tensor& x, bool other) {
  if (!is_floating(x.dtype())) return full(x.shape(), other, boolean);
  return compute<1>(table().of(op, x.dtype()), x.shape(), boolean, {x});
}

}  // namespace

// --- pairs

void detail::check_takes(std::string_view name, Op op, DType dtype) {
  kernel_of(name, op, dtype);
}

Tensor detail::binary(std::string_view name, Op op, const Tensor& a, const Tensor& b) {
  const DType dtype = computed_in(op, promote(name, a.dtype(), b.dtype()));
  if (a.dtype() != dtype || b.dtype() != dtype) [[unlikely]]
    return binary(name, op, a.to(dtype), b.to(dtype));
  const Kernel kernel = kernel_of(name, op, dtype);
  const DType result = dtype_of_result(op, dtype);
  if (a.shape() == b.shape()) return compute<2>(kernel, a.shape(), result, {a, b});
  return compute<2>(kernel, broadcast(name, a.shape(), b.shape()), result, {a, b});
}
// Of a tensor and a number, in one order and the other.
Tensor detail::binary(std::string_view name, Op op, const Tensor& a, Number b) {
  const DType dtype = computed_in(op, promote(a.dtype(), b));
  if (a.dtype() != dtype) [[unlikely]]
    return binary(name, op, a.to(dtype), b);
  const Kernel kernel = kernel_of(name, op, dtype);
  const Operand number(name, b, dtype);
  return compute<2>(kernel, a.shape(), dtype_of_result(op, dtype), {a, number});
}
Tensor detail::binary(std::string_view name, Op op, Number a, const Tensor& b) {
  const DType dtype = computed_in(op, promote(b.dtype(), a));
  if (b.dtype() != dtype) [[unlikely]]
    return binary(name, op, a, b.to(dtype));
  const Kernel kernel = kernel_of(name, op, dtype);
  const Operand number(name, a, dtype);
  return compute<2>(kernel, b.shape(), dtype_of_result(op, dtype), {number, b});
}

Tensor isnan(const Tensor& x) { return property(Op::isnan, x, false); }
Tensor isinf(const Tensor& x) { return property(Op::isinf, x, false); }
Tensor isfinite(const Tensor& x) { return property(Op::isfinite, x, true); }

// --- single elements

Tensor detail::unary(std::string_view name, Op op, const Tensor& x) {
  const DType dtype = computed_in(op, x.dtype());
  if (dtype != x.dtype()) [[unlikely]]
    return unary(name, op, x.to(dtype));
  return compute<1>(kernel_of(name, op, dtype), x.shape(), dtype, {x});
}

Tensor clamp(const Tensor& x, std::optional<double> min, std::optional<double> max) {
  const Kernel kernel = kernel_of("clamp", Op::clamp, x.dtype());
  return dispatch(x.dtype(), [&]<class T>() {
    using Limits = std::numeric_limits<T>;
    T low = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    T high = Limits::has_infinity ? Limits::infinity() : Limits::max();
    if (min) low = adapt<T>("clamp", *min);
    if (max) high = adapt<T>("clamp", *max);
    if (low != low || high != high) return full(x.shape(), std::nan(""), x.dtype());
    return compute<3>(kernel, x.shape(), x.dtype(), {x, Operand(low), Operand(high)});
  });
}

// --- choosing

namespace {

Tensor select_by(const Tensor& condition, const Operand& a, const Operand& b,
                 const Shape& shape, DType dtype) {
  check(condition.dtype() == boolean, "where: the condition must be bool, got {}",
        name(condition.dtype()));
  return compute<3>(table().of(Op::where, dtype),
                    broadcast("where", condition.shape(), shape), dtype,
                    {condition, a, b});
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const DType dtype = promote("where", a.dtype(), b.dtype());
  return select_by(condition, a.to(dtype), b.to(dtype),
                   broadcast("where", a.shape(), b.shape()), dtype);
}
Tensor where(const Tensor& condition, const Tensor& a, Number b) {
  const DType dtype = promote(a.dtype(), b);
  return select_by(condition, a.to(dtype), Operand("where", b, dtype), a.shape(), dtype);
}
Tensor where(const Tensor& condition, Number a, const Tensor& b) {
  const DType dtype = promote(b.dtype(), a);
  return select_by(condition, Operand("where", a, dtype), b.to(dtype), b.shape(), dtype);
}
Tensor where(const Tensor& condition, Number a, Number b) {
  constexpr DType dtypes[] = {boolean, int64, float32};  // by Number::Kind
  const DType dtype = dtypes[static_cast<int>(std::max(a.kind(), b.kind()))];
  return where(condition, full({}, a, dtype), full({}, b, dtype));
}
Tensor masked_fill(const Tensor& x, const Tensor& mask, Number value) {
  check(mask.dtype() == boolean, "masked_fill: the mask must be bool, got {}",
        name(mask.dtype()));
  check(broadcasts_to(mask.shape(), x.shape()),
        "masked_fill: the mask must broadcast to x, got {} and {}", mask.shape(),
        x.shape());
  return dispatch(x.dtype(), [&]<class T>() {
    const Operand filling(fitting<T>("masked_fill", value));
    return compute<3>(table().of(Op::where, x.dtype()), x.shape(), x.dtype(),
                      {mask, filling, x});
  });
}
Tensor& Tensor::masked_fill_(const Tensor& mask, Number value) {
  return overwrite("masked_fill_", heed::masked_fill(*this, mask, value));
}

// --- in place

namespace {

// Writes kernel(operands) over `target`, which may be an operand itself.
template <std::size_t N>
void overwrite(std::string_view name, Kernel kernel, Tensor& target,
               const Operands<N>& in) {
  if (target.is_contiguous()) {
    void* const out = dispatch(target.dtype(), [&]<class T>() {
      return static_cast<void*>(target.mutable_data<T>());
    });
    run(kernel, target.shape(), in, out, element_size(target.dtype()));
    return;
  }
  check_distinct(name, target);
  target.copy_(compute(kernel, target.shape(), target.dtype(), in));
}

}  // namespace

void detail::check_result(std::string_view op, const Tensor& target, DType result) {
  check(result == target.dtype(),
        "{}: the result would be {}, which cannot be written to {}", op, name(result),
        name(target.dtype()));
}

void detail::add_(std::string_view op, Tensor& target, const Tensor& x, double alpha) {
  check_result(op, target, promote(op, target.dtype(), x.dtype()));
  if (x.shape() != target.shape()) {
    check(broadcasts_to(x.shape(), target.shape()),
          "{}: x must broadcast to the target, got {} and {}", op, x.shape(),
          target.shape());
  }
  // Elements of x that the loop would overwrite before it reads them.
  const bool may_overlap =
      x.storage() == target.storage() &&
      !(x.offset() == target.offset() && x.shape() == target.shape() &&
        x.strides() == target.strides());
  const Tensor& source = may_overlap ? x.clone() : x.to(target.dtype());
  if (alpha == 1) {
    const Kernel add = kernel_of(op, Op::add, target.dtype());
    return overwrite<2>(op, add, target, {target, source});
  }
  const Kernel add_scaled = kernel_of(op, Op::add_scaled, target.dtype());
  overwrite<3>(op, add_scaled, target,
               {target, source, Operand(op, alpha, target.dtype())});
}

void add_(Tensor& target, const Tensor& x, double alpha) {
  detail::add_("add_", target, x, alpha);
}

void mul_(Tensor& target, double factor) {
  const Kernel mul = kernel_of("mul_", Op::mul, target.dtype());
  overwrite<2>("mul_", mul, target, {target, Operand("mul_", factor, target.dtype())});
}

}  // namespace heed
