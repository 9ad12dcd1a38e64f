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

// Of batches, of one product and with a bias; of rows that are whole tiles and of others,
// some of which begin half a cache line further; of one slice of k and, not streamed, of
// two.
BOOST_AUTO_TEST_CASE(of_products) {
  const std::int64_t rows = 8 * streamed_floats / 512;  // of two threads
  const std::pair<DType, std::int64_t> kinds[] = {
      {float32, 64}, {float32, 128}, {float32, 520}, {float64, 64}};
  for (const auto& [dtype, depth] : kinds) {
    const std::int64_t k = depth;  // for lambdas
    const Tensor x = rand({rows, k}).to(dtype);
    for (const std::int64_t n : {512, 516, 520, 528}) {
      const Tensor weight = rand({n, k}).to(dtype), bias = rand({n}).to(dtype);
      const std::pair<const char*, Op> ops[] = {
          {"matmul", [&](const Tensor& x) { return matmul(x, weight.t()); }},
          {"linear", [&](const Tensor& x) { return linear(x, weight, bias); }},
          {"bmm",
           [&](const Tensor& x) {
             const Tensor first = x.reshape({-1, 64, k});
             return bmm(first, expand(weight.t(), {first.size(0), k, n}));
           }},
      };
      for (const auto& [name, op] : ops) {
        check_in_parts(fmt::format("{} {}, n {}, k {}", name, heed::name(dtype), n, k),
                       op, x, 1024);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
