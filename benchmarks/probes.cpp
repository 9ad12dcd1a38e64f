#include "benchmarks/probes.h"

#include <algorithm>
#include <memory>

#include "heed.h"
#include "tensor/core/buffer.h"
#include "tensor/core/parallel.h"
#include "tensor/kernels/level.h"
#include "tensor/product/blis.h"
#include "tensor/product/panels.h"

namespace heed::benchmarks {

namespace {

std::function<void()> multiply_adds(std::int64_t steps) {
  const auto results = std::make_shared<std::vector<float>>(num_threads());
  return [=] {
    in_threads(num_threads(), [&](std::int64_t thread) {
      (*results)[thread] = kernels::get<ProbeKernels>().multiply_add(steps);
    });
  };
}

// probe/tile: panels that stay in an L1 cache, 44 KiB for a tile of 32 x 12 and 22 KiB
// for one of 6 x 16, and how many elements of tiles are computed. They are not counted in
// tiles: to ask BLIS for a tile's size would start it where this probe is only listed.
constexpr std::int64_t tile_depth = 256, tile_elements = 19200;

std::function<void()> tile_products() {
  const auto& kernel = blis::tile_kernels<float>();
  const std::int64_t m = kernel.tile_rows, n = kernel.tile_columns;
  const std::int64_t size =
      aligned<float>((m + n) * tile_depth + blis::read_ahead<float>);
  const std::int64_t size_c = aligned<float>(m * n);
  const auto memory = std::make_shared<Buffer<float>>((size + size_c) * num_threads());
  std::fill_n(memory->first(), (size + size_c) * num_threads(), 0.5f);
  return [=, &kernel] {
    in_threads(num_threads(), [&](std::int64_t thread) {
      const float* const a = memory->first() + thread * (size + size_c);
      const float* const b = a + m * tile_depth;
      float* const c = memory->first() + thread * (size + size_c) + size;
      for (std::int64_t i = 0; i < tile_elements; i += m * n) {
        kernel.multiply_panels({.m = m,
                                .n = n,
                                .k = tile_depth,
                                .a = {a, 1, m},
                                .b = b,
                                .b_stride = n,
                                .panel_stride = 0,
                                .c = c,
                                .c_stride = n});
      }
    });
  };
}

std::function<void()> additions(std::int64_t n) {
  const Tensor a = ones({n}), b = ones({n}), c = zeros({n});
  return [=] {
    const float *const from_a = a.data<float>(), *const from_b = b.data<float>();
    float* const to = const_cast<float*>(c.data<float>());
    parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = from_a[i] + from_b[i];
    });
  };
}

// The product of two n x n matrices by BLIS's own driver.
std::function<void()> blis_products(std::int64_t n) {
  const Tensor a = randn({n, n}), b = randn({n, n}), c = zeros({n, n});
  return [=] {
    blis::gemm<float>(n, n, n, {a.data<float>(), n, 1}, {b.data<float>(), n, 1},
                      {const_cast<float*>(c.data<float>()), n, 1}, num_threads());
  };
}

}  // namespace

std::vector<Workload> probes() {
  constexpr std::int64_t steps = 20000, numbers = 10'000'000;
  const double threads = num_threads();
  const double step = static_cast<double>(kernels::get<ProbeKernels>().step);
  const double tile = tile_depth * tile_elements;
  std::vector<Workload> list = {
      {"probe/fma", 2 * step * steps * threads, 0, [] { return multiply_adds(steps); }},
      {"probe/tile", 2 * tile * threads, 0, tile_products},
      {"probe/memory", 0, 12.0 * numbers, [] { return additions(numbers); }},
  };
  for (const std::int64_t n : {256, 1024}) {
    const double size = static_cast<double>(n);
    list.push_back({fmt::format("probe/blis_{}", n), 2 * size * size * size, 0,
                    [=] { return blis_products(n); }});
  }
  return list;
}

}  // namespace heed::benchmarks
