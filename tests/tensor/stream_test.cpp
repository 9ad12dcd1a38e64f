// Results so large that they are written past the caches (tensor/kernels/stream.h) have
// the bits of the same results computed in small parts.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/compare.h"

using namespace heed;

namespace {

using Op = std::function<Tensor(const Tensor&)>;

// Checks that op(x), on so many threads, has the bits of op applied to parts of x: `part`
// slices of its first dimension at a time.
void check_in_parts(const std::string& name, const Op& op, const Tensor& x,
                    std::int64_t part, const std::vector<int>& threads = {1, 2}) {
  const int before = num_threads();
  std::vector<Tensor> parts;
  for (std::int64_t i = 0; i < x.size(0); i += part) {
    parts.push_back(op(slice(x, 0, i, std::min(i + part, x.size(0)))));
  }
  const Tensor expected = cat(parts, 0);
  for (const int count : threads) {
    set_num_threads(count);
    BOOST_TEST_INFO(name << ", " << count << " threads");
    BOOST_TEST(same_bits(op(x), expected));
  }
  set_num_threads(before);
}

// A piece of a result is streamed if it has so many bytes; each thread has four.
constexpr std::int64_t streamed_bytes = 4 << 20, streamed_floats = streamed_bytes / 4;

}  // namespace

BOOST_AUTO_TEST_SUITE(streamed_results)

BOOST_AUTO_TEST_CASE(of_elementwise_ops) {
  // The pieces of two threads; those of the second begin beside a whole vector.
  const Tensor x = rand({8 * streamed_floats + 2});
  const std::pair<const char*, Op> ops[] = {
      {"two rows", [](const Tensor& x) { return x + x; }},
      {"a number", [](const Tensor& x) { return 2 - x; }},
      {"a function", [](const Tensor& x) { return exp(x); }},
      {"a function with a second loop", [](const Tensor& x) { return sin(1e6 * x); }},
      {"float64", [](const Tensor& x) { return x.to(float64) * 3; }},
      {"in place",
       [](const Tensor& x) {
         Tensor y = x.clone();
         y += x;
         return y;
       }},
  };
  for (const auto& [name, op] : ops) check_in_parts(name, op, x, 499'999);
  const Tensor apart = rand({2, 4 * streamed_floats + 1}).transpose(0, 1);
  check_in_parts("elements apart", [](const Tensor& x) { return select(x, 1, 0) + 1; },
                 apart, 999'999, {1});
  const Tensor many = rand({4 * streamed_bytes + 3});
  check_in_parts("bools", [](const Tensor& x) { return x > 0.5; }, many, 999'999, {1});
}

BOOST_AUTO_TEST_CASE(of_softmax) {
  for (const std::int64_t n : {129, 256, 511, 2048, 2050}) {
    const Tensor x = rand({8 * (streamed_floats / n + 2), n});
    check_in_parts(
        fmt::format("softmax of {}", n), [](const Tensor& x) { return softmax(x, -1); },
        x, 99);
    check_in_parts(
        fmt::format("log_softmax of {}", n),
        [](const Tensor& x) { return log_softmax(x, -1); }, x, 99);
  }
}

BOOST_AUTO_TEST_SUITE_END()
