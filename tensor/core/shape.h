// Shapes and strides: short lists of whole numbers, and the arithmetic on them.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string_view>

#include <fmt/core.h>

#include "tensor/core/error.h"

namespace heed {

inline constexpr int max_rank = 8;

// A whole number as an argument. Unlike std::int64_t it cannot be made from a bool or a
// fraction, so that an argument in the wrong place is found: sort(x, true), zeros({2.5})
// and MultiHeadAttention(8, 2, 0.1) do not compile. Throws Error for 2^63 and more, which
// is what size_t(0) - 1 is.
class Integer {
 public:
  template <std::integral Int>
  requires(!std::same_as<Int, bool>) constexpr Integer(Int value)
      : value_(static_cast<std::int64_t>(value)) {
    if (!std::in_range<std::int64_t>(value)) fail(static_cast<std::uint64_t>(value));
  }
  constexpr operator std::int64_t() const { return value_; }

 private:
  [[noreturn]] static void fail(std::uint64_t value);

  std::int64_t value_;
};

// A bool as an argument. It cannot be made from a number: x.sum(1, 2) does not compile,
// whose second number would be taken for keepdim.
class Flag {
 public:
  template <std::same_as<bool> B>
  constexpr Flag(B value) : value_(value) {}
  constexpr operator bool() const { return value_; }

 private:
  bool value_;
};

// Up to eight whole numbers, held in place so that making one never allocates. It serves
// as the sizes of a tensor, as its strides, and as a list of dimensions.
// Throws Error when a ninth number is added.
class Shape {
 public:
  Shape() {}
  Shape(std::initializer_list<Integer> sizes) {
    for (const Integer size : sizes) push_back(size);
  }
  explicit Shape(std::span<const std::int64_t> sizes) {
    for (std::int64_t size : sizes) push_back(size);
  }

  // `rank` zeros, to be set one by one. Throws Error when there are more than eight.
  static Shape zeros(int rank) {
    Shape shape;
    for (int d = 0; d < rank; ++d) shape.push_back(0);
    return shape;
  }

  // Copying moves only the numbers in use: most shapes have two or three of the eight.
  Shape(const Shape& other) : rank_(other.rank_) {
    std::copy_n(other.sizes_, rank_, sizes_);
  }
  Shape& operator=(const Shape& other) {
    rank_ = other.rank_;
    std::copy_n(other.sizes_, rank_, sizes_);
    return *this;
  }

  int rank() const { return rank_; }
  // Number i, a negative i from the end. Throws Error out of range.
  std::int64_t operator[](Integer i) const { return sizes_[place(i)]; }
  std::int64_t& operator[](Integer i) { return sizes_[place(i)]; }
  // The numbers one by one: auto [n, d] = x.shape().sizes<2>(). Throws Error unless there
  // are N.
  template <std::size_t N>
  std::array<std::int64_t, N> sizes() const {
    if (rank_ != N) fail_sizes(N);
    std::array<std::int64_t, N> sizes;
    std::copy_n(sizes_, N, sizes.begin());
    return sizes;
  }
  const std::int64_t* begin() const { return sizes_; }
  const std::int64_t* end() const { return sizes_ + rank_; }
  std::int64_t* begin() { return sizes_; }
  std::int64_t* end() { return sizes_ + rank_; }

  void push_back(std::int64_t size) {
    if (rank_ == max_rank) fail_rank();
    sizes_[rank_++] = size;
  }
  // Puts `size` in front of position `at`, 0 <= at <= rank().
  void insert(int at, std::int64_t size) {
    push_back(size);
    std::rotate(begin() + at, end() - 1, end());
  }
  // Takes out position `at`, 0 <= at < rank().
  void erase(int at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --rank_;
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::int64_t place(std::int64_t i) const {
    return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(rank_)
               ? i
               : from_end(i);
  }
  std::int64_t from_end(std::int64_t i) const;
  [[noreturn]] void fail_sizes(std::size_t n) const;
  [[noreturn]] static void fail_rank();

  std::int64_t sizes_[max_rank];
  int rank_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

using Strides = Shape;  // one per dimension, counted in elements

using Dim = Integer;   // the index of a dimension; a negative one counts from the end
using Size = Integer;  // how many elements, features, heads, layers

// Stands for the end of a dimension, whatever its size.
inline constexpr std::int64_t to_end = INT64_MAX;

// Dimensions to work on: {0, -1}, or 1 alone.
class Dims : public Shape {
 public:
  using Shape::Shape;
  Dims(Dim dim) : Shape({dim}) {}
  template <std::integral Int>
  requires(!std::same_as<Int, bool>) Dims(Int dim) : Dims(Dim(dim)) {}
};

// The number of elements of a shape; 1 for the shape of a scalar, ().
// Throws Error when a size is negative or the product does not fit.
std::int64_t count(const Shape& shape);

// The strides of a contiguous tensor: the last dimension has stride 1.
Strides row_major(const Shape& shape);

// The shape without its last n dimensions, 0 <= n <= rank(). Also for strides.
Shape without_last(const Shape& shape, int n);

// The shape, followed by `sizes`.
Shape append(Shape shape, std::initializer_list<Integer> sizes);

// The shape that `a` and `b` broadcast to: aligned at the last dimension, a missing or
// size-1 dimension repeats. Throws Error, naming `op`, when they do not fit.
Shape broadcast(std::string_view op, const Shape& a, const Shape& b);

// Whether a tensor of `shape` may be expanded to `target`.
bool broadcasts_to(const Shape& shape, const Shape& target);

// `sizes`, whose -1, if there is one, becomes what `shape` leaves for it. Throws Error,
// naming `op`, unless `shape` has as many elements.
Shape resolved_sizes(std::string_view op, const Shape& shape, const Shape& sizes);

// `dim` with a negative one counted from the end, -1 being the last of `rank`.
// Throws Error, naming `op`, when it is out of range; a rank of 0 takes 0 and -1.
int normalize_dim(std::string_view op, std::int64_t dim, int rank);
// The same, but throws Error for a rank of 0 too: a scalar has no dimensions.
int existing_dim(std::string_view op, std::int64_t dim, int rank);

}  // namespace heed

// Shapes print as (2, 3).
template <>
struct fmt::formatter<heed::Shape> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  format_context::iterator format(const heed::Shape& shape,
                                  format_context& context) const;
};
template <>
struct fmt::formatter<heed::Dims> : fmt::formatter<heed::Shape> {};
template <>
struct fmt::formatter<heed::Integer> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  format_context::iterator format(heed::Integer number, format_context& context) const;
};
