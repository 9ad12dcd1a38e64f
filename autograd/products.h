// PyTorch's products of matrices and vectors that matmul(), einsum() and others make.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "autograd/composed.h"
#include "autograd/einsum.h"

namespace heed {

// Each element of a times b: (m, n) and (p, q) to (m p, n q); a scalar or vector counts
// as having leading sizes of 1.
template <Array A, Array B>
Joint<A, B> kron(const A& a, const B& b) {
  const int rank = std::max(a.dim(), b.dim());
  Shape of_a, of_b, joint;
  for (int d = 0; d < rank; ++d) {
    const auto size = [&](const auto& x) {
      const int own = d - (rank - x.dim());
      return own < 0 ? std::int64_t{1} : x.size(own);
    };
    of_a.push_back(size(a));
    of_a.push_back(1);
    of_b.push_back(1);
    of_b.push_back(size(b));
    joint.push_back(count({size(a), size(b)}));
  }
  return reshape(reshape(a, of_a) * reshape(b, of_b), joint);
}

// The products of vectors of three numbers along `dim`, else along a's first dimension of
// size 3; other sizes broadcast.
template <Array A, Array B>
Joint<A, B> cross(const A& a, const B& b, std::optional<Dim> dim = {}) {
  const auto threes = std::ranges::find(a.shape(), 3);
  if (!dim && threes != a.shape().end())
    dim = static_cast<int>(threes - a.shape().begin());
  const Dim d = dim.value_or(-1);
  check(
      a.dim() == b.dim() && a.size(d) == 3 && b.size(d) == 3,
      "cross: both must have one rank, and 3 numbers along the dimension, got {} and {}",
      a.shape(), b.shape());
  return roll(a, -1, d) * roll(b, 1, d) - roll(a, 1, d) * roll(b, -1, d);
}

// a (..., m, m) multiplied with itself n times; the identity for 0. Throws Error for a
// negative n and for matrices that are not square.
template <Array X>
X matrix_power(const X& a, Integer n) {
  check(n >= 0, "matrix_power: n must not be negative, got {}", std::int64_t{n});
  check(a.dim() >= 2 && a.size(-1) == a.size(-2),
        "matrix_power: the matrices must be square, got {}", a.shape());
  if (n == 0) return X(expand(eye(a.size(-1), a.dtype()), a.shape())).clone();
  if (n == 1) return a.clone();
  const X half = matrix_power(a, n / 2);
  const X even = matmul(half, half);
  return n % 2 == 0 ? even : matmul(even, a);
}

// The sum over the dimensions of_a of a, each with that of of_b in its place; the result
// has a's other dimensions, then b's. Throws Error when these do not fit, or one is named
// twice.
template <Array A, Array B>
Joint<A, B> tensordot(const A& a, const B& b, const Dims& of_a, const Dims& of_b) {
  check(of_a.rank() == of_b.rank(),
        "tensordot: as many dimensions of a as of b must be named, got {} and {}",
        of_a.rank(), of_b.rank());
  // einsum's letters: a, b, ... for a's dimensions, A, B, ... for b's but those summed.
  std::string letters_of_a, letters_of_b, letters;
  for (int d = 0; d < a.dim(); ++d) letters_of_a += static_cast<char>('a' + d);
  for (int d = 0; d < b.dim(); ++d) letters_of_b += static_cast<char>('A' + d);
  letters = letters_of_a + letters_of_b;
  for (int i = 0; i < of_a.rank(); ++i) {
    check(a.size(of_a[i]) == b.size(of_b[i]),
          "tensordot: the sizes of dimensions {} and {} must be equal, got {} and {}",
          of_a[i], of_b[i], a.shape(), b.shape());
    char& left = letters_of_a[static_cast<std::size_t>((of_a[i] + a.dim()) % a.dim())];
    char& right = letters_of_b[static_cast<std::size_t>((of_b[i] + b.dim()) % b.dim())];
    const auto summed =
        std::erase_if(letters, [&](char c) { return c == left || c == right; });
    check(summed == 2, "tensordot: a dimension must be named once, got {} and {}", of_a,
          of_b);
    right = left;
  }
  return einsum(letters_of_a + "," + letters_of_b + "->" + letters, a, b);
}
// Over the last `dims` dimensions of a and the first of b.
template <Array A, Array B>
Joint<A, B> tensordot(const A& a, const B& b, Integer dims = 2) {
  check(0 <= dims && dims <= a.dim() && dims <= b.dim(),
        "tensordot: dims must be from 0 to the ranks {} and {}, got {}", a.dim(), b.dim(),
        std::int64_t{dims});
  Dims of_a, of_b;
  for (std::int64_t i = 0; i < dims; ++i) {
    of_a.push_back(i - dims);
    of_b.push_back(i);
  }
  return tensordot(a, b, of_a, of_b);
}

}  // namespace heed
