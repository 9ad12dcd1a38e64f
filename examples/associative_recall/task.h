// The task of associative_recall: pairs of keys and values, and a query that asks for the
// value of a key.
#pragma once

#include <cstdint>
#include <string>

#include "nn/mask.h"
#include "tensor/core/tensor.h"
#include "tensor/random/random.h"

namespace heed::recall {

inline constexpr std::int64_t pairs = 10;  // in an example, padding included
inline constexpr std::int64_t fewest_pairs = 4;
inline constexpr std::int64_t digits = 10;  // the values are 0 to 9
inline constexpr std::int64_t key_size = 16, query_size = 24;

// A, B, ...: what the program calls the key of this pair.
inline std::string key_name(std::int64_t place) {
  return std::string(1, static_cast<char>('A' + place));
}

// Examples. The model sees the queries, the keys, the values, and how many pairs count.
struct Batch {
  Tensor queries;  // (batch, 1, query_size)
  Tensor keys;     // (batch, pairs, key_size)
  Tensor values;   // (batch, pairs, digits), one-hot
  Tensor lens;     // (batch): the first pairs count, the others are padding
  Tensor asked;    // (batch, asked), the places of the keys that the query asks for
  Tensor labels;   // (batch, pairs), the values as digits

  nn::Mask mask() const { return nn::Mask::valid_lens(lens); }
  Tensor answers() const;  // (batch, asked), digits
};

// Where keys and queries come from. Each key stands for a thing, a random direction in a
// hidden space of eight dimensions. The key is the thing under one fixed random map; a
// query is one thing or two, with noise, under another map into another size. So a model
// must learn to compare keys and queries. The things and their values are new in every
// example: none can be learnt by heart.
//
// Padding is not empty: it repeats the keys that are asked for, with wrong values. Only
// the mask tells those from the right ones.
class World {
 public:
  // Draws the maps from the default generator. A query asks for one key or two.
  explicit World(std::int64_t asked);

  std::int64_t asked() const { return asked_; }

  // New examples.
  Batch draw(std::int64_t batch, Generator& generator) const;
  // The same pairs, all of which count, in as many examples: number i asks for key i, and
  // where two are asked for also for the i-th from the end.
  Batch ask_for_each_key(Generator& generator) const;

 private:
  Batch show(const Tensor& things, const Tensor& labels, const Tensor& lens,
             const Tensor& asked, Generator& generator) const;

  std::int64_t asked_;
  Tensor key_map_, key_offset_;      // (hidden, key_size), (key_size)
  Tensor query_map_, query_offset_;  // (asked * hidden, query_size), (query_size)
};

}  // namespace heed::recall
