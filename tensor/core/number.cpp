#include "tensor/core/number.h"

#include <cmath>

#include "tensor/core/error.h"

namespace heed {

void Number::fail(std::uint64_t value) {
  heed::fail("number: a whole number must fit int64, got {}", value);
}

template <class T>
T adapt(std::string_view op, double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    check(value == 0 || value == 1, "{}: a bool tensor takes 0 or 1, got {}", op, value);
    return value != 0;
  } else {
    check(
        std::isfinite(value) && std::trunc(value) == value,
        "{}: an int64 tensor takes whole numbers, got {}; to(float32) converts a tensor",
        op, value);
    check(-0x1p63 <= value && value < 0x1p63,
          "{}: an int64 tensor takes numbers from -2^63 to 2^63 - 1, got {}", op, value);
    return static_cast<T>(value);
  }
}

template float adapt<float>(std::string_view, double);
template double adapt<double>(std::string_view, double);
template std::int64_t adapt<std::int64_t>(std::string_view, double);
template bool adapt<bool>(std::string_view, double);

template <class T>
T fitting(std::string_view op, Number value) {
  const T element = value.as<T>(op);
  if constexpr (std::is_same_v<T, float>) {
    check(std::isinf(value.real()) || !std::isinf(element),
          "{}: {} is too large for float32", op, value.real());
  }
  return element;
}

template float fitting<float>(std::string_view, Number);
template double fitting<double>(std::string_view, Number);
template std::int64_t fitting<std::int64_t>(std::string_view, Number);
template bool fitting<bool>(std::string_view, Number);

}  // namespace heed
