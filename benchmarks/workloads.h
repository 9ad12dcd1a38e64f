// What the benchmark times.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed::benchmarks {

struct Workload {
  std::string name;
  // What one repetition needs at least: floating-point operations by the formulas of
  // README.md, or else bytes that are read and written. 0: not counted.
  double flop, bytes;
  // Sets the workload up, and returns the function that is timed.
  std::function<std::function<void()>()> make;
};

std::vector<Workload> workloads();

}  // namespace heed::benchmarks
