// Tensors without elements whose other sizes are enormous: no op may loop over those, or
// compute with products of them that wrap around.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"

using namespace heed;

namespace {

constexpr std::int64_t many = std::int64_t{1} << 57;

}  // namespace

BOOST_AUTO_TEST_SUITE(empty_tensors)

BOOST_AUTO_TEST_CASE(enormous_ones_take_no_time) {
  const Tensor tall = zeros({many, 0}), wide = zeros({0, many});
  const Tensor deep = zeros({many, 3, 0});
  const std::vector<std::pair<const char*, std::function<Tensor()>>> calls = {
      {"add", [&] { return tall + tall; }},
      {"broadcast",
       [&] {
         return tall + zeros({1, 1});
       }},
      {"clone", [&] { return transpose(tall, 0, 1).clone(); }},
      {"sum", [&] { return sum(tall); }},
      {"sum, 0", [&] { return sum(tall, 0); }},
      {"sum, 1", [&] { return sum(wide, 1); }},
      {"mean", [&] { return mean(tall, 0); }},
      {"var", [&] { return var(tall, 0); }},
      {"norm", [&] { return norm(tall, {0}); }},
      {"logsumexp", [&] { return logsumexp(tall, 0); }},
      {"max", [&] { return max(deep, 1).values; }},
      {"argmin", [&] { return argmin(deep, 1); }},
      {"softmax", [&] { return softmax(tall, 1); }},
      {"log_softmax", [&] { return log_softmax(tall, 0); }},
      {"softmax_backward", [&] { return softmax_backward(tall, tall, 1); }},
      {"log_softmax_backward", [&] { return log_softmax_backward(tall, tall, 0); }},
      {"log_softmax_backward, 1", [&] { return log_softmax_backward(tall, tall, 1); }},
      {"cumsum", [&] { return cumsum(tall, 1); }},
      {"sort", [&] { return sort(tall, 0).values; }},
      {"sort, wide", [&] { return sort(wide, 1).values; }},
      {"topk", [&] { return topk(deep, 2, 1).values; }},
      {"index_select", [&] { return index_select(tall, 0, zeros({3}, int64)); }},
      {"gather",
       [&] {
         return gather(tall, 0, zeros({3, 0}, int64));
       }},
      {"masked_select", [&] { return masked_select(tall, tall == 0); }},
      {"triu", [&] { return triu(tall); }},
      {"cat",
       [&] {
         return cat({tall, zeros({2, 0})}, 0);
       }},
      {"stack",
       [&] {
         return stack({tall, tall});
       }},
      {"repeat",
       [&] {
         return repeat(tall, {2, 1});
       }},
      {"flip", [&] { return flip(tall, {0}); }},
      {"matmul",
       [&] {
         return matmul(tall, zeros({0, 0}));
       }},
      {"matmul, deep",
       [&] {
         return matmul(deep, zeros({0, 0}));
       }},
      {"bmm",
       [&] {
         return bmm(deep, zeros({many, 0, 0}));
       }},
      {"randn",
       [&] {
         return randn({many, 0});
       }},
  };
  for (const auto& [name, call] : calls) {
    BOOST_TEST_INFO(name);
    BOOST_TEST(isfinite(call()).to_vector<bool>().size() <= 3u);
  }
  BOOST_TEST(to_string(tall) == "tensor([], size=(144115188075855872, 0))");
}

BOOST_AUTO_TEST_CASE(attention_over_enormous_keys_without_features) {
  const Variable q(zeros({8, 0}), true), k(zeros({many, 0}), true);
  const Variable v(zeros({many, 0}), true);
  const Variable y = nn::attend(nn::DotScore{}, q, k, v);
  BOOST_TEST((y.shape() == Shape{8, 0}));
  y.backward(y.value());
  BOOST_TEST((k.grad().shape() == Shape{many, 0}));
  BOOST_TEST(error_of([&] { nn::attention(q, k, v); }) ==
             "shape: too many elements, got (8, 144115188075855872)");
}

BOOST_AUTO_TEST_CASE(attention_without_queries_or_value_features) {
  for (const auto& [n, dv] : {std::pair{0, 4}, std::pair{3, 0}}) {
    const Variable q(ones({n, 2}), true), k(ones({5, 2}), true), v(ones({5, dv}), true);
    const Variable y = nn::attend(nn::DotScore{}, q, k, v);
    y.backward(y.value());
    for (const Variable& x : {q, k, v}) {
      BOOST_TEST(sum(abs(x.grad().value())).item() == 0);
    }
  }
  Tensor weights;
  const Tensor x = zeros({2, 3});
  scaled_dot_product_attention(x, x, zeros({2, 0}), {}, 1, &weights);
  BOOST_TEST(weights.to_vector<float>() == std::vector<float>(4, 0.5f));
}

BOOST_AUTO_TEST_SUITE_END()
