#include "data/data_loader.h"

#include <algorithm>
#include <tuple>

#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"

namespace heed::data {
namespace {

// As torch's random_() for int64.
std::int64_t random_int64(Generator& generator) {
  return static_cast<std::int64_t>(generator.word64() & 0x7fffffffffffffff);
}

constexpr std::size_t number_size = 8;  // bytes

void append_number(std::vector<std::uint8_t>& bytes, std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  for (std::size_t i = 0; i < number_size; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(bits >> 8 * i));
  }
}

std::int64_t number_at(std::span<const std::uint8_t> bytes, std::size_t index) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < number_size; ++i) {
    bits |= std::uint64_t{bytes[index * number_size + i]} << 8 * i;
  }
  return static_cast<std::int64_t>(bits);
}

}  // namespace

BatchSampler::BatchSampler(Size dataset_size, const DataLoaderOptions& options)
    : dataset_size_(dataset_size),
      batch_size_(options.batch_size),
      num_samples_(options.num_samples.value_or(dataset_size)),
      shuffle_(options.shuffle),
      replacement_(options.replacement),
      drop_last_(options.drop_last),
      has_generator_(options.generator.has_value()),
      generator_(options.generator.value_or(Generator())),
      sampler_(options.sampler) {
  check(batch_size_ >= 1, "DataLoader: batch_size must be at least 1, got {}",
        batch_size_);
  check(replacement_ || !options.num_samples,
        "DataLoader: num_samples needs replacement = true");
  if (sampler_) {
    check(!shuffle_ && !replacement_,
          "DataLoader: a sampler excludes shuffle and replacement");
    check(sampler_->weights.shape() == Shape{dataset_size_},
          "DataLoader: the weights of the sampler must have the shape {}, one for each "
          "example, got {}",
          Shape{dataset_size_}, sampler_->weights.shape());
    num_samples_ = sampler_->num_samples;
  }
  check(num_samples_ >= 1 && dataset_size_ >= 1,
        "DataLoader: an epoch must have at least one example, got a dataset of {} and {} "
        "samples",
        dataset_size_, num_samples_);
  const std::int64_t whole = num_samples_ / batch_size_;
  size_ = drop_last_ || num_samples_ % batch_size_ == 0 ? whole : whole + 1;
  check(size_ >= 1,
        "DataLoader: with drop_last an epoch must have at least batch_size examples, got "
        "{} and batch_size {}",
        num_samples_, batch_size_);
  position_ = size_;
}

void BatchSampler::begin_epoch() {
  ++calls_;
  if (is_restored_ && position_ < size_) {
    is_restored_ = false;
    return;
  }
  is_restored_ = false;
  if (replacement_ && !is_ended_) {
    // The last loop was left. PyTorch's RandomSampler draws this many examples at a time,
    // and those that are left at the end of an epoch at once.
    constexpr std::int64_t block = 32;
    skip(std::min((given() + block - 1) / block * block, num_samples_), generator_);
  }
  const bool is_random = shuffle_ || replacement_;
  if (has_generator_) {
    if (!replacement_) random_int64(generator_);
  } else {
    random_int64(default_generator());
    if (is_random) {
      generator_.seed(static_cast<std::uint64_t>(random_int64(default_generator())));
    }
  }
  position_ = 0;
  is_ended_ = false;
  draw_order(sampler_ && !has_generator_ ? default_generator() : generator_);
}

void BatchSampler::draw_order(Generator& source) {
  before_order_ = source;
  if (shuffle_ && !replacement_) order_ = randperm(dataset_size_, source);
  if (!sampler_) return;
  order_ = multinomial(sampler_->weights.to(float64), num_samples_, sampler_->replacement,
                       source);
}

std::optional<Tensor> BatchSampler::next() {
  ++calls_;
  is_restored_ = false;
  if (position_ == size_) {
    end_epoch(generator_);
    return std::nullopt;
  }
  const std::int64_t begin = given();
  ++position_;
  const std::int64_t end = given();
  if (replacement_) return randint(dataset_size_, {end - begin}, generator_);
  if (!shuffle_ && !sampler_) return arange(begin, end);
  if (end - begin < batch_size_) end_epoch(generator_);  // no more could be had
  return slice(order_, 0, begin, end);
}

// When PyTorch's RandomSampler is asked for more than there is, it has drawn all examples
// with replacement, or draws one order more and drops it.
void BatchSampler::end_epoch(Generator& source) {
  if (is_ended_) return;
  is_ended_ = true;
  if (replacement_) {
    skip(num_samples_, source);
  } else if (shuffle_) {
    std::ignore = randperm(dataset_size_, source);
  }
}

std::int64_t BatchSampler::given() const {
  return std::min(position_ * batch_size_, num_samples_);
}

void BatchSampler::skip(std::int64_t drawn, Generator& source) const {
  std::ignore = randint(dataset_size_, {drawn - given()}, source);
}

// The generator, then position_ and the numbers that must be equal.
std::vector<std::uint8_t> BatchSampler::state() const {
  // The order of an epoch is drawn at its start; draws with replacement are drawn batch
  // by batch.
  const bool has_order = !replacement_ && position_ < size_;
  // A state after the last batch is one of an epoch that was given whole.
  BatchSampler ended = *this;
  if (position_ == size_) ended.end_epoch(ended.generator_);
  std::vector<std::uint8_t> bytes =
      (has_order ? before_order_ : ended.generator_).get_state();
  append_number(bytes, position_);
  for (const std::int64_t number : fixed_numbers()) append_number(bytes, number);
  return bytes;
}

void BatchSampler::set_state(std::span<const std::uint8_t> state) {
  constexpr std::array names = {"the size of the dataset",
                                "batch_size",
                                "shuffle (2: a sampler)",
                                "replacement",
                                "drop_last",
                                "having a generator"};
  const auto fixed = fixed_numbers();
  static_assert(names.size() == fixed.size());
  constexpr std::size_t tail = (1 + names.size()) * number_size;
  check(state.size() >= tail, "DataLoader: a state must have at least {} bytes, got {}",
        tail, state.size());
  const auto numbers = state.last(tail);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::int64_t theirs = number_at(numbers, 1 + i);
    check(theirs == fixed[i], "DataLoader: {} must be that of the state, {}, got {}",
          names[i], theirs, fixed[i]);
  }
  const std::int64_t position = number_at(numbers, 0);
  check(position >= 0 && (position <= size_ || replacement_),
        "DataLoader: a state must be at one of {} batches, got {}", size_, position);
  Generator generator;
  generator.set_state(state.first(state.size() - tail));
  generator_ = generator;
  position_ = std::min(position, size_);
  is_ended_ = position_ == size_;
  if (position_ < size_) draw_order(generator_);
  is_restored_ = true;
}

std::array<std::int64_t, 6> BatchSampler::fixed_numbers() const {
  return {dataset_size_, batch_size_, sampler_ ? 2 : shuffle_,
          replacement_,  drop_last_,  has_generator_};
}

}  // namespace heed::data
