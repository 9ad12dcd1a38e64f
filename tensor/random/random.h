// Random numbers: PyTorch's CPU streams, bit for bit.
//
// A seed and the same calls in the same order give the numbers that PyTorch 1.13 gives on
// a processor with AVX2, on every machine. (float64 normals and exponential_ pass through
// the log, sin and cos of the C library; where the two share it they agree there too.)
// Newer versions of PyTorch draw two words instead of one for whole numbers out of 2^28
// to 2^32 - 1, and for permutations of more than 2 10^8 elements.
// Elements are drawn in the order in which they lie in memory, the largest stride
// outermost. Every function takes the generator to draw from as its last argument.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed {

// The source of random numbers: the 32-bit Mersenne Twister of Matsumoto and Nishimura
// (1998), and the second normal of the last pair, which waits for the next call. Two
// generators of one seed give the same numbers as each other and as torch.Generator of
// that seed. One thread at a time may draw from a generator.
class Generator {
 public:
  static constexpr std::uint64_t default_seed = 67280421310721;

  explicit Generator(std::uint64_t seed = default_seed) { this->seed(seed); }

  // Starts anew. Only the low 32 bits reach the twister, as in PyTorch.
  void seed(std::uint64_t seed);
  // The same, by the name that it has in PyTorch.
  Generator& manual_seed(std::uint64_t seed) {
    this->seed(seed);
    return *this;
  }

  // The seed with which it was last started; set_state() leaves it.
  std::uint64_t initial_seed() const { return initial_seed_; }

  // The next word of the twister.
  std::uint32_t word32() {
    if (position_ == twister_size) refill();
    return tempered(twister_[position_++]);
  }
  // The next words, as many as `to` takes: the same as one by one, but faster.
  void words32(std::span<std::uint32_t> to);
  // Two words, the first in the high half.
  std::uint64_t word64() {
    const std::uint64_t high = word32();
    return high << 32 | word32();
  }
  // Uniform in [0, 1): the low bits of a word, or of two, as many as T holds; T is float
  // or double.
  template <class T>
  T uniform() {
    if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(word32() & 0xffffff) * 0x1p-24f;
    } else {
      return static_cast<double>(word64() & 0x1fffffffffffff) * 0x1p-53;
    }
  }
  // A standard normal. They come in pairs; the second one is kept for the next call.
  double normal();

  // Everything that the next numbers depend on, as bytes that mean the same everywhere.
  std::vector<std::uint8_t> get_state() const;
  // Continues from what get_state() returned. Throws Error for bytes that it cannot
  // return.
  void set_state(std::span<const std::uint8_t> state);

 private:
  static constexpr std::uint32_t twister_size = 624;

  static std::uint32_t tempered(std::uint32_t word) {
    word ^= word >> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return word ^ (word >> 18);
  }
  void refill();

  std::array<std::uint32_t, twister_size> twister_;
  std::uint32_t position_;  // of the next word
  std::uint64_t initial_seed_;
  std::optional<double> cached_normal_;
};

// The generator that the functions below use when they are given none.
Generator& default_generator();
// Starts the default generator from `seed`; -1 means 2^64 - 1, as in PyTorch.
void manual_seed(std::uint64_t seed);
// The seed with which the default generator was last started.
inline std::uint64_t initial_seed() { return default_generator().initial_seed(); }
// A copy of the default generator, and the way back to it.
inline Generator get_rng_state() { return default_generator(); }
inline void set_rng_state(const Generator& state) { default_generator() = state; }

// --- new tensors. A dtype must be floating where one can be given.

// Uniform in [0, 1).
Tensor rand(const Shape& shape, DType dtype = float32,
            Generator& generator = default_generator());
inline Tensor rand(const Shape& shape, Generator& generator) {
  return rand(shape, float32, generator);
}
// Normal with mean 0 and standard deviation 1.
Tensor randn(const Shape& shape, DType dtype = float32,
             Generator& generator = default_generator());
inline Tensor randn(const Shape& shape, Generator& generator) {
  return randn(shape, float32, generator);
}
// As rand and randn, with the shape, the dtype and the order of the strides of x. Throw
// Error unless x, or the dtype that is given, is floating.
Tensor rand_like(const Tensor& x, Generator& generator = default_generator());
Tensor randn_like(const Tensor& x, Generator& generator = default_generator());
Tensor rand_like(const Tensor& x, DType dtype,
                 Generator& generator = default_generator());
