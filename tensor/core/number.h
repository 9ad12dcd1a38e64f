// Plain numbers beside tensors, and how they become elements.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tensor/core/dtype.h"
#include "tensor/core/shape.h"

namespace heed {

template <class T>
concept Arithmetic = std::integral<T> || std::floating_point<T>;

// `value` as the element type T of an op on a tensor of that type. Throws Error, naming
// `op`, when an integer or bool tensor cannot hold it. A whole number beyond 2^53 that an
// op takes as a double, as clamp does, was rounded when it became one; ops that take a
// Number are exact.
template <class T>
T adapt(std::string_view op, double value);

// A plain number of any C++ type that remembers what it was written as: where no dtype is
// given, 3 makes an int64 tensor, 3.0 a float32 one, and true a bool one. Throws Error
// for an unsigned number that int64 cannot hold.
class Number {
 public:
  enum class Kind { boolean, whole, real };

  template <Arithmetic T>
  Number(T value) {
    if constexpr (std::floating_point<T>) {
      kind_ = Kind::real;
      real_ = static_cast<double>(value);
    } else {
      kind_ = std::same_as<T, bool> ? Kind::boolean : Kind::whole;
      if (!std::in_range<std::int64_t>(value + 0))
        fail(static_cast<std::uint64_t>(value));
      whole_ = static_cast<std::int64_t>(value);
    }
  }

  Number(Integer value) : Number(std::int64_t{value}) {}

  Kind kind() const { return kind_; }
  double real() const {
    return kind_ == Kind::real ? real_ : static_cast<double>(whole_);
  }
  // The number as an element of type T. Throws Error, naming `op`, when T cannot hold it.
  template <class T>
  T as(std::string_view op) const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(real());
    } else {
      if (std::is_same_v<T, std::int64_t> && kind_ != Kind::real) return whole_;
      return adapt<T>(op, real());
    }
  }

  // Throws Error for the lowest int64, as int64 does not hold its negative.
  friend Number operator-(const Number& x) {
    if (x.kind_ == Kind::real) return -x.real_;
    if (x.whole_ < 0) return 0 - static_cast<std::uint64_t>(x.whole_);
    return -x.whole_;
  }
  friend Number abs(const Number& x) { return x.real() < 0 ? -x : x; }

 private:
  [[noreturn]] static void fail(std::uint64_t value);

  Kind kind_;
  union {
    std::int64_t whole_;
    double real_;
  };
};

// The dtype in which elements of `dtype` are computed with a plain number, by PyTorch's
// rule: the number takes their dtype, but a fraction (as the number was written: 2.0 is
// one) makes integers and bools float32, and a whole number makes bools int64.
inline DType promote(DType dtype, const Number& number) {
  if (is_floating(dtype) || number.kind() == Number::Kind::boolean) return dtype;
  return number.kind() == Number::Kind::real ? float32 : int64;
}

// value.as<T>(op), for numbers that become elements as they are: a finite one that T
// could only hold as an infinity is an Error too.
template <class T>
T fitting(std::string_view op, Number value);

}  // namespace heed
