// Numbers at the edge of their dtype, NaN that comes back in a gradient, and lengths of
// 0, on every way through attention: the fused op and the formula written out, with a
// recorded backward and without, and the derivative of the gradients.

#include <limits>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::CausalAlign;
using nn::Dropout;
using nn::EmptyRows;
using nn::Mask;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Inputs {
  Tensor q = randn({1, 3, 4}), k = randn({1, 5, 4}), v = randn({1, 5, 2});
};

// What an output is made into before it is differentiated.
using Loss = std::function<Variable(const Variable&)>;

// The output, then the gradients of q, k and v and, if recorded, theirs.
std::vector<Tensor> results(const Inputs& in, const Mask& mask, const Loss& loss,
                            bool fused, bool recorded) {
  const std::vector<Variable> x = {Variable(in.q, true), Variable(in.k, true),
                                   Variable(in.v, true)};
  const Variable y = fused
                         ? nn::attend(nn::DotScore{}, x[0], x[1], x[2], mask, Dropout(0))
                         : nn::attention(x[0], x[1], x[2], mask).output;
  std::vector<Tensor> list = {y.value()};
  const std::vector<Variable> first = grad(loss(y), x, {.create_graph = recorded});
  for (const Variable& g : first) list.push_back(g.value());
  if (recorded) {
    const Variable all =
        100 * sum(square(first[0])) + sum(square(first[1])) + sum(first[2]);
    for (const Variable& g : grad(all, x)) list.push_back(g.value());
  }
  return list;
}

// Calls f(list) for each way.
void each_way(const Inputs& in, const Mask& mask, const Loss& loss,
              const std::function<void(const std::vector<Tensor>&)>& f) {
  for (const bool fused : {true, false}) {
    for (const bool recorded : {false, true}) {
      BOOST_TEST_CONTEXT((fused ? "attend" : "attention")
                         << (recorded ? ", recorded" : "")) {
        f(results(in, mask, loss, fused, recorded));
      }
    }
  }
}

Variable squares(const Variable& y) { return sum(square(y)); }

// The norms of the rows; of a row of zeros the derivative is NaN.
Variable norms(const Variable& y) { return sum(sqrt(sum(square(y), -1))); }

}  // namespace

BOOST_AUTO_TEST_SUITE(attention_extremes)

BOOST_AUTO_TEST_CASE(a_hidden_number_may_be_as_large_as_numbers_get) {
  const Inputs in;
  Inputs large = in;
  select(large.k, 1, 4).fill_(3e38);  // their products are infinite
  select(large.v, 1, 4).fill_(3e38);
  for (const Mask& mask :
       {Mask::valid_lens(tensor({4})), Mask::causal(CausalAlign::top_left),
        Mask::drop(tensor({false, false, false, false, true}))}) {
    const std::vector<Tensor> plain = results(in, mask, squares, false, true);
    each_way(large, mask, squares, [&](const std::vector<Tensor>& list) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        BOOST_TEST(distance(list[i], plain[i]) < 1e-4, i);
      }
    });
  }
}

BOOST_AUTO_TEST_CASE(a_derivative_of_nan_at_a_row_without_keys_stays_there) {
  const Inputs in;
  const Tensor lens = tensor({{5, 0, 2}});
  for (const Mask& mask :
       {Mask::valid_lens(lens), Mask::keep(arange(5, int64) < unsqueeze(lens, -1))}) {
    each_way(in, mask, norms, [&](const std::vector<Tensor>& list) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        BOOST_TEST(finite(list[i]) == list[i].numel(), i);
      }
      BOOST_TEST(max(abs(list[1])).item() > 0);
      BOOST_TEST(same(select(list[1], 1, 1), zeros({1, 4})));
    });
  }
}

BOOST_AUTO_TEST_CASE(a_query_of_nan_without_keys_reaches_nothing) {
  const Inputs in;
  Inputs odd = in;
  select(odd.q, 1, 1).fill_(not_a_number);
  const Mask mask = Mask::valid_lens(tensor({{5, 0, 2}}));
  const std::vector<Tensor> plain = results(in, mask, squares, false, true);
  each_way(odd, mask, squares, [&](const std::vector<Tensor>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      BOOST_TEST(distance(list[i], plain[i]) < 1e-5, i);
    }
  });
}

BOOST_AUTO_TEST_CASE(equal_scores_share_evenly_however_large) {
  for (const double score : {1e8, -1e8, 1e30}) {
    Inputs in{full({1, 1, 1}, score), ones({1, 4, 1}), randn({1, 4, 1})};
    each_way(
        in, {}, [](const Variable& y) { return sum(y); },
        [&](const std::vector<Tensor>& list) {
          BOOST_TEST(distance(list[0], mean(in.v, 1, true)) < 1e-6);
          BOOST_TEST(same(list[3], full({1, 4, 1}, 0.25)));
        });
  }
}

BOOST_AUTO_TEST_CASE(without_any_key_the_policy_for_empty_rows_holds) {
  const Inputs in{randn({1, 3, 4}), zeros({1, 0, 4}), zeros({1, 0, 2})};
  const auto output = [&](EmptyRows policy, const Tensor& expected) {
    each_way(
        in, Mask().empty_rows(policy), squares,
        [&](const std::vector<Tensor>& list) { BOOST_TEST(same(list[0], expected)); });
  };
  output(EmptyRows::zero, zeros({1, 3, 2}));
  output(EmptyRows::nan, full({1, 3, 2}, not_a_number));
  const Mask strict = Mask().empty_rows(EmptyRows::error);
  for (const bool fused : {true, false}) {
    const std::string message =
        error_of([&] { results(in, strict, squares, fused, false); });
    BOOST_TEST(
        message.starts_with("mask: every query must have a key to attend to, got "
                            "none for query (0, 0) of scores (1, 3, 0)"));
  }
}

BOOST_AUTO_TEST_CASE(a_scale_that_its_dtype_cannot_hold_is_refused) {
  const Inputs in;
  const auto message = [&](const nn::DotScore& score) {
    return error_of([&] { nn::attend(score, in.q, in.k, in.v, {}, Dropout(0)); });
  };
  BOOST_TEST(message({.scale = 1e-60}) ==
             "attention: the scale must be a positive float32, got 1e-60");
  BOOST_TEST(message({.scale = 1e60}) ==
             "attention: the scale must be a positive float32, got 1e+60");
  BOOST_TEST(message({.temperature = 1e60}) ==
             "attention: the temperature must be a positive float32, got 1e+60");
}

BOOST_AUTO_TEST_CASE(operands_of_several_dtypes_are_refused) {
  const Inputs in;
  BOOST_TEST(error_of([&] { nn::attention(in.q, in.k.to(float64), in.v); }) ==
             "attention: query, key and value must have one floating dtype, got float32, "
             "float64 and float32");
}

BOOST_AUTO_TEST_SUITE_END()