Tensor randn_like(const Tensor& x, DType dtype,
                  Generator& generator = default_generator());

// Normal with mean `mean` and standard deviation `std`. Tensors give each element its own
// and broadcast; they must have one dtype, which the result takes. Throw Error when a std
// is negative or NaN, `mean` as a number is NaN, or the shapes do not broadcast.
Tensor normal(double mean, double std, const Shape& shape, DType dtype = float32,
              Generator& generator = default_generator());
Tensor normal(const Tensor& mean, const Tensor& std,
              Generator& generator = default_generator());
Tensor normal(const Tensor& mean, double std, Generator& generator = default_generator());
Tensor normal(double mean, const Tensor& std, Generator& generator = default_generator());

// Whole numbers from low to high - 1, equally likely; int64. Throws Error unless
// low < high.
Tensor randint(Integer low, Integer high, const Shape& shape,
               Generator& generator = default_generator());
// As randint(0, high, shape).
Tensor randint(Integer high, const Shape& shape,
               Generator& generator = default_generator());
// 0, 1, ..., n - 1 in random order; int64. Throws Error for a negative n.
Tensor randperm(Size n, Generator& generator = default_generator());

// 1 with the probability that p holds for the element, otherwise 0; of p's shape and
// dtype. Throws Error unless p is floating and every element from 0 to 1.
Tensor bernoulli(const Tensor& p, Generator& generator = default_generator());

// For each row of p (rows, n), or for p (n), `samples` numbers from 0 to n - 1; int64
// (rows, samples) or (samples). A number's probability is its share of the row's sum.
// Without replacement the numbers of a row are different, and the shares of every further
// one are those of what is left. Throws Error unless p is floating, its elements are
// finite and not negative, each row has an element above 0, without replacement
// `samples` of them, and samples is at least 1.
Tensor multinomial(const Tensor& p, Size samples, bool replacement = false,
                   Generator& generator = default_generator());

// The draws of bernoulli_ on a contiguous tensor of shape (..., n), as bits: int64 words
// (..., ceil(n / 64)), element j of a row the bit j % 64 of its word j / 64, and 0 beyond
// the row. A 32nd of the memory. Throws Error unless 0 <= p <= 1 and the shape has a
// dimension and no negative size.
Tensor bernoulli_bits(const Shape& shape, double p,
                      Generator& generator = default_generator());
// The bits of bernoulli_bits as zeros and ones (..., n) of a dtype. Throws Error unless
// bits are int64 (..., ceil(n / 64)).
Tensor unpack_bits(const Tensor& bits, Size n, DType dtype);

// --- in place. They return x, and throw Error when elements of x share memory, as those
// of an expanded tensor do.

// Uniform in [low, high). Throws Error unless x is floating, low <= high, and both and
// their distance fit its dtype.
Tensor& uniform_(Tensor& x, double low = 0, double high = 1,
                 Generator& generator = default_generator());
// Normal. Throws Error unless x is floating, std >= 0 and mean is a number.
Tensor& normal_(Tensor& x, double mean = 0, double std = 1,
                Generator& generator = default_generator());
// Exponential with density lambda exp(-lambda x). Throws Error unless x is floating and
// lambda > 0.
Tensor& exponential_(Tensor& x, double lambda = 1,
                     Generator& generator = default_generator());
// 1 with probability p, otherwise 0; any dtype. Throws Error unless 0 <= p <= 1.
Tensor& bernoulli_(Tensor& x, double p, Generator& generator = default_generator());
// 1 with the probability that p, floating and broadcast to x, holds for the element.
// Throws Error unless every element is from 0 to 1 and p broadcasts to x's shape.
Tensor& bernoulli_(Tensor& x, const Tensor& p,
                   Generator& generator = default_generator());
// Whole numbers from 0 to the largest up to which the dtype holds every one: 2^63 - 1 for
// int64, 2^24 and 2^53 for float32 and float64, 1 for bool.
Tensor& random_(Tensor& x, Generator& generator = default_generator());
// Whole numbers from low to high - 1. Throws Error unless low < high and the dtype holds
// every whole number between.
Tensor& random_(Tensor& x, Integer low, Integer high,
                Generator& generator = default_generator());

}  // namespace heed
