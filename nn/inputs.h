// How layers check their inputs before they project them. Not for users.
#pragma once

#include <optional>
#include <string_view>

#include "autograd/variable.h"
#include "nn/mask.h"

namespace heed::nn {

// What a layer is called with: (batch, n, ...), (batch, m, ...), (batch, m, ...).
struct Inputs {
  Variable queries, keys, values;
};

// What a layer requires of its inputs: their numbers of features, and their dtype.
// Without value_size the values may have any number of features.
struct InputSizes {
  std::int64_t query_size, key_size;
  std::optional<std::int64_t> value_size;
  DType dtype;
};

// The inputs as the layer is to project them: if any number is NaN or infinite, with
// zeros in the rows that take no part (keys and values that no query sees, queries that
// see no key). The gradient of W in x Wᵀ is a sum over all rows of x: without the zeros
// one NaN in the padding would make all of it NaN. The mask is for scores (batch, n, m),
// or (batch, heads, n, m) where `heads` is given. Throws Error in the name of `layer`
// unless queries are (batch, n, query_size), keys (batch, m, key_size) and values (batch,
// m, value_size), of that dtype.
Inputs take_inputs(std::string_view layer, const InputSizes& wanted, const Inputs& inputs,
                   const Mask& mask, std::optional<std::int64_t> heads = {});

}  // namespace heed::nn
