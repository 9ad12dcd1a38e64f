#include "tensor/core/factories.h"

#include <algorithm>
#include <cmath>

#include "tensor/core/memory_order.h"

namespace heed {
namespace {

// PyTorch computes its ranges in vectors of 32 bytes: the first element of a vector from
// its place, the others from the first. The last bits show it.
template <class T>
constexpr std::int64_t lanes = 32 / sizeof(T);

// --- arange

template <class N>
void check_step(N start, N end, N step) {
  check(step != 0, "arange: step must not be 0, got {}", step);
  check(step > 0 ? start <= end : start >= end,
        "arange: step must lead from start to end, got {}, {} and {}", start, end, step);
}

template <class T>
Tensor floating_range(double start, double end, double step) {
  check_step(start, end, step);
  for (const double bound : {start, end}) (void)fitting<T>("arange", bound);
  const double size = std::ceil((end - start) / step);
  check(size < 0x1p62, "arange: too many elements, got {} to {} by {}", start, end, step);
  const auto n = static_cast<std::int64_t>(size);
  Tensor result = empty({n}, dtype_of<T>);
  T* const out = result.mutable_data<T>();
  constexpr std::int64_t group = lanes<T>;
  const std::int64_t vectorised = n / (2 * group) * (2 * group);  // two vectors a turn
  const auto at = [&](std::int64_t i) {
    return static_cast<T>(std::fma(step, static_cast<double>(i), start));
  };
  for (std::int64_t i = 0; i < vectorised; i += group) {
    const auto base = static_cast<double>(at(i));
    for (std::int64_t k = 0; k < group; ++k) {
      out[i + k] = static_cast<T>(std::fma(static_cast<double>(k), step, base));
    }
  }
  for (std::int64_t i = vectorised; i < n; ++i) out[i] = at(i);
  return result;
}

// In unsigned arithmetic, which may pass through numbers that int64 does not hold.
Tensor whole_range(std::int64_t start, std::int64_t end, std::int64_t step) {
  check_step(start, end, step);
  const auto from = static_cast<std::uint64_t>(start);
  const auto to = static_cast<std::uint64_t>(end);
  const auto stride = static_cast<std::uint64_t>(step);
  const std::uint64_t distance = step > 0 ? to - from : from - to;
  const std::uint64_t width = step > 0 ? stride : 0 - stride;
  const std::uint64_t n = distance / width + (distance % width != 0);
  check(n <= INT64_MAX, "arange: too many elements, got {} to {} by {}", start, end,
        step);
  Tensor result = empty({static_cast<std::int64_t>(n)}, int64);
  auto* const out = result.mutable_data<std::int64_t>();
  for (std::uint64_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::int64_t>(from + i * stride);
  }
  return result;
}

// --- linspace

template <class T>
Tensor even_spacing(double start, double end, std::int64_t steps) {
  const T first = fitting<T>("linspace", start), last = fitting<T>("linspace", end);
  Tensor result = empty({steps}, dtype_of<T>);
  T* const out = result.mutable_data<T>();
  if (steps == 0) return result;
  if (steps == 1) {
    out[0] = first;
    return result;
  }
  // The halves are computed from their own ends, so that both ends are exact.
  using Step = std::conditional_t<std::is_integral_v<T>, double, T>;
  const Step step =
      (static_cast<Step>(last) - static_cast<Step>(first)) / static_cast<Step>(steps - 1);
  const auto at = [&](std::int64_t i) -> T {
    if (i == steps - 1) return last;
    if (i < steps / 2) {
      return static_cast<T>(
          std::fma(step, static_cast<Step>(i), static_cast<Step>(first)));
    }
    return static_cast<T>(
        std::fma(-step, static_cast<Step>(steps - i - 1), static_cast<Step>(last)));
  };
  constexpr std::int64_t group = lanes<T>;
  const std::int64_t vectorised = steps / (2 * group) * (2 * group);
  for (std::int64_t i = 0; i < vectorised; i += group) {
    const auto base = static_cast<Step>(at(i));
    for (std::int64_t k = 0; k < group; ++k) {
      const Step value = base + static_cast<Step>(k) * step;
      // Rounding may carry the last integer over the end of int64.
      const bool exact = std::is_integral_v<T> && i + k == steps - 1;
      out[i + k] = exact ? last : static_cast<T>(value);
    }
  }
  for (std::int64_t i = vectorised; i < steps; ++i) out[i] = at(i);
  return result;
}

// --- lists

Shape shape_of(const NestedList& list) {
  Shape shape;
  for (const NestedList* at = &list; at->is_list(); at = &at->parts().front()) {
    shape.push_back(static_cast<std::int64_t>(at->parts().size()));
    if (at->parts().empty()) break;
  }
  return shape;
}

// Appends the numbers of `list`, found at `depth` of a list of the given shape.
void collect(const NestedList& list, const Shape& shape, int depth,
             std::vector<Number>& numbers) {
  check(list.is_list() == (depth < shape.rank()),
        "tensor: one depth must hold either numbers or lists, got both");
  if (!list.is_list()) {
    numbers.push_back(list.number());
    return;
  }
  const auto length = static_cast<std::int64_t>(list.parts().size());
  check(length == shape[depth],
        "tensor: the lists at one depth must have equal lengths, got {} and {}",
        shape[depth], length);
  for (const NestedList& part : list.parts()) collect(part, shape, depth + 1, numbers);
}

DType common_dtype(const std::vector<Number>& numbers) {
  if (numbers.empty()) return float32;
  const auto kind = std::ranges::max(numbers, {}, &Number::kind).kind();
  return kind == Number::Kind::boolean ? boolean
         : kind == Number::Kind::whole ? int64
                                       : float32;
}

template <class T>
Tensor copied(const std::vector<T>& values, const Shape& shape) {
  check(count(shape) == static_cast<std::int64_t>(values.size()),
        "from_vector: the shape must have as many elements as the vector, got {} and {}",
        shape, values.size());
  Tensor result = empty(shape, dtype_of<T>);
  std::ranges::copy(values, result.mutable_data<T>());
  return result;
}

template <class T>
Tensor copied(const std::vector<T>& values) {
  return copied(values, {static_cast<std::int64_t>(values.size())});
}

}  // namespace

Tensor zeros(const Shape& shape, DType dtype) { return full(shape, 0, dtype); }

Tensor ones(const Shape& shape, DType dtype) { return full(shape, 1, dtype); }

Tensor full(const Shape& shape, Number value, DType dtype) {
  Tensor result = empty(shape, dtype);
  dispatch(dtype, [&]<class T>() {
    const T element = fitting<T>("full", value);
    T* const out = result.mutable_data<T>();
    parallel_for(result.numel(), 1, [&](std::int64_t begin, std::int64_t end) {
      std::fill(out + begin, out + end, element);
    });
  });
  return result;
}

Tensor zeros_like(const Tensor& x, std::optional<DType> dtype) {
  return zeros(x.shape(), dtype.value_or(x.dtype()));
}

Tensor ones_like(const Tensor& x, std::optional<DType> dtype) {
  return ones(x.shape(), dtype.value_or(x.dtype()));
}

Tensor full_like(const Tensor& x, Number value, std::optional<DType> dtype) {
  return full(x.shape(), value, dtype.value_or(x.dtype()));
}

Tensor empty_like(const Tensor& x, std::optional<DType> dtype) {
  const Strides strides = dense_strides(x.shape(), memory_order(x.shape(), x.strides()));
  const DType kind = dtype.value_or(x.dtype());
  return Tensor(empty(x.shape(), kind).storage(), 0, x.shape(), strides, kind);
}

Tensor eye(Size n, DType dtype) { return eye(n, n, dtype); }

Tensor eye(Size m, Size n, DType dtype) {
  check(m >= 0 && n >= 0, "eye: the sizes must not be negative, got {} and {}", m, n);
  Tensor result = zeros({m, n}, dtype);
  dispatch(dtype, [&]<class T>() {
    T* const out = result.mutable_data<T>();
    for (std::int64_t i = 0; i < std::min(m, n); ++i) out[i * n + i] = T{1};
  });
  return result;
}

Tensor arange(Number start, Number end, Number step, std::optional<DType> dtype) {
  const double a = start.real(), b = end.real(), by = step.real();
  check(std::isfinite(a) && std::isfinite(b) && std::isfinite(by),
        "arange: start, end and step must be finite, got {}, {} and {}", a, b, by);
  const bool real =
      std::ranges::any_of(std::array{start, end, step},
                          [](const Number& n) { return n.kind() == Number::Kind::real; });
  switch (dtype.value_or(real ? float32 : int64)) {
    case float32: return floating_range<float>(a, b, by);
    case float64: return floating_range<double>(a, b, by);
    case int64:
      return whole_range(start.as<std::int64_t>("arange"), end.as<std::int64_t>("arange"),
                         step.as<std::int64_t>("arange"));
    case boolean: break;
  }
  fail("arange: the dtype must not be bool, got bool");
}

Tensor arange(Number start, Number end, DType dtype) {
  return arange(start, end, 1, dtype);
}
Tensor arange(Number end, std::optional<DType> dtype) { return arange(0, end, 1, dtype); }

Tensor linspace(double start, double end, Size steps, DType dtype) {
  check(steps >= 0, "linspace: steps must not be negative, got {}", steps);
  switch (dtype) {
    case float32: return even_spacing<float>(start, end, steps);
    case float64: return even_spacing<double>(start, end, steps);
    case int64: return even_spacing<std::int64_t>(start, end, steps);
    case boolean: break;
  }
  fail("linspace: the dtype must not be bool, got bool");
}

Tensor logspace(double start, double end, Size steps, double base, DType dtype) {
  check(steps >= 0, "logspace: steps must not be negative, got {}", steps);
  Tensor result = linspace(start, end, steps, float64);
  auto* const out = result.mutable_data<double>();
  std::transform(out, out + steps, out, [=](double x) { return std::pow(base, x); });
  return result.to(dtype);
}

Tensor tensor(const NestedList& list, std::optional<DType> dtype) {
  const Shape shape = shape_of(list);
  std::vector<Number> numbers;
  collect(list, shape, 0, numbers);
  Tensor result = empty(shape, dtype.value_or(common_dtype(numbers)));
  dispatch(result.dtype(), [&]<class T>() {
    T* out = result.mutable_data<T>();
    for (const Number& number : numbers) *out++ = number.as<T>("tensor");
  });
  return result;
}

Tensor from_vector(const std::vector<float>& values) { return copied(values); }
Tensor from_vector(const std::vector<double>& values) { return copied(values); }
Tensor from_vector(const std::vector<std::int64_t>& values) { return copied(values); }
Tensor from_vector(const std::vector<bool>& values) { return copied(values); }
Tensor from_vector(const std::vector<float>& values, const Shape& shape) {
  return copied(values, shape);
}
Tensor from_vector(const std::vector<double>& values, const Shape& shape) {
  return copied(values, shape);
}
Tensor from_vector(const std::vector<std::int64_t>& values, const Shape& shape) {
  return copied(values, shape);
}
Tensor from_vector(const std::vector<bool>& values, const Shape& shape) {
  return copied(values, shape);
}

}  // namespace heed
