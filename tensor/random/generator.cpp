#include "tensor/random/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace heed {
namespace {

// One word of the twister's next 624 from its upper and lower neighbour and the word 397
// further on.
std::uint32_t twist(std::uint32_t upper, std::uint32_t lower, std::uint32_t far) {
  const std::uint32_t joined = (upper & 0x80000000) | (lower & 0x7fffffff);
  return far ^ (joined >> 1) ^ (-(joined & 1) & 0x9908b0df);
}

template <class T>
void append(std::vector<std::uint8_t>& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

template <class T>
T take(std::span<const std::uint8_t>& bytes) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
  }
  bytes = bytes.subspan(sizeof(T));
  return value;
}

}  // namespace

void Generator::seed(std::uint64_t seed) {
  twister_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < twister_size; ++i) {
    const std::uint32_t before = twister_[i - 1];
    twister_[i] = 1812433253 * (before ^ (before >> 30)) + i;
  }
  position_ = twister_size;
  initial_seed_ = seed;
  cached_normal_.reset();
}

void Generator::refill() {
  constexpr int size = twister_size, far = 397;
  auto& word = twister_;
  for (int i = 0; i < size - far; ++i) {
    word[i] = twist(word[i], word[i + 1], word[i + far]);
  }
  for (int i = size - far; i < size - 1; ++i) {
    word[i] = twist(word[i], word[i + 1], word[i + far - size]);
  }
  word[size - 1] = twist(word[size - 1], word[0], word[far - 1]);
  position_ = 0;
}

void Generator::words32(std::span<std::uint32_t> to) {
  while (!to.empty()) {
    if (position_ == twister_size) refill();
    const std::size_t count = std::min<std::size_t>(to.size(), twister_size - position_);
    for (std::size_t i = 0; i < count; ++i) to[i] = tempered(twister_[position_ + i]);
    position_ += static_cast<std::uint32_t>(count);
    to = to.subspan(count);
  }
}

double Generator::normal() {
  if (cached_normal_) {
    const double value = *cached_normal_;
    cached_normal_.reset();
    return value;
  }
  // The transform of Box and Muller (1958).
  const double u1 = uniform<double>();
  const double u2 = uniform<double>();
  const double radius = std::sqrt(-2 * std::log(1 - u2));
  const double angle = 2 * std::numbers::pi * u1;
  cached_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

// Little-endian: the words, the position, whether a normal is kept (0 or 1), its bits.
std::vector<std::uint8_t> Generator::get_state() const {
  std::vector<std::uint8_t> bytes;
  for (std::uint32_t word : twister_) append(bytes, word);
  append(bytes, position_);
  append(bytes, static_cast<std::uint8_t>(cached_normal_.has_value()));
  append(bytes, std::bit_cast<std::uint64_t>(cached_normal_.value_or(0)));
  return bytes;
}

void Generator::set_state(std::span<const std::uint8_t> state) {
  constexpr std::size_t size = 4 * twister_size + 4 + 1 + 8;
  check(state.size() == size, "set_state: the state must have {} bytes, got {}", size,
        state.size());
  Generator next(initial_seed_);
  for (std::uint32_t& word : next.twister_) word = take<std::uint32_t>(state);
  next.position_ = take<std::uint32_t>(state);
  const auto has_normal = take<std::uint8_t>(state);
  const auto cached = std::bit_cast<double>(take<std::uint64_t>(state));
  check(next.position_ <= twister_size,
        "set_state: the position must be from 0 to {}, got {}",
        std::uint32_t{twister_size}, next.position_);
  check(has_normal <= 1, "set_state: the mark of a kept normal must be 0 or 1, got {}",
        has_normal);
  if (has_normal) next.cached_normal_ = cached;
  *this = next;
}

Generator& default_generator() {
  static Generator generator;
  return generator;
}

void manual_seed(std::uint64_t seed) { default_generator().seed(seed); }

}  // namespace heed
