// A chain of a million ops, forward, backward and freed. A program of its own, because
// the test runs it on a stack of 256 KiB, which recursion over the graph would exceed.
// Prints what it finds and returns 0 if all of it is as it must be.

#include <cstdio>

#include <fmt/core.h>
#include <sys/resource.h>

#include <heed.h>

using namespace heed;

int main() {
  rlimit limit{};
  getrlimit(RLIMIT_STACK, &limit);
  constexpr int ops = 1'000'000;
  const std::int64_t before = memory::bytes_live();
  double slope = 0, expected = 1;
  {
    const Variable x(full({}, 1.0, float64), true);
    Variable y = x;
    for (int i = 0; i < ops / 2; ++i) y = y * 1.000001 + 0.5;
    for (int i = 0; i < ops / 2; ++i) expected *= 1.000001;
    y.backward();
    slope = x.grad().item();
  }
  const std::int64_t after = memory::bytes_live();
  fmt::print(
      "stack {} KiB, {} ops, derivative {:.12f}, expected {:.12f}, bytes live {} "
      "before and {} after\n",
      limit.rlim_cur / 1024, ops, slope, expected, before, after);
  return slope == expected && before == after && limit.rlim_cur <= 256 * 1024 ? 0 : 1;
}
