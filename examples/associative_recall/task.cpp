#include "examples/associative_recall/task.h"

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tensor/indexing/joining.h"
#include "tensor/product/matmul.h"
#include "tensor/reduce/reductions.h"
#include "tensor/reduce/sorting.h"

namespace heed::recall {
namespace {

constexpr std::int64_t hidden = 8;
constexpr double noise = 0.1;  // in each dimension of a direction

// Of the maps; their offsets have the scale 1. Additive attention needs offsets: it has
// no biases, so without offsets a score would change its sign with query and key, and of
// two opposite queries one would get a low score for its own key. With a larger scale,
// several heads more often learn to look for the same one of two things.
constexpr double map_scale = 0.5;

// Directions: (batch, pairs, hidden).
Tensor draw_things(std::int64_t batch, Generator& generator) {
  const Tensor x = randn({batch, pairs, hidden}, float32, generator);
  return x / norm(x, {-1}, true);
}

// Digits, none twice in an example: (batch, pairs).
Tensor draw_labels(std::int64_t batch, Generator& generator) {
  static_assert(pairs == digits);
  return argsort(rand({batch, digits}, float32, generator), 1);
}

}  // namespace

Tensor Batch::answers() const { return gather(labels, 1, asked); }

World::World(std::int64_t asked)
    : asked_(asked),
      key_map_(map_scale * randn({hidden, key_size})),
      key_offset_(randn({key_size})),
      query_map_(map_scale * randn({asked * hidden, query_size})),
      query_offset_(randn({query_size})) {}

Batch World::draw(std::int64_t batch, Generator& generator) const {
  const Tensor lens = randint(fewest_pairs, pairs + 1, {batch}, generator);
  // The places that count in random order, then those of the padding.
  const Tensor places =
      argsort(nn::sequence_mask(rand({batch, pairs}, float32, generator), lens, 2), 1);
  const Tensor things = draw_things(batch, generator);
  const Tensor labels = draw_labels(batch, generator);
  return show(things, labels, lens, slice(places, 1, 0, asked_), generator);
}

Batch World::ask_for_each_key(Generator& generator) const {
  const Tensor forth = arange(pairs), back = pairs - 1 - forth;       // (pairs)
  const Tensor asked = slice(stack({forth, back}, 1), 1, 0, asked_);  // (pairs, asked)
  const Tensor things = expand(draw_things(1, generator), {pairs, -1, -1});
  const Tensor labels = expand(draw_labels(1, generator), {pairs, -1});
  return show(things, labels, full({pairs}, pairs, int64), asked, generator);
}

Batch World::show(const Tensor& things, const Tensor& labels, const Tensor& lens,
                  const Tensor& asked, Generator& generator) const {
  const std::int64_t batch = lens.size(0);
  const auto things_at = [&](const Tensor& places) {  // (batch, n) -> (batch, n, hidden)
    return gather(things, 1, expand(unsqueeze(places, 2), {-1, -1, hidden}));
  };
  const Tensor blurred =
      things_at(asked) + noise * randn({batch, asked_, hidden}, float32, generator);
  const Tensor place = arange(pairs);  // (pairs)
  const Tensor shown = where(place < unsqueeze(lens, 1), place,
                             repeat(asked, {1, pairs / asked_}));  // (batch, pairs)
  const Tensor one_hot = index_select(eye(digits), 0, flatten(labels));
  return {.queries = matmul(reshape(blurred, {batch, 1, -1}), query_map_) + query_offset_,
          .keys = matmul(things_at(shown), key_map_) + key_offset_,
          .values = reshape(one_hot, {batch, pairs, digits}),
          .lens = lens,
          .asked = asked,
          .labels = labels};
}

}  // namespace heed::recall
