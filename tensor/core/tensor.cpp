#include "tensor/core/tensor.h"

#include <algorithm>
#include <cmath>

#include "tensor/core/factories.h"
#include "tensor/core/tensor_iterator.h"
#include "tensor/core/views.h"

namespace heed {
namespace {

// The place of the element at `index`, in elements from the tensor's first.
std::int64_t place(const Tensor& x, std::initializer_list<Integer> index) {
  const auto given = static_cast<int>(index.size());
  check(given == x.dim(),
        "at: there must be one index per dimension, got {} for the shape {}", given,
        x.shape());
  std::int64_t offset = 0;
  int d = 0;
  for (std::int64_t i : index) {
    const std::int64_t size = x.shape()[d];
    check(-size <= i && i < size, "at: the index of dim {} must be from {} to {}, got {}",
          d, -size, size - 1, i);
    offset += (i < 0 ? i + size : i) * x.strides()[d];
    ++d;
  }
  return offset;
}

// static_cast, but that NaN becomes 0 and a number beyond int64's range its nearest end:
// C++ leaves both undefined.
template <class To, class From>
To converted(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::int64_t>) {
    if (std::isnan(value)) return 0;
    if (value >= static_cast<From>(INT64_MAX)) return INT64_MAX;
    if (value <= static_cast<From>(INT64_MIN)) return INT64_MIN;
  }
  return static_cast<To>(value);
}

// Copies n elements, converted; the strides are in elements.
using Copy = void (*)(std::int64_t n, const void* from, std::int64_t from_stride,
                      void* to, std::int64_t to_stride);

template <class To, class From>
void copy(std::int64_t n, const void* from, std::int64_t from_stride, void* to,
          std::int64_t to_stride) {
  const auto* const in = static_cast<const From*>(from);
  auto* const out = static_cast<To*>(to);
  // One loop for all that converts: twelve pairs of types are not worth a second.
  if (std::is_same_v<From, To> && to_stride == 1 && from_stride == 1) {
    std::copy_n(in, n, out);
  } else if (std::is_same_v<From, To> && to_stride == 1 && from_stride == -1) {
    std::reverse_copy(in - n + 1, in + 1, out);
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i * to_stride] = converted<To>(in[i * from_stride]);
    }
  }
}

Copy copy_of(DType to, DType from) {
  return dispatch(to, [&]<class To>() {
    return dispatch(from, [&]<class From>() -> Copy { return copy<To, From>; });
  });
}

}  // namespace

void Tensor::fail_dtype(DType asked) const {
  fail("data: the dtype is {}, asked for {}", name(dtype_), name(asked));
}

void Tensor::fail_undefined() {
  fail("Tensor: used while undefined, that is default-constructed or moved from");
}

std::int64_t Tensor::stride(Dim dim) const {
  return strides()[normalize_dim("stride", dim, this->dim())];
}

std::int64_t Tensor::size(Dim dim) const {
  return shape_[existing_dim("size", dim, this->dim())];
}

bool Tensor::is_contiguous() const {
  std::int64_t expected = 1;
  for (int d = dim() - 1; d >= 0; --d) {
    if (shape_[d] == 0) return true;
    if (shape_[d] == 1) continue;
    if (strides_[d] != expected) return false;
    expected *= shape_[d];
  }
  return true;
}

double Tensor::item() const {
  check(numel() == 1, "item: the tensor must have one element, got the shape {}", shape_);
  return dispatch(dtype_, [&]<class T>() { return static_cast<double>(*data<T>()); });
}

Tensor::operator bool() const {
  check(numel() == 1,
        "a condition needs a tensor of one element, got the shape {}; any() or all() of "
        "it is one, and & and | combine tensors element by element",
        shape_);
  return item() != 0;
}

std::uint64_t Tensor::whole_item(std::int64_t lowest, std::uint64_t highest) const {
  const double rounded = item();
  return dispatch(dtype_, [&]<class T>() {
    const T value = *data<T>();
    const auto check_range = [&](bool fits) {
      check(fits, "item: the type asked for holds numbers from {} to {}, got {}", lowest,
            highest, value);
    };
    if constexpr (std::is_floating_point_v<T>) {
      const double whole = std::trunc(rounded);
      // highest + 1 is a power of two: exact, although highest may be no double.
      check_range(whole >= static_cast<double>(lowest) &&
                  whole < static_cast<double>(highest) + 1);
      return whole < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                       : static_cast<std::uint64_t>(whole);
    } else {
      const std::int64_t whole = value;
      check_range(whole >= lowest && std::cmp_less_equal(whole, highest));
      return static_cast<std::uint64_t>(whole);
    }
  });
}

