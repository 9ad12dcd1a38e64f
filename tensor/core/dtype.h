// The element types of a tensor, and the one place where a run-time type becomes a
// C++ type.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <type_traits>

#include "tensor/core/error.h"

namespace heed {

enum class DType : std::uint8_t { float32, float64, int64, boolean };
using enum DType;

constexpr std::string_view name(DType dtype) {
  constexpr std::string_view names[] = {"float32", "float64", "int64", "bool"};
  return names[static_cast<int>(dtype)];
}

std::ostream& operator<<(std::ostream& out, DType dtype);

// The size of one element in bytes.
constexpr std::size_t element_size(DType dtype) {
  constexpr std::size_t sizes[] = {4, 8, 8, 1};
  return sizes[static_cast<int>(dtype)];
}

constexpr bool is_floating(DType dtype) { return dtype <= DType::float64; }

// The dtype in which elements of a and b are computed together, by PyTorch's rule: bools
// become integers beside integers, and both become floating beside floating numbers.
// Throws Error, naming `op`, for float32 beside float64.
inline DType promote(std::string_view op, DType a, DType b) {
  if (a == b) return a;
  check(!is_floating(a) || !is_floating(b),
        "{}: the dtypes must be equal, got {} and {}; to(dtype) converts a tensor", op,
        name(a), name(b));
  return is_floating(a) ? a : is_floating(b) ? b : int64;
}

// The C++ types of elements.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::int64_t> || std::same_as<T, bool>;

// The DType of a C++ type: dtype_of<float> is float32.
template <Element T>
inline constexpr DType dtype_of = std::is_same_v<T, float>          ? DType::float32
                                  : std::is_same_v<T, double>       ? DType::float64
                                  : std::is_same_v<T, std::int64_t> ? DType::int64
                                                                    : DType::boolean;

// Calls f.template operator()<T>() with the C++ type of `dtype`, as in
//   dispatch(x.dtype(), [&]<class T>() { fill<T>(...); });
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float32: return f.template operator()<float>();
    case DType::float64: return f.template operator()<double>();
    case DType::int64: return f.template operator()<std::int64_t>();
    case DType::boolean: break;
  }
  return f.template operator()<bool>();
}

// Throws Error, naming `op`, for int64 and bool.
inline void check_floating(std::string_view op, DType dtype) {
  check(is_floating(dtype),
        "{}: the dtype must be float32 or float64, got {}; to(float32) converts a tensor",
        op, name(dtype));
}

// As dispatch, for operations that only floating types have. Throws Error for others, as
// check_floating does.
template <class F>
decltype(auto) dispatch_floating(std::string_view op, DType dtype, F&& f) {
  check_floating(op, dtype);
  if (dtype == DType::float32) return f.template operator()<float>();
  return f.template operator()<double>();
}

}  // namespace heed

template <>
struct fmt::formatter<heed::DType> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  format_context::iterator format(heed::DType dtype, format_context& context) const;
};
