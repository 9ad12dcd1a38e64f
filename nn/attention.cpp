#include "nn/attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/attention.h"
#include "autograd/elementwise.h"
#include "autograd/views.h"
#include "nn/masked.h"
#include "tensor/reductions.h"

namespace heed::nn {
namespace {

double factor(const AttentionOptions& options, std::int64_t d) {
  check(!options.scale || !options.temperature,
        "attention: a scale or a temperature, got both");
  const auto positive = [](std::string_view what, double x) {
    check(x > 0 && std::isfinite(x), "attention: the {} must be positive, got {}", what,
          x);
    return x;
  };
  if (options.scale) return positive("scale", *options.scale);
  if (options.temperature) return 1 / positive("temperature", *options.temperature);
  return 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(d, 1)));
}

// Queries and keys with equal leading dimensions, and the shape of their scores. Values
// may have more of them: they take no part in the scores.
struct Operands {
  Variable query, key;
  Shape scores;
};

Operands operands(const Variable& query, const Variable& key, const Variable& value) {
  const auto rank_fits = [](const Variable& x) { return 2 <= x.dim() && x.dim() <= 4; };
  check(rank_fits(query) && rank_fits(key) && rank_fits(value) &&
            query.size(-1) == key.size(-1) && key.size(-2) == value.size(-2),
        "attention: query (..., n, d), key (..., m, d) and value (..., m, dv) of two to "
        "four dimensions, got {}, {} and {}",
        query.shape(), key.shape(), value.shape());
  const auto lead = [](const Variable& x) {
    return Shape(std::span(x.shape().begin(), x.shape().end() - 2));
  };
  const Shape batch = broadcast("attention", lead(query), lead(key));
  broadcast("attention", batch, lead(value));
  const auto widened = [&](const Variable& x) {
    if (lead(x) == batch) return x;
    Shape shape = batch;
    shape.push_back(x.size(-2));
    shape.push_back(x.size(-1));
    return expand(x, shape);
  };
  Shape scores = batch;
  scores.push_back(query.size(-2));
  scores.push_back(key.size(-2));
  return {widened(query), widened(key), scores};
}

// Whether the one pass will do, which knows of masks the lens only: not for a row without
// a key that shall be anything but 0, and not where a hidden NaN would have to be kept
// from leaking.
bool only_prefixes(const Variable& query, const Variable& key, const Variable& value,
                   const Mask::Laid& mask) {
  const auto lead = [](const Variable& x) {
    return std::span(x.shape().begin(), x.shape().end() - 2);
  };
  if (mask.keep || mask.bias || !std::ranges::equal(lead(query), lead(value))) {
    return false;
  }
  if (!mask.lens) return true;
  const bool zeros = mask.empty_rows == EmptyRows::zero ||
                     mask.empty_rows == EmptyRows::error || mask.lens->numel() == 0 ||
                     min(*mask.lens).item() > 0;
  return zeros && all_finite(query) && all_finite(key) && all_finite(value);
}

}  // namespace

Variable masked_softmax(const Variable& scores, const Mask& mask) {
  return masked_weights(scores, mask.lay_on(scores.shape()));
}

Variable masked_softmax(const Variable& scores, const Tensor& valid_lens) {
  return masked_softmax(scores, Mask::valid_lens(valid_lens));
}

Attention attention(const Variable& query, const Variable& key, const Variable& value,
                    const Mask& mask, const Dropout& dropout,
                    const AttentionOptions& options) {
  const auto [q, k, shape] = operands(query, key, value);
  const double scale = factor(options, query.size(-1));
  const Mask::Laid laid = mask.lay_on(shape);
  const Variable scores = masked_scores(q, k, laid) * scale;       // (..., n, m)
  const Variable weights = masked_weights(scores, laid);           // (..., n, m)
  return {masked_values(dropout(weights), value, laid), weights};  // (..., n, dv)
}

Variable attend(const Variable& query, const Variable& key, const Variable& value,
                const Mask& mask, const Dropout& dropout, const AttentionOptions& options,
                Tensor* weights) {
  const auto [q, k, shape] = operands(query, key, value);
  const Mask::Laid laid = mask.lay_on(shape);
  if (only_prefixes(q, k, value, laid) && !(dropout.training && dropout.p > 0)) {
    return scaled_dot_product_attention(q, k, value, laid.lens,
                                        factor(options, query.size(-1)), weights);
  }
  const Attention result = attention(query, key, value, mask, dropout, options);
  if (weights) *weights = result.weights.value();
  return result.output;
}

Variable split_heads(const Variable& x, std::int64_t heads) {
  check(x.dim() == 3 && heads >= 1 && x.size(2) % heads == 0,
        "split_heads: x (batch, n, heads * d), got {} and {} heads", x.shape(), heads);
  const std::int64_t width = x.size(2) / heads;
  const Variable parts = reshape(x, {x.size(0), x.size(1), heads, width});
  return transpose(parts, 1, 2);  // (batch, heads, n, d)
}

Variable join_heads(const Variable& x) {
  check(x.dim() == 4, "join_heads: x (batch, heads, n, d), got {}", x.shape());
  const Variable rows = transpose(x, 1, 2);  // (batch, n, heads, d)
  return reshape(rows, {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace heed::nn