double Tensor::at(std::initializer_list<Integer> index) const {
  const std::int64_t i = place(*this, index);
  return dispatch(dtype_, [&]<class T>() { return static_cast<double>(data<T>()[i]); });
}

void Tensor::set(std::initializer_list<Integer> index, Number value) {
  const std::int64_t i = place(*this, index);
  dispatch(dtype_, [&]<class T>() { mutable_data<T>()[i] = fitting<T>("set", value); });
}

template <Element T>
std::vector<T> Tensor::to_vector() const {
  check(dtype_of<T> == dtype(), "to_vector: the dtype is {}, asked for {}", name(dtype_),
        name(dtype_of<T>));
  const Tensor dense = contiguous();
  const T* first = dense.data<T>();
  return std::vector<T>(first, first + numel());
}

template std::vector<float> Tensor::to_vector() const;
template std::vector<double> Tensor::to_vector() const;
template std::vector<std::int64_t> Tensor::to_vector() const;
template std::vector<bool> Tensor::to_vector() const;

Tensor& Tensor::fill_(Number value) {
  dispatch(dtype(), [&]<class T>() {
    const T element = fitting<T>("fill_", value);
    if (numel() == 0) return;
    T* const out = mutable_data<T>();
    const TensorIterator<1> iterator(shape_, {&strides_});
    const std::int64_t stride = iterator.inner_strides()[0];
    iterator.run([&](std::int64_t n, const auto& at) {
      T* const run = out + at[0];
      if (stride == 1) {
        std::fill_n(run, n, element);
      } else {
        for (std::int64_t i = 0; i < n; ++i) run[i * stride] = element;
      }
    });
  });
  return *this;
}

Tensor& Tensor::copy_(const Tensor& source) { return overwrite("copy_", source); }

Tensor& Tensor::kept(std::string_view op) {
  check(!storage_.unique(),
        "{}: what is updated is a copy that nothing else holds, such as x[mask] or "
        "x[index], so the result would be lost; index_put_() and masked_fill_() write to "
        "picked elements",
        op);
  return *this;
}

Tensor& Tensor::overwrite(std::string_view op, const Tensor& source) {
  check(broadcasts_to(source.shape(), shape()),
        "{}: the source must broadcast to the target, got {} and {}", op, source.shape(),
        shape_);
  if (numel() == 0) return *this;
  check_distinct(op, *this);
  // In one storage the writing could change what is yet to be read.
  const Tensor from = source.storage() == storage() ? source.clone() : source;
  const Strides from_strides = expanded_strides(from.shape(), from.strides(), shape_);
  const TensorIterator<2> iterator(shape_, {&strides_, &from_strides});
  const std::int64_t to_stride = iterator.inner_strides()[0];
  const std::int64_t from_stride = iterator.inner_strides()[1];
  const Copy loop = copy_of(dtype_, from.dtype());
  auto* const out = static_cast<char*>(
      dispatch(dtype_, [&]<class T>() -> void* { return mutable_data<T>(); }));
  const auto* const in = static_cast<const char*>(
      dispatch(from.dtype(), [&]<class T>() -> const void* { return from.data<T>(); }));
  const auto to_size = static_cast<std::int64_t>(element_size(dtype_));
  const auto from_size = static_cast<std::int64_t>(element_size(from.dtype()));
  iterator.run([&](std::int64_t n, const auto& at) {
    loop(n, in + at[1] * from_size, from_stride, out + at[0] * to_size, to_stride);
  });
  return *this;
}

Tensor Tensor::clone() const { return empty(shape(), dtype_).copy_(*this); }

Tensor Tensor::contiguous() const { return is_contiguous() ? *this : clone(); }

Tensor Tensor::to(DType dtype) const {
  return dtype == this->dtype() ? *this : empty(shape_, dtype).copy_(*this);
}

Tensor empty(const Shape& shape, DType dtype) {
  const auto bytes = static_cast<std::size_t>(count(shape)) * element_size(dtype);
  return Tensor(StorageRef::make(bytes), 0, shape, row_major(shape), dtype);
}

Tensor Indices::Index::scalar(std::int64_t index) { return tensor(index); }

void check_same_dtype(std::string_view op, const Tensor& a, const Tensor& b) {
  check(a.dtype() == b.dtype(),
        "{}: the dtypes must be equal, got {} and {}; to(dtype) converts a tensor", op,
        name(a.dtype()), name(b.dtype()));
}

}  // namespace heed

fmt::format_context::iterator fmt::formatter<heed::Tensor>::format(
    const heed::Tensor& tensor, format_context& context) const {
  return fmt::format_to(context.out(), "{}", heed::to_string(tensor, element_));
}
