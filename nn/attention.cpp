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

double factor(const AttentionOptions& options, const Variable& query) {
  check(!options.scale || !options.temperature,
        "attention: a scale or a temperature, got both");
  const auto positive = [&](std::string_view what, double x, double factor) {
    const double used = query.dtype() == float32 ? static_cast<float>(factor) : factor;
    check(used > 0 && std::isfinite(used),
          "attention: the {} must be a positive {}, got {}", what, name(query.dtype()),
          x);
    return factor;
  };
  if (options.scale) return positive("scale", *options.scale, *options.scale);
  if (options.temperature) {
    return positive("temperature", *options.temperature, 1 / *options.temperature);
  }
  const std::int64_t d = query.size(-1);
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
  check(query.dtype() == key.dtype() && key.dtype() == value.dtype() &&
            is_floating(query.dtype()),
        "attention: query, key and value must have one floating dtype, got {}, {} and {}",
        name(query.dtype()), name(key.dtype()), name(value.dtype()));
  const auto lead = [](const Variable& x) { return without_last(x.shape(), 2); };
  const Shape batch = broadcast("attention", lead(query), lead(key));
  broadcast("attention", batch, lead(value));
  const auto widened = [&](const Variable& x) {
    if (lead(x) == batch) return x;
    Shape shape = batch;
    shape.push_back(x.size(-2));
    shape.push_back(x.size(-1));
    return expand(x, shape);  // (batch..., n or m, d)
  };
  Shape scores = batch;
  scores.push_back(query.size(-2));
  scores.push_back(key.size(-2));
  return {widened(query), widened(key), scores};
}

// Whether the fused op will do. Its only mask is lens: query i sees keys 0 to lens[i]
// - 1. It gives zeros to a query without a key, and it would multiply a hidden NaN by 0,
// which is NaN.
bool fused_fits(const Variable& query, const Variable& key, const Variable& value,
                const Mask::Laid& mask) {
  if (mask.keep || mask.bias ||
      without_last(query.shape(), 2) != without_last(value.shape(), 2)) {
    return false;
  }
  if (!mask.lens && key.size(-2) > 0) return true;
  // With EmptyRows::error there is no such query: laying the mask has thrown for one.
  const bool empty_rows_fit = mask.empty_rows == EmptyRows::zero ||
                              mask.empty_rows == EmptyRows::error ||
                              (mask.lens && key.size(-2) > 0 &&
                               (mask.lens->numel() == 0 || min(*mask.lens).item() > 0));
  return empty_rows_fit && all_finite(query) && all_finite(key) && all_finite(value);
}

// All of it in ops: every score and weight in memory.
Attention written_out(const Operands& x, const Variable& value, const Mask::Laid& mask,
                      const Dropout& dropout, double scale) {
  const Variable scores = masked_scores(x.query, x.key, mask) * scale;  // (..., n, m)
  const Variable weights = masked_weights(scores, mask);                // (..., n, m)
  return {masked_values(dropout(weights), value, mask), weights};       // (..., n, dv)
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
  const Operands x = operands(query, key, value);
  const Mask::Laid laid = mask.lay_on(x.scores);
  return written_out(x, value, laid, dropout, factor(options, query));
}

Variable attend(const Variable& query, const Variable& key, const Variable& value,
                const Mask& mask, const Dropout& dropout, const AttentionOptions& options,
                Tensor* weights) {
  const Operands x = operands(query, key, value);
  const Mask::Laid laid = mask.lay_on(x.scores);
  const double scale = factor(options, query);
  const bool drops = dropout.training && dropout.p != 0;
  if (!drops && fused_fits(x.query, x.key, value, laid)) {
    return scaled_dot_product_attention(x.query, x.key, value, laid.lens, scale, weights);
  }
  const Attention result = written_out(x, value, laid, dropout, scale);
  if (weights) *weights = result.weights.value();
  return result.output;
}

Variable attend_heads(const Variable& query, const Variable& key, const Variable& value,
                      std::int64_t heads, const Mask& mask, const Dropout& dropout,
                      Tensor* weights) {
  const Variable q = split_heads(query, heads);  // (batch, heads, n, d)
  const Variable k = split_heads(key, heads);    // (batch, heads, m, d)
  const Variable v = split_heads(value, heads);  // (batch, heads, m, dv)
  return join_heads(attend(q, k, v, mask, dropout, {}, weights));
}

Variable split_heads(const Variable& x, std::int64_t heads) {
  check(x.dim() == 3 && heads >= 1 && x.size(2) % heads == 0,
        "split_heads: x (batch, n, heads * d), got {} and {} heads", x.shape(), heads);
  const std::int64_t width = x.size(2) / heads;
  // (batch, n, heads, d)
  const Variable parts = reshape(x, {x.size(0), x.size(1), heads, width});
  return transpose(parts, 1, 2);  // (batch, heads, n, d)
}

Variable join_heads(const Variable& x) {
  check(x.dim() == 4, "join_heads: x (batch, heads, n, d), got {}", x.shape());
  const Variable rows = transpose(x, 1, 2);  // (batch, n, heads, d)
  // (batch, n, heads * d)
  return reshape(rows, {x.size(0), x.size(2), x.size(1) * x.size(3)});
}

void check_inputs(std::string_view layer, const LayerInputs& wanted,
                  const Variable& queries, const Variable& keys, const Variable& values) {
  const auto fits = [&](const Variable& x, std::int64_t size) {
    return x.dim() == 3 && x.size(0) == queries.size(0) && x.size(2) == size;
  };
  const bool values_fit =
      values.dim() == 3 && fits(values, wanted.value_size.value_or(values.size(2)));
  check(fits(queries, wanted.query_size) && fits(keys, wanted.key_size) && values_fit &&
            keys.size(1) == values.size(1),
        "{}: queries, keys and values must be (batch, n, {}), (batch, m, {}) and (batch, "
        "m, {}), got {}, {} and {}",
        layer, wanted.query_size, wanted.key_size,
        [&] { return wanted.value_size ? std::to_string(*wanted.value_size) : "dv"; },
        queries.shape(), keys.shape(), values.shape());
  const auto is_wanted = [&](const Variable& x) { return x.dtype() == wanted.dtype; };
  check(is_wanted(queries) && is_wanted(keys) && is_wanted(values),
        "{}: queries, keys and values must be {}, got {}, {} and {}", layer,
        name(wanted.dtype), name(queries.dtype()), name(keys.dtype()),
        name(values.dtype()));
}

}  // namespace heed::nn
