// How fast this machine can be, measured: what the other workloads are compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/workloads.h"

namespace heed::benchmarks {

// probe/fma is the peak: multiply-adds that wait for nothing. probe/tile is BLIS's
// micro-kernel alone, on panels that are in the L1 cache. probe/memory adds two arrays
// of 10 million numbers. probe/blis_N is matmul/N by BLIS's own driver in place of
// heed's. Each runs on every thread.
std::vector<Workload> probes();

// Compiled for each instruction set, as heed's kernels are.
struct ProbeKernels {
  // The multiply-adds of one step, and a function that does `steps` of them.
  std::int64_t step;
  float (*multiply_add)(std::int64_t steps);
};

}  // namespace heed::benchmarks
