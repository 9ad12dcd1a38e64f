// The numbers that are not finite.
#pragma once

#include <limits>

namespace heed {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace heed
