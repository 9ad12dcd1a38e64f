#include "tensor/core/shape.h"

#include <fmt/format.h>

namespace heed {

std::int64_t count(const Shape& shape) {
  std::int64_t product = 1;
  std::int64_t extent = 1;  // as if there were no zeros: strides are made from it
  bool fits = true;
  for (std::int64_t size : shape) {
    check(size >= 0, "shape: sizes must not be negative, got {}", shape);
    const auto step = std::max<std::int64_t>(size, 1);
    fits = fits && !__builtin_mul_overflow(extent, step, &extent);
    product = fits ? product * size : 0;
  }
  // Sixteen times the elements must fit too: no size in bytes can then overflow.
  check(fits && extent <= INT64_MAX / 16, "shape: too many elements, got {}", shape);
  return product;
}

Strides row_major(const Shape& shape) {
  Strides strides = Strides::zeros(shape.rank());
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

Shape without_last(const Shape& shape, int n) {
  return Shape(std::span(shape.begin(), static_cast<std::size_t>(shape.rank() - n)));
}

Shape append(Shape shape, std::initializer_list<Integer> sizes) {
  for (const Integer size : sizes) shape.push_back(size);
  return shape;
}

Shape broadcast(std::string_view op, const Shape& a, const Shape& b) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int lead = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const std::int64_t m = longer[lead + i], n = shorter[i];
    check(m == n || m == 1 || n == 1,
          "{}: the shapes must broadcast (equal sizes, or 1), got {} and {}", op, a, b);
    result[lead + i] = m == 1 ? n : m;
  }
  return result;
}

bool broadcasts_to(const Shape& shape, const Shape& target) {
  if (shape.rank() > target.rank()) return false;
  for (int i = 1; i <= shape.rank(); ++i) {
    const std::int64_t size = shape[shape.rank() - i];
    if (size != 1 && size != target[target.rank() - i]) return false;
  }
  return true;
}

Shape resolved_sizes(std::string_view op, const Shape& shape, const Shape& sizes) {
  Shape result = sizes;
  int open = -1;
  for (int d = 0; d < sizes.rank(); ++d) {
    if (sizes[d] != -1) continue;
    check(open < 0, "{}: only one size may be -1, got {}", op, sizes);
    open = d;
    result[d] = 1;
  }
  const std::int64_t all = count(shape), known = count(result);
  if (open < 0) {
    check(known == all, "{}: {} has {} elements, {} has {}", op, shape, all, sizes,
          known);
    return result;
  }
  check(known > 0, "{}: beside a size 0 a -1 could be any size, got {}", op, sizes);
  check(all % known == 0, "{}: {} has {} elements, {} a multiple of {}", op, shape, all,
        sizes, known);
  result[open] = all / known;
  return result;
}

std::int64_t Shape::from_end(std::int64_t i) const {
  check(-rank_ <= i && i < rank_, "shape: the index must be from {} to {}, got {} for {}",
        -rank_, rank_ - 1, i, *this);
  return i + rank_;
}

void Integer::fail(std::uint64_t value) {
  heed::fail("a number must be less than 2^63, got {}; is it below 0, as unsigned?",
             value);
}

void Shape::fail_rank() { fail("shape: at most {} dimensions, got more", max_rank); }

void Shape::fail_sizes(std::size_t n) const {
  fail("shape: {} sizes were asked for, got {}", n, *this);
}

int normalize_dim(std::string_view op, std::int64_t dim, int rank) {
  const int limit = std::max(rank, 1);
  check(-limit <= dim && dim < limit, "{}: dim must be from {} to {}, got {}", op, -limit,
        limit - 1, dim);
  return static_cast<int>(dim < 0 ? dim + limit : dim);
}

int existing_dim(std::string_view op, std::int64_t dim, int rank) {
  check(rank > 0, "{}: a scalar has no dimensions, got dim {}", op, dim);
  return normalize_dim(op, dim, rank);
}

}  // namespace heed

fmt::format_context::iterator fmt::formatter<heed::Shape>::format(
    const heed::Shape& shape, format_context& context) const {
  return fmt::format_to(context.out(), "({})", fmt::join(shape, ", "));
}
fmt::format_context::iterator fmt::formatter<heed::Integer>::format(
    heed::Integer number, format_context& context) const {
  return fmt::format_to(context.out(), "{}", std::int64_t{number});
}
