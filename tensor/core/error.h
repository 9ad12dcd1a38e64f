// The one kind of exception that heed throws, and the one way to throw it.
#pragma once

#include <concepts>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/core.h>

namespace heed {

// What every function of heed throws when its arguments do not fit. The message names
// the operation, what must hold and what was found:
//   matmul: the inner sizes must be equal, got (2, 3) and (4, 5)
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws an Error with the formatted message.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) {
  throw Error(fmt::format(message, std::forward<Args>(args)...));
}

namespace detail {

// The type of an argument of check(); of a function, the type that it returns.
template <class Arg>
struct Evaluated {
  using Type = Arg;
};
template <std::invocable Arg>
struct Evaluated<Arg> {
  using Type = std::invoke_result_t<Arg>;
};

template <class Arg>
constexpr bool costs_nothing =
    std::is_lvalue_reference_v<Arg> || std::is_trivially_destructible_v<Arg>;

template <class Arg>
decltype(auto) evaluated(Arg&& arg) {
  if constexpr (std::invocable<Arg>) {
    return arg();
  } else {
    return std::forward<Arg>(arg);
  }
}

}  // namespace detail

// Throws an Error with the formatted message unless `ok`; formats only then. Arguments
// are evaluated at each call, so one that takes work is given as a function without
// parameters, which is called only for the message:
//   check(fits, "op: the mask must fit, got\n{}", [&] { return to_string(mask); });
// A temporary that holds memory, such as a string made for the message, is refused.
template <class... Args>
void check(bool ok, fmt::format_string<typename detail::Evaluated<Args>::Type...> message,
           Args&&... args) {
  static_assert((detail::costs_nothing<Args> && ...),
                "an argument of check() that takes work must be given as a function: "
                "[&] { return ...; }");
  if (!ok) [[unlikely]] {
    fail(message, detail::evaluated(std::forward<Args>(args))...);
  }
}

}  // namespace heed
