#include "nn/inputs.h"

#include <string>

#include "autograd/elementwise.h"
#include "nn/masked.h"
#include "tensor/core/views.h"
#include "tensor/reduce/reductions.h"

namespace heed::nn {
namespace {

// The inputs with zeros in the rows that take no part, if a number is not finite. Throws
// Error when the mask does not fit `scores`, the shape that it is for.
Inputs without_hidden(const Inputs& inputs, const Mask& mask, const Shape& scores) {
  const auto& [queries, keys, values] = inputs;
  if (mask.is_empty() || (all_finite(queries.value()) && all_finite(keys.value()) &&
                          all_finite(values.value()))) {
    return inputs;
  }
  const Mask::OnScores on_scores = mask.on(scores);
  const std::int64_t n = queries.size(1), m = keys.size(1);
  // Which pairs count in at least one head: (batch, heads, n, m) -> (batch, n, m).
  const auto merged = [&](const Tensor& pairs) {
    const Tensor whole = expand(pairs, scores);
    return scores.rank() == 4 ? any(whole, 1) : whole;
  };
  // The queries (other = 2) or keys (other = 1) of no pair: (batch, n or m, 1).
  const auto unpaired = [](const Tensor& pairs, int other) {
    return unsqueeze(logical_not(any(pairs, other)), -1);
  };
  const Tensor pairs = merged(score_pairs(on_scores, n, m));
  const Tensor weighted = merged(value_pairs(on_scores, n, m));
  return {masked_fill(queries, unpaired(pairs, 2), 0),
          masked_fill(keys, unpaired(pairs, 1), 0),
          masked_fill(values, unpaired(weighted, 1), 0)};
}

}  // namespace

Inputs take_inputs(std::string_view layer, const InputSizes& wanted, const Inputs& inputs,
                   const Mask& mask, std::optional<std::int64_t> heads) {
  const Variable &queries = inputs.queries, &keys = inputs.keys, &values = inputs.values;
  const auto fits = [&](const Variable& x, std::optional<std::int64_t> size) {
    return x.dim() == 3 && x.size(0) == queries.size(0) && (!size || x.size(2) == *size);
  };
  check(
      fits(queries, wanted.query_size) && fits(keys, wanted.key_size) &&
          fits(values, wanted.value_size) && keys.size(1) == values.size(1),
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
  Shape scores{queries.size(0), queries.size(1), keys.size(1)};
  if (heads) scores.insert(1, *heads);
  return without_hidden(inputs, mask, scores);
}

}  // namespace heed::nn
