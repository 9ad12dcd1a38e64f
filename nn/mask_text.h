// Masks as text, for the messages of nn/mask.cpp. Not for users, who have to_string().
#pragma once

#include <string>

#include "nn/mask.h"

namespace heed::nn {

// The grid, as to_string() draws it, of the batch and head in which the query `index` of
// the scores (..., queries, keys) lies.
std::string grid_around(const Mask::OnScores& mask, const Shape& scores,
                        const Shape& index);

// Both alignments of a causal mask, each as a grid under its name.
std::string causal_grids(std::int64_t queries, std::int64_t keys);

}  // namespace heed::nn
