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

// Looked up only once: an op on a few elements takes less than a tenth of a microsecond.
const kernels::ElementwiseKernels& table() {
  static const kernels::ElementwiseKernels& table =
      kernels::get<kernels::ElementwiseKernels>();
  return table;
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
  Operand(std::string_view name, double value, DType dtype)
      : Operand(
            dispatch(dtype, [&]<class T>() { return Operand(adapt<T>(name, value)); })) {}

  bool is_number() const { return !tensor_; }
  // True when the elements lie as those of a contiguous tensor of `shape`.
  bool is_dense(const Shape& shape) const {
    return is_number() || (tensor_->shape() == shape && tensor_->is_contiguous());
  }
  Strides strides(const Shape& shape) const {
    if (!is_number())
      return expanded_strides(tensor_->shape(), tensor_->strides(), shape);
    Strides none = shape;
    std::fill(none.begin(), none.end(), 0);
    return none;
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
    parallel_for(numel, parallel_grain, [&](std::int64_t begin, std::int64_t end) {
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

// A property that only floating numbers can have or lack; the others all have `other`.
Tensor property(Op op, const Tensor& x, bool other) {
  if (!is_floating(x.dtype())) return full(x.shape(), other, boolean);
  return compute<1>(table().of(op, x.dtype()), x.shape(), boolean, {x});
}

Tensor binary_as(DType result, std::string_view name, Op op, const Tensor& a,
                 const Tensor& b) {
  check_same_dtype(name, a, b);
  const Kernel kernel = kernel_of(name, op, a.dtype());
  if (a.shape() == b.shape()) return compute<2>(kernel, a.shape(), result, {a, b});
  return compute<2>(kernel, broadcast(name, a.shape(), b.shape()), result, {a, b});
}

Tensor binary(std::string_view name, Op op, const Tensor& a, double b) {
  const Kernel kernel = kernel_of(name, op, a.dtype());
  return compute<2>(kernel, a.shape(), a.dtype(), {a, Operand(name, b, a.dtype())});
}
Tensor binary(std::string_view name, Op op, double a, const Tensor& b) {
  const Kernel kernel = kernel_of(name, op, b.dtype());
  return compute<2>(kernel, b.shape(), b.dtype(), {Operand(name, a, b.dtype()), b});
}

Tensor comparison(std::string_view name, Op op, const Tensor& a, const Tensor& b) {
  return binary_as(boolean, name, op, a, b);
}
Tensor comparison(std::string_view name, Op op, const Tensor& a, double b) {
  const Kernel kernel = kernel_of(name, op, a.dtype());
  return compute<2>(kernel, a.shape(), boolean, {a, Operand(name, b, a.dtype())});
}

}  // namespace

// --- pairs

Tensor detail::binary(std::string_view name, Op op, const Tensor& a, const Tensor& b) {
  return binary_as(a.dtype(), name, op, a, b);
}
using detail::binary;

Tensor operator+(const Tensor& a, const Tensor& b) {
  return binary("add", Op::add, a, b);
}
Tensor operator-(const Tensor& a, const Tensor& b) {
  return binary("sub", Op::sub, a, b);
}
Tensor operator*(const Tensor& a, const Tensor& b) {
  return binary("mul", Op::mul, a, b);
}
Tensor operator/(const Tensor& a, const Tensor& b) {
  return binary("div", Op::div, a, b);
}
Tensor operator+(const Tensor& a, double b) { return binary("add", Op::add, a, b); }
Tensor operator-(const Tensor& a, double b) { return binary("sub", Op::sub, a, b); }
Tensor operator*(const Tensor& a, double b) { return binary("mul", Op::mul, a, b); }
Tensor operator/(const Tensor& a, double b) {
  // By a power of two, multiplication has the same bits and takes a fifth of the time.
  int exponent = 0;
  if (is_floating(a.dtype()) && std::abs(std::frexp(b, &exponent)) == 0.5 &&
      -100 < exponent && exponent < 100) {
    return binary("div", Op::mul, a, 1 / b);
  }
  return binary("div", Op::div, a, b);
}
Tensor operator+(double a, const Tensor& b) { return binary("add", Op::add, a, b); }
Tensor operator-(double a, const Tensor& b) { return binary("sub", Op::sub, a, b); }
Tensor operator*(double a, const Tensor& b) { return binary("mul", Op::mul, a, b); }
Tensor operator/(double a, const Tensor& b) { return binary("div", Op::div, a, b); }

Tensor pow(const Tensor& a, const Tensor& b) { return binary("pow", Op::pow, a, b); }
Tensor pow(double a, const Tensor& b) { return binary("pow", Op::pow, a, b); }
Tensor pow(const Tensor& a, double b) {
  kernel_of("pow", Op::pow, a.dtype());
  if (b == -2) return reciprocal(square(a));
  if (b == -1) return reciprocal(a);
  if (b == -0.5) return rsqrt(a);
  if (b == 0) return ones_like(a);
  if (b == 0.5) return sqrt(a);
  if (b == 1) return a.clone();
  if (b == 2) return square(a);
  if (b == 3) return square(a) * a;
  return binary("pow", Op::pow, a, b);
}

Tensor remainder(const Tensor& a, const Tensor& b) {
  if (b.dtype() == int64) {
    for (const std::int64_t divisor : b.to_vector<std::int64_t>()) {
      check(divisor != 0, "remainder: an integer cannot be divided by 0");
    }
  }
  return binary("remainder", Op::remainder, a, b);
}
Tensor remainder(const Tensor& a, double b) {
  check(a.dtype() != int64 || b != 0, "remainder: an integer cannot be divided by 0");
  return binary("remainder", Op::remainder, a, b);
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  return binary("maximum", Op::maximum, a, b);
}
Tensor minimum(const Tensor& a, const Tensor& b) {
  return binary("minimum", Op::minimum, a, b);
}
Tensor maximum(const Tensor& a, double b) { return binary("maximum", Op::maximum, a, b); }
Tensor minimum(const Tensor& a, double b) { return binary("minimum", Op::minimum, a, b); }

Tensor& Tensor::operator+=(const Tensor& x) {
  heed::add_(*this, x);
  return *this;
}
Tensor& Tensor::operator-=(const Tensor& x) {
  heed::add_(*this, x, -1);
  return *this;
}
Tensor& Tensor::operator*=(const Tensor& x) { return overwrite("mul_", *this * x); }
Tensor& Tensor::operator/=(const Tensor& x) { return overwrite("div_", *this / x); }
Tensor& Tensor::operator+=(double x) { return overwrite("add_", *this + x); }
Tensor& Tensor::operator-=(double x) { return overwrite("sub_", *this - x); }
Tensor& Tensor::operator*=(double x) { return overwrite("mul_", *this * x); }
Tensor& Tensor::operator/=(double x) { return overwrite("div_", *this / x); }

// --- comparisons

Tensor operator==(const Tensor& a, const Tensor& b) {
  return comparison("eq", Op::eq, a, b);
}
Tensor operator!=(const Tensor& a, const Tensor& b) {
  return comparison("ne", Op::ne, a, b);
}
Tensor operator<(const Tensor& a, const Tensor& b) {
  return comparison("lt", Op::lt, a, b);
}
Tensor operator<=(const Tensor& a, const Tensor& b) {
  return comparison("le", Op::le, a, b);
}
Tensor operator>(const Tensor& a, const Tensor& b) {
  return comparison("gt", Op::gt, a, b);
}
Tensor operator>=(const Tensor& a, const Tensor& b) {
  return comparison("ge", Op::ge, a, b);
}
Tensor operator==(const Tensor& a, double b) { return comparison("eq", Op::eq, a, b); }
Tensor operator!=(const Tensor& a, double b) { return comparison("ne", Op::ne, a, b); }
Tensor operator<(const Tensor& a, double b) { return comparison("lt", Op::lt, a, b); }
Tensor operator<=(const Tensor& a, double b) { return comparison("le", Op::le, a, b); }
Tensor operator>(const Tensor& a, double b) { return comparison("gt", Op::gt, a, b); }
Tensor operator>=(const Tensor& a, double b) { return comparison("ge", Op::ge, a, b); }

Tensor isnan(const Tensor& x) { return property(Op::isnan, x, false); }
Tensor isinf(const Tensor& x) { return property(Op::isinf, x, false); }
Tensor isfinite(const Tensor& x) { return property(Op::isfinite, x, true); }

// --- single elements

Tensor detail::unary(std::string_view name, Op op, const Tensor& x) {
  const Kernel kernel = kernel_of(name, op, x.dtype());
  return compute<1>(kernel, x.shape(), x.dtype(), {x});
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
  check_same_dtype("where", a, b);
  return select_by(condition, a, b, broadcast("where", a.shape(), b.shape()), a.dtype());
}
Tensor where(const Tensor& condition, const Tensor& a, double b) {
  return select_by(condition, a, Operand("where", b, a.dtype()), a.shape(), a.dtype());
}
Tensor where(const Tensor& condition, double a, const Tensor& b) {
  return select_by(condition, Operand("where", a, b.dtype()), b, b.shape(), b.dtype());
}
Tensor where(const Tensor& condition, Number a, Number b) {
  constexpr DType dtypes[] = {boolean, int64, float32};  // by Number::Kind
  const DType dtype = dtypes[static_cast<int>(std::max(a.kind(), b.kind()))];
  return where(condition, full({}, a, dtype), full({}, b, dtype));
}
Tensor masked_fill(const Tensor& x, const Tensor& mask, double value) {
  check(mask.dtype() == boolean, "masked_fill: the mask must be bool, got {}",
        name(mask.dtype()));
  check(broadcasts_to(mask.shape(), x.shape()),
        "masked_fill: the mask must broadcast to x, got {} and {}", mask.shape(),
        x.shape());
  dispatch(x.dtype(), [&]<class T>() { (void)fitting<T>("masked_fill", value); });
  return compute<3>(table().of(Op::where, x.dtype()), x.shape(), x.dtype(),
                    {mask, Operand("masked_fill", value, x.dtype()), x});
}
Tensor& Tensor::masked_fill_(const Tensor& mask, double value) {
  return overwrite("masked_fill_", masked_fill(mask, value));
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

void add_(Tensor& target, const Tensor& x, double alpha) {
  check_same_dtype("add_", target, x);
  const Kernel add = kernel_of("add_", Op::add, target.dtype());
  if (x.shape() != target.shape()) {
    check(broadcasts_to(x.shape(), target.shape()),
          "add_: x must broadcast to the target, got {} and {}", x.shape(),
          target.shape());
  }
  // Elements of x that the loop would overwrite before it reads them.
  const bool may_overlap =
      x.storage() == target.storage() &&
      !(x.offset() == target.offset() && x.shape() == target.shape() &&
        x.strides() == target.strides());
  const Tensor& source = may_overlap ? x.clone() : x;
  if (alpha == 1) return overwrite<2>("add_", add, target, {target, source});
  const Kernel add_scaled = table().of(Op::add_scaled, target.dtype());
  overwrite<3>("add_", add_scaled, target,
               {target, source, Operand("add_", alpha, target.dtype())});
}

void mul_(Tensor& target, double factor) {
  const Kernel mul = kernel_of("mul_", Op::mul, target.dtype());
  overwrite<2>("mul_", mul, target, {target, Operand("mul_", factor, target.dtype())});
}

}  // namespace heed
