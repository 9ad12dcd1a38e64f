#include "tensor/random/random.h"

#include <cmath>
#include <numbers>

#include "tensor/core/factories.h"
#include "tensor/core/memory_order.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/kernels/level.h"
#include "tensor/random/normal_kernels.h"

namespace heed {
namespace {

constexpr int block_size = kernels::normal_block;

void transform_blocks(std::int64_t blocks, float* d, float mean, float std) {
  kernels::get<kernels::NormalKernels>().transform(blocks, d, mean, std);
}

void transform_blocks(std::int64_t blocks, double* d, double mean, double std) {
  constexpr int half = block_size / 2;
  for (std::int64_t i = 0; i < blocks; ++i, d += block_size) {
    for (int j = 0; j < half; ++j) {
      const double radius = std::sqrt(-2 * std::log(1 - d[j]));
      const double angle = 2 * std::numbers::pi * d[j + half];
      d[j] = std::fma(radius * std::cos(angle), std, mean);
      d[j + half] = std::fma(radius * std::sin(angle), std, mean);
    }
  }
}

// n >= 16 elements that lie one after the other. All uniforms are drawn before the first
// block is transformed; unless n is a multiple of 16 the last 16 are drawn again.
template <class T>
void fill_blocks(T* out, std::int64_t n, T mean, T std, Generator& generator) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = generator.uniform<T>();
  transform_blocks(n / block_size, out, mean, std);
  if (n % block_size != 0) {
    T* const last = out + n - block_size;
    for (int i = 0; i < block_size; ++i) last[i] = generator.uniform<T>();
    transform_blocks(1, last, mean, std);
  }
}

void fill_normal(std::string_view op, Tensor& x, double mean, double std,
                 Generator& generator) {
  check(std >= 0, "{}: std must be at least 0, got {}", op, std);
  check(!std::isnan(mean), "{}: mean must be a number, got {}", op, mean);
  check_distinct(op, x);
  dispatch_floating(op, x.dtype(), [&]<class T>() {
    if (x.numel() >= block_size && x.is_contiguous()) {
      fill_blocks(x.mutable_data<T>(), x.numel(), static_cast<T>(mean),
                  static_cast<T>(std), generator);
    } else {
      generate_in_memory_order<T>(
          x, [&] { return static_cast<T>(std::fma(generator.normal(), std, mean)); });
    }
  });
}

// x * std + mean, rounded after each of the two; all have one shape.
void scale_and_shift(Tensor& x, const Tensor& mean, const Tensor& std) {
  if (x.numel() == 0) return;
  const TensorIterator<3> iterator(x.shape(),
                                   {&x.strides(), &mean.strides(), &std.strides()});
  dispatch_floating("normal", x.dtype(), [&]<class T>() {
    T* const out = x.mutable_data<T>();
    const T* const shift = mean.data<T>();
    const T* const scale = std.data<T>();
    const auto step = iterator.inner_strides();
    iterator.run([&](std::int64_t n, const auto& at) {
      for (std::int64_t i = 0; i < n; ++i) {
        T& value = out[at[0] + i * step[0]];
        value = value * scale[at[2] + i * step[2]] + shift[at[1] + i * step[1]];
      }
    });
  });
}

void check_deviations(const Tensor& std) {
  dispatch_floating("normal", std.dtype(), [&]<class T>() {
    const Tensor dense = std.contiguous();
    const T* const values = dense.data<T>();
    for (std::int64_t i = 0; i < std.numel(); ++i) {
      check(values[i] >= 0, "normal: std must be at least 0, got {}", values[i]);
    }
  });
}

}  // namespace

Tensor randn(const Shape& shape, DType dtype, Generator& generator) {
  Tensor x = empty(shape, dtype);
  fill_normal("randn", x, 0, 1, generator);
  return x;
}

Tensor randn_like(const Tensor& x, Generator& generator) {
  return randn_like(x, x.dtype(), generator);
}

Tensor randn_like(const Tensor& x, DType dtype, Generator& generator) {
  Tensor result = empty_like(x, dtype);
  fill_normal("randn_like", result, 0, 1, generator);
  return result;
}

Tensor normal(double mean, double std, const Shape& shape, DType dtype,
              Generator& generator) {
  Tensor x = empty(shape, dtype);
  fill_normal("normal", x, mean, std, generator);
  return x;
}

Tensor normal(const Tensor& mean, const Tensor& std, Generator& generator) {
  check_same_dtype("normal", mean, std);
  check_deviations(std);
  const Shape shape = broadcast("normal", mean.shape(), std.shape());
  Tensor x = empty(shape, mean.dtype());
  fill_normal("normal", x, 0, 1, generator);
  scale_and_shift(x, expand(mean, shape), expand(std, shape));
  return x;
}

Tensor normal(const Tensor& mean, double std, Generator& generator) {
  Tensor x = empty(mean.shape(), mean.dtype());
  fill_normal("normal", x, 0, std, generator);
  add_(x, mean);
  return x;
}

Tensor normal(double mean, const Tensor& std, Generator& generator) {
  check(!std::isnan(mean), "normal: mean must be a number, got {}", mean);
  check_deviations(std);
  return normal(full({}, mean, std.dtype()), std, generator);
}

Tensor& normal_(Tensor& x, double mean, double std, Generator& generator) {
  fill_normal("normal_", x, mean, std, generator);
  return x;
}

}  // namespace heed
