// Layers as functions of their parameters.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "autograd/composed.h"
#include "autograd/elementwise.h"
#include "autograd/layer_norm.h"
#include "autograd/matmul.h"
#include "autograd/softmax.h"
#include "autograd/variable.h"
#include "tensor/core/factories.h"
#include "tensor/indexing/indexing.h"
#include "tensor/random/random.h"

namespace heed::nn {

// What PyTorch's programs call F.relu(x) can be called nn::relu(x) here. linear is
// x Wᵀ + b:     x (..., in), weight (out, in), bias (out), if any  ->  (..., out)
// An undefined bias is none, even one that was moved from.
using heed::elu;
using heed::gelu;
using heed::layer_norm;
using heed::leaky_relu;
using heed::linear;
using heed::log_softmax;
using heed::logsigmoid;
using heed::one_hot;
using heed::relu;
using heed::sigmoid;
using heed::silu;
using heed::softmax;
using heed::softplus;
using heed::tanh;

// x held between the bounds. The derivative at a bound is 0, as PyTorch's; clamp() has 1.
// Throws Error when min_val is above max_val.
template <Array X>
X hardtanh(const X& x, double min_val = -1, double max_val = 1) {
  check(min_val <= max_val, "hardtanh: min_val must not be above max_val, got {} and {}",
        min_val, max_val);
  const Tensor& value = heed::detail::value_of(x);
  return where((value <= min_val) | (value >= max_val), X(clamp(value, min_val, max_val)),
               x);
}
template <Array X>
X relu6(const X& x) {
  return hardtanh(x, 0, 6);
}
// Straight lines in place of σ(x) and of silu.     (Howard et al., 2019)
template <Array X>
X hardsigmoid(const X& x) {
  return hardtanh(x + 3, 0, 6) / 6;
}
template <Array X>
X hardswish(const X& x) {
  return x * hardtanh(x + 3, 0, 6) / 6;
}
// x tanh(softplus(x))     (Misra, 2020)
template <Array X>
X mish(const X& x) {
  return x * tanh(softplus(x));
}
// elu with the alpha and the factor for which mean 0 and variance 1 are the fixed point
// of a deep net.     (Klambauer et al., 2017)
template <Array X>
X selu(const X& x) {
  return 1.0507009873554805 * elu(x, 1.6732632423543772);
}
// x where x > 0, else alpha (exp(x / alpha) - 1). Throws Error unless alpha is positive.
// (Barron, 2017)
template <Array X>
X celu(const X& x, double alpha = 1) {
  check(alpha > 0, "celu: alpha must be positive, got {}", alpha);
  return where(x > 0, x, alpha * elu(x / alpha));
}
// The first half of x along `dim`, times σ of the second. Throws Error for an odd size.
// (Dauphin et al., 2017)
template <Array X>
X glu(const X& x, Dim dim = -1) {
  const std::int64_t size = x.size(dim), half = size / 2;
  check(size % 2 == 0, "glu: the size of dimension {} must be even, got {}", dim,
        x.shape());
  return slice(x, dim, 0, half) * sigmoid(slice(x, dim, half));
}
template <Array X>
X softsign(const X& x) {
  return x / (1 + abs(x));
}
template <Array X>
X tanhshrink(const X& x) {
  return x - tanh(x);
}
template <Array X>
X softmin(const X& x, Dim dim) {
  return softmax(-x, dim);
}

// (x - mean) / √(variance + eps), times weight, plus bias; mean and (biased) variance
// over the last dimensions, whose shape normalized_shape is. weight and bias have that
// shape. Throws Error when the shapes do not fit.     (Ba, Kiros and Hinton, 2016)
Variable layer_norm(const Variable& x, const Shape& normalized_shape, double eps = 1e-5);
Variable layer_norm(const Variable& x, const Shape& normalized_shape,
                    const Variable& weight, double eps = 1e-5);
Variable layer_norm(const Variable& x, const Shape& normalized_shape,
                    const Variable& weight, const Variable& bias, double eps = 1e-5);

// x / √(mean of x² + eps), times weight, over the last dimensions, whose shape
// normalized_shape is, as is that of a weight. Without eps it is the distance from 1 to
// the next number of x's dtype, as in PyTorch. Throws Error when the shapes do not fit.
// (Zhang and Sennrich, 2019)
Variable rms_norm(const Variable& x, const Shape& normalized_shape,
                  std::optional<double> eps = {});
Variable rms_norm(const Variable& x, const Shape& normalized_shape,
                  const Variable& weight, std::optional<double> eps = {});

// The rows of `weight` (n, width) that `ids` (any shape, int64) name: (ids..., width).
// The row padding_idx gets no gradient. Throws Error when an id or padding_idx is not a
// row, and when `weight` or the dtype of `ids` does not fit.
Variable embedding(const Tensor& ids, const Variable& weight,
                   std::optional<std::int64_t> padding_idx = {});

// The cosine of the angle between the vectors along `dim`, 0 for a vector of zeros.
template <Array A, Array B>
Joint<A, B> cosine_similarity(const A& a, const B& b, Dim dim = 1, double eps = 1e-8) {
  const Shape shape = broadcast("cosine_similarity", a.shape(), b.shape());
  const A u = expand(a, shape);
  const B v = expand(b, shape);
  return sum(u / clamp_min(norm(u, {dim}, true), eps) *
                 (v / clamp_min(norm(v, {dim}, true), eps)),
             dim);
}
// The p-norm of a - b + eps along the last dimension. Throws Error unless p > 0.
template <Array A, Array B>
Joint<A, B> pairwise_distance(const A& a, const B& b, double p = 2, double eps = 1e-6,
                              Flag keepdim = false) {
  return heed::detail::norm_of_last("pairwise_distance", a - b + eps, p, keepdim);
}
// x over its p-norm along `dim`; zeros stay zeros. Throws Error unless p > 0.
template <Array X>
X normalize(const X& x, double p = 2, Dim dim = 1, double eps = 1e-12) {
  const X length =
      heed::detail::norm_of_last("normalize", transpose(x, dim, -1), p, true);
  return x / clamp_min(transpose(length, dim, -1), eps);
}
// x between `value`s: pads[0] of them before and pads[1] after the last dimension, the
// next two for the dimension before it, and so on; a negative number cuts off. Throws
// Error for an odd number of pads, more than two a dimension, or more cut off than there
// is.
template <Array X>
X pad(const X& x, const std::vector<std::int64_t>& pads, double value = 0) {
  const int n = static_cast<int>(pads.size());
  check(n % 2 == 0 && n <= 2 * x.dim(),
        "pad: there must be two numbers for each of at most {} dimensions, got {}",
        x.dim(), n);
  if (n == 0) return x.clone();
  X y = x;
  for (int i = 0; i < n; i += 2) {
    const int dim = -1 - i / 2;
    const std::int64_t before = pads[i], after = pads[i + 1], size = x.size(dim);
    const bool is_cut_twice = before < 0 && after < 0;
    check(before >= -size && after >= -size && (!is_cut_twice || before + after >= -size),
          "pad: {} and {} cut off more than dimension {} of {} has", before, after, dim,
          x.shape());
    const std::int64_t first = before < 0 ? -before : 0;
    const std::int64_t last = after < 0 ? size + after : size;
    const auto edge = [&](std::int64_t width) {
      Shape shape = y.shape();
      shape[dim] = std::max<std::int64_t>(width, 0);
      return X(full(shape, value, x.dtype()));
    };
    y = cat({edge(before), slice(y, dim, first, last), edge(after)}, dim);
  }
  return y;
}

// Probabilities along `dim` that are nearly one-hot vectors, the more so the smaller tau
// is; the largest is drawn with the probability softmax(logits). With `hard` the vectors
// are one-hot, with the derivative of the soft ones. Throws Error unless tau > 0.
// (Jang, Gu and Poole, 2017; PyTorch has an unused eps before dim)
Variable gumbel_softmax(const Variable& logits, double tau = 1, bool hard = false,
                        Dim dim = -1, Generator& generator = default_generator());

struct PadSequenceOptions {
  bool batch_first = false;
  double padding_value = 0;
};
// The sequences (length, ...), each filled up with padding_value to the longest, as one:
// (longest, batch, ...), or (batch, longest, ...) with batch_first. Throws Error when
// there are none, or they differ in more than their lengths.
Tensor pad_sequence(std::span<const Tensor> sequences,
                    const PadSequenceOptions& options = {});
Tensor pad_sequence(std::initializer_list<Tensor> sequences,
                    const PadSequenceOptions& options = {});
Variable pad_sequence(std::span<const Variable> sequences,
                      const PadSequenceOptions& options = {});
Variable pad_sequence(std::initializer_list<Variable> sequences,
                      const PadSequenceOptions& options = {});

}  // namespace heed::nn

namespace heed {
using nn::celu;
using nn::cosine_similarity;
using nn::embedding;
using nn::glu;
using nn::gumbel_softmax;
using nn::hardsigmoid;
using nn::hardswish;
using nn::hardtanh;
using nn::mish;
using nn::normalize;
using nn::pad;
using nn::pad_sequence;
using nn::pairwise_distance;
using nn::relu6;
using nn::rms_norm;
using nn::selu;
using nn::softmin;
using nn::softsign;
using nn::tanhshrink;
}  // namespace heed
