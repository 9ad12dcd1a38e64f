#include "tensor/random/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "tensor/core/factories.h"
#include "tensor/core/memory_order.h"
#include "tensor/core/parallel.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/comparing.h"
#include "tensor/reduce/reductions.h"
#include "tensor/reduce/sorting.h"

namespace heed {
namespace {

// PyTorch draws from a range below 2^32 with one word, from others with two.
std::int64_t draw_integer(Generator& generator, std::int64_t low, std::uint64_t range) {
  const bool narrow = range <= std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t word = narrow ? generator.word32() : generator.word64();
  // In unsigned arithmetic, which wraps around where low is far below zero.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + word % range);
}

std::uint64_t distance(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

// The largest whole number up to which T holds every one.
template <class T>
constexpr std::int64_t largest_whole() {
  if constexpr (std::is_floating_point_v<T>) {
    return std::int64_t{1} << std::numeric_limits<T>::digits;
  } else {
    return std::numeric_limits<T>::max();
  }
}

void check_probabilities(std::string_view op, const Tensor& p) {
  dispatch_floating(op, p.dtype(), [&]<class T>() {
    const Tensor dense = p.contiguous();
    const T* const values = dense.data<T>();
    for (std::int64_t i = 0; i < p.numel(); ++i) {
      check(0 <= values[i] && values[i] <= 1, "{}: p must be from 0 to 1, got {}", op,
            values[i]);
    }
  });
}

void fill_bernoulli(Tensor& x, const Tensor& p, Generator& generator) {
  if (x.numel() == 0) return;
  const Dims order = memory_order(x.shape(), x.strides());
  const Tensor to = permute(x, order), from = permute(expand(p, x.shape()), order);
  const TensorIterator<2> iterator(to.shape(), {&to.strides(), &from.strides()});
  const auto step = iterator.inner_strides();
  dispatch(x.dtype(), [&]<class X>() {
    dispatch_floating("bernoulli_", p.dtype(), [&]<class P>() {
      X* const out = x.mutable_data<X>();
      const P* const chance = from.data<P>();
      iterator.run_in_sequence([&](std::int64_t n, const auto& at) {
        for (std::int64_t i = 0; i < n; ++i) {
          const P bound = chance[at[1] + i * step[1]];
          out[at[0] + i * step[0]] = static_cast<X>(generator.uniform<P>() < bound);
        }
      });
    });
  });
}

}  // namespace

Tensor rand(const Shape& shape, DType dtype, Generator& generator) {
  Tensor x = empty(shape, dtype);
  dispatch_floating("rand", dtype, [&]<class T>() {
    generate_in_memory_order<T>(x, [&] { return generator.uniform<T>(); });
  });
  return x;
}

Tensor rand_like(const Tensor& x, Generator& generator) {
  return rand_like(x, x.dtype(), generator);
}

Tensor rand_like(const Tensor& x, DType dtype, Generator& generator) {
  Tensor result = empty_like(x, dtype);
  dispatch_floating("rand_like", dtype, [&]<class T>() {
    generate_in_memory_order<T>(result, [&] { return generator.uniform<T>(); });
  });
  return result;
}

Tensor randint(Integer low, Integer high, const Shape& shape, Generator& generator) {
  check(low < high, "randint: low must be below high, got {} and {}", low, high);
  Tensor x = empty(shape, int64);
  return random_(x, low, high, generator);
}

Tensor randint(Integer high, const Shape& shape, Generator& generator) {
  return randint(0, high, shape, generator);
}

Tensor randperm(Size n, Generator& generator) {
  check(n >= 0, "randperm: n must not be negative, got {}", n);
  Tensor result = empty({n}, int64);
  auto* const order = result.mutable_data<std::int64_t>();
  std::iota(order, order + n, std::int64_t{0});
  // The shuffle of Fisher and Yates.
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    std::swap(order[i], order[i + generator.word32() % (n - i)]);
  }
  return result;
}

namespace {

// The number of the first sum of shares, in the dtype of p, that is not below a uniform
// number: PyTorch's way, and its numbers.
Tensor drawn_with_replacement(const Tensor& p, Size samples, Generator& generator) {
  Shape shape = p.shape();
  const std::int64_t n = shape[shape.rank() - 1];
  shape[shape.rank() - 1] = samples;
  Tensor out = empty(shape, int64);
  std::int64_t* number = out.mutable_data<std::int64_t>();
  const Tensor dense = p.contiguous();
  dispatch_floating("multinomial", p.dtype(), [&]<class T>() {
    const T* row = dense.data<T>();
    std::vector<T> sums(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < count(without_last(shape, 1)); ++i, row += n) {
      std::partial_sum(row, row + n, sums.begin());
      const T total = sums.back();
      for (T& sum : sums) sum /= total;
      for (std::int64_t j = 0; j < samples; ++j) {
        const auto at =
            std::lower_bound(sums.begin(), sums.end(), generator.uniform<double>());
        *number++ = at - sums.begin();
      }
    }
  });
  return out;
}

}  // namespace

Tensor multinomial(const Tensor& p, Size samples, bool replacement,
                   Generator& generator) {
  check_floating("multinomial", p.dtype());
  check(p.dim() == 1 || p.dim() == 2, "multinomial: p must be (n) or (rows, n), got {}",
        p.shape());
  check(samples >= 1, "multinomial: samples must be at least 1, got {}", samples);
  check(all(isfinite(p)).item() && all(p >= 0).item(),
        "multinomial: the elements of p must be finite and not negative, got {}", p);
  const std::int64_t least = replacement ? 1 : std::int64_t{samples};
  check(least <= p.size(-1) && all(sum((p > 0).to(int64), -1) >= least).item(),
        "multinomial: each row of p must have {} elements above 0{}, got {}", least,
        replacement ? "" : ", to be drawn without replacement", p);
  if (replacement && samples > 1) return drawn_with_replacement(p, samples, generator);
  // The largest p / e win, for e drawn from the exponential distribution: PyTorch's way,
  // and its numbers, drawn in the order of p in memory.
  Tensor race = empty_like(p);
  exponential_(race, 1, generator);
  if (samples == 1) return argmax(p / race, -1, true);
  return topk(p / race, samples).indices;
}

Tensor bernoulli(const Tensor& p, Generator& generator) {
  check_probabilities("bernoulli", p);
  Tensor x = empty(p.shape(), p.dtype());
  fill_bernoulli(x, p, generator);
  return x;
}

Tensor bernoulli_bits(const Shape& shape, double p, Generator& generator) {
  check(0 <= p && p <= 1, "bernoulli_bits: p must be from 0 to 1, got {}", p);
  check(shape.rank() >= 1, "bernoulli_bits: the shape must have a dimension, got {}",
        shape);
  count(shape);  // throws for a negative size
  const std::int64_t n = shape[shape.rank() - 1];
  Shape packed = shape;
  packed[shape.rank() - 1] = ceil_div(n, 64);
  Tensor bits = empty(packed, int64);
  if (bits.numel() == 0) return bits;
  std::int64_t* word = bits.mutable_data<std::int64_t>();
  // uniform<double>() < p, in whole numbers: u 2^-53 < p where u < p 2^53.
  const auto bound = static_cast<std::uint64_t>(std::ceil(std::ldexp(p, 53)));
  for (std::int64_t row = 0; row < count(without_last(shape, 1)); ++row) {
    for (std::int64_t first = 0; first < n; first += 64, ++word) {
      const auto here = static_cast<std::size_t>(std::min<std::int64_t>(64, n - first));
      std::array<std::uint32_t, 128> words;  // two an element, the high one first
      generator.words32(std::span(words).first(2 * here));
      std::uint64_t drawn = 0;
      for (std::size_t j = 0; j < here; ++j) {
        const std::uint64_t u =
            std::uint64_t{words[2 * j] & 0x1fffff} << 32 | words[2 * j + 1];
        drawn |= std::uint64_t{u < bound} << j;
      }
      *word = static_cast<std::int64_t>(drawn);
    }
  }
  return bits;
}

Tensor unpack_bits(const Tensor& bits, Size n, DType dtype) {
  check(bits.dtype() == int64 && bits.dim() >= 1 && bits.size(-1) == ceil_div(n, 64),
        "unpack_bits: for rows of {} the bits must be int64 (..., {}), got {} {}", n,
        ceil_div(n, 64), name(bits.dtype()), bits.shape());
  Shape shape = bits.shape();
  shape[shape.rank() - 1] = n;
  const Tensor dense = bits.contiguous();
  Tensor x = empty(shape, dtype);
  dispatch(dtype, [&]<class T>() {
    const std::int64_t* word = dense.data<std::int64_t>();
    T* out = x.mutable_data<T>();
    for (std::int64_t row = 0; row < count(without_last(shape, 1)); ++row, out += n) {
      for (std::int64_t j = 0; j < n; ++j) {
        out[j] = static_cast<T>(word[j / 64] >> (j % 64) & 1);
      }
      word += ceil_div(n, 64);
    }
  });
  return x;
}

Tensor& Tensor::uniform_(double low, double high) {
  return heed::uniform_(*this, low, high);
}
Tensor& Tensor::normal_(double mean, double std) {
  return heed::normal_(*this, mean, std);
}
Tensor& Tensor::exponential_(double lambda) { return heed::exponential_(*this, lambda); }

Tensor& uniform_(Tensor& x, double low, double high, Generator& generator) {
  check(low <= high, "uniform_: low must not be above high, got {} and {}", low, high);
  check_distinct("uniform_", x);
  dispatch_floating("uniform_", x.dtype(), [&]<class T>() {
    const T from = static_cast<T>(low);
    const T range = static_cast<T>(high) - from;
    check(std::isfinite(from) && std::isfinite(range),
          "uniform_: low, high and their distance must fit {}, got {} and {}",
          name(x.dtype()), low, high);
    generate_in_memory_order<T>(
        x, [&] { return std::fma(generator.uniform<T>(), range, from); });
  });
  return x;
}

Tensor& exponential_(Tensor& x, double lambda, Generator& generator) {
  check(lambda > 0, "exponential_: lambda must be above 0, got {}", lambda);
  check_distinct("exponential_", x);
  dispatch_floating("exponential_", x.dtype(), [&]<class T>() {
    generate_in_memory_order<T>(x, [&] {
      return static_cast<T>(-1 / lambda * std::log(1 - generator.uniform<double>()));
    });
  });
  return x;
}

Tensor& bernoulli_(Tensor& x, double p, Generator& generator) {
  check(0 <= p && p <= 1, "bernoulli_: p must be from 0 to 1, got {}", p);
  check_distinct("bernoulli_", x);
  dispatch(x.dtype(), [&]<class T>() {
    generate_in_memory_order<T>(
        x, [&] { return static_cast<T>(generator.uniform<double>() < p); });
  });
  return x;
}

Tensor& bernoulli_(Tensor& x, const Tensor& p, Generator& generator) {
  check_probabilities("bernoulli_", p);
  check_distinct("bernoulli_", x);
  check(broadcasts_to(p.shape(), x.shape()),
        "bernoulli_: p must broadcast to the target, got {} and {}", p.shape(),
        x.shape());
  // Writing x must not change the probabilities that are yet to be read.
  fill_bernoulli(x, p.storage() == x.storage() ? p.clone() : p, generator);
  return x;
}

Tensor& random_(Tensor& x, Generator& generator) {
  check_distinct("random_", x);
  dispatch(x.dtype(), [&]<class T>() {
    constexpr std::uint64_t range = static_cast<std::uint64_t>(largest_whole<T>()) + 1;
    generate_in_memory_order<T>(
        x, [&] { return static_cast<T>(draw_integer(generator, 0, range)); });
  });
  return x;
}

Tensor& random_(Tensor& x, Integer low, Integer high, Generator& generator) {
  check(low < high, "random_: low must be below high, got {} and {}", low, high);
  check_distinct("random_", x);
  dispatch(x.dtype(), [&]<class T>() {
    constexpr std::int64_t most = largest_whole<T>();
    constexpr std::int64_t least = std::is_same_v<T, bool>           ? 0
                                   : std::is_same_v<T, std::int64_t> ? INT64_MIN
                                                                     : -most;
    check(least <= low && high - 1 <= most,
          "random_: a {} tensor holds the whole numbers from {} to {}, got {} and {}",
          name(x.dtype()), std::int64_t{least}, std::int64_t{most}, low, high);
    const std::uint64_t range = distance(low, high);
    generate_in_memory_order<T>(
        x, [&] { return static_cast<T>(draw_integer(generator, low, range)); });
  });
  return x;
}

}  // namespace heed
