// Batches of a dataset, in its order or shuffled: torch.utils.data.DataLoader, with the
// same batches for the same seed.
//
//   data::TensorDataset pairs(x, y);
//   data::DataLoader loader(pairs, {.batch_size = 32, .shuffle = true});
//   for (int epoch = 0; epoch < 10; ++epoch) {
//     for (auto [inputs, labels] : loader) { ... }  // each example once
//   }
//
// A training that was interrupted goes on where it was: keep state(), after any batch,
// and give it to set_state() of a new loader of the same dataset and options.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/dataset.h"
#include "tensor/core/shape.h"
#include "tensor/random/random.h"

namespace heed::data {

// Draws num_samples examples an epoch, the probability of each its share of the weights:
// torch.utils.data.WeightedRandomSampler.
struct WeightedRandomSampler {
  Tensor weights;  // (n), one for each example, of any dtype
  Size num_samples;
  bool replacement;

  WeightedRandomSampler(Tensor weights, Size num_samples, bool replacement = true)
      : weights(std::move(weights)), num_samples(num_samples), replacement(replacement) {}
};

struct DataLoaderOptions {
  Size batch_size = 1;
  bool shuffle = false;      // another random order in each epoch
  bool drop_last = false;    // leave out a last batch with fewer examples
  bool replacement = false;  // draw each example anew: some come twice, some never
  // How many examples an epoch draws with replacement; the size of the dataset if none.
  std::optional<Size> num_samples = std::nullopt;
  // In place of shuffle, replacement and num_samples.
  std::optional<WeightedRandomSampler> sampler = std::nullopt;
  // Where the order comes from: the loader takes a copy. Without one it comes from
  // default_generator().
  std::optional<Generator> generator = std::nullopt;
};

// Which examples the batches have. An epoch is one pass: each example once, or
// num_samples draws.
class BatchSampler {
 public:
  // Throws Error for a batch_size or num_samples below 1, num_samples without
  // replacement, a sampler beside options that it replaces or with another number of
  // weights than the dataset has examples, and when an epoch has no batch.
  BatchSampler(Size dataset_size, const DataLoaderOptions& options);

  std::int64_t size() const { return size_; }  // batches of an epoch

  // Begins an epoch, unless set_state() has just gone back into one. Draws what PyTorch
  // draws: an int64 (in PyTorch the seed of its workers), then the order, from the
  // option's generator; without one, the int64 and a seed for the order from
  // default_generator(). With replacement the option's generator draws the indices alone,
  // as a RandomSampler's does. A sampler draws after the int64, from the same generator,
  // as PyTorch's does if it is given the loader's; throws Error as multinomial() does.
  void begin_epoch();
  // How often an epoch was begun or the next batch asked for so far.
  std::int64_t calls() const { return calls_; }
  // The indices of the next batch, int64 (batch); none when the epoch ends.
  std::optional<Tensor> next();

  std::vector<std::uint8_t> state() const;
  void set_state(std::span<const std::uint8_t> state);

 private:
  void draw_order(Generator& source);
  void end_epoch(Generator& source);
  std::int64_t given() const;  // examples of this epoch so far
  // Draws on, so that `drawn` examples of this epoch are.
  void skip(std::int64_t drawn, Generator& source) const;
  // What a state and the loader that takes it must have in common.
  std::array<std::int64_t, 6> fixed_numbers() const;

  std::int64_t dataset_size_, batch_size_, num_samples_, size_;
  bool shuffle_, replacement_, drop_last_, has_generator_, is_restored_ = false;
  Generator generator_, before_order_;  // the second draws the order of this epoch again
  std::optional<WeightedRandomSampler> sampler_;
  Tensor order_;           // of this epoch, if it is drawn at its start
  std::int64_t position_;  // batches given in this epoch; size_ before the first
  bool is_ended_ = true;   // whether more was asked for than this epoch has
  std::int64_t calls_ = 0;
};

template <Dataset D>
class DataLoader {
 public:
  using Batch = decltype(std::declval<const D&>()[std::declval<const Tensor&>()]);

  // Throws Error as BatchSampler does.
  explicit DataLoader(D dataset, const DataLoaderOptions& options = {})
      : dataset_(std::move(dataset)), sampler_(dataset_.size(), options) {}

  std::int64_t size() const { return sampler_.size(); }  // batches of an epoch
  const D& dataset() const& { return dataset_; }
  // Of a temporary by value, so that it outlives the loader.
  D dataset() && { return std::move(dataset_); }

  // The next batch, in a new epoch when one has ended: for a training that counts steps.
  // A loop over the loader that is under way throws Error when it goes on after it.
  Batch next() {
    std::optional<Tensor> indices = sampler_.next();
    if (!indices) {
      sampler_.begin_epoch();
      indices = sampler_.next();
    }
    return dataset_[*indices];
  }

  // One epoch; after set_state(), what remains of the one that was interrupted.
  class Iterator {
   public:
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(DataLoader& loader)
        : loader_(&loader), calls_(loader.sampler_.calls()) {
      ++*this;
    }
    const Batch& operator*() const { return *batch_; }
    // Throws Error when the loader has begun another epoch, or given another batch,
    // since.
    Iterator& operator++() {
      check(calls_ == loader_->sampler_.calls(),
            "DataLoader: inside a loop over a loader another loop over it was begun, or "
            "next() called; use a loader for each");
      const std::optional<Tensor> indices = loader_->sampler_.next();
      calls_ = loader_->sampler_.calls();
      batch_.reset();
      if (indices) batch_.emplace(loader_->dataset_[*indices]);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !batch_; }

   private:
    DataLoader* loader_;
    std::int64_t calls_;
    std::optional<Batch> batch_;
  };
  Iterator begin() {
    sampler_.begin_epoch();
    return Iterator(*this);
  }
  std::default_sentinel_t end() const { return {}; }

  // What the next batches depend on, except default_generator(), as bytes that mean the
  // same everywhere.
  std::vector<std::uint8_t> state() const { return sampler_.state(); }
  // Goes on after the batch at which state() was called, in the same epoch. Throws Error,
  // and changes nothing, for bytes that state() cannot return, or that a loader of
  // another dataset size or other options has returned; num_samples may be another
  // number.
  void set_state(std::span<const std::uint8_t> state) { sampler_.set_state(state); }

 private:
  D dataset_;
  BatchSampler sampler_;
};

}  // namespace heed::data
