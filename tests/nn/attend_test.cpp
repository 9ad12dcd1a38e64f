// attend() for every score, under every kind of mask, with and without dropout, against
// attention(), which computes all with plain ops. attention_gradcheck_test.cpp
// checks the derivatives themselves, hidden_test.cpp what is hidden.
#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/layouts.h"
#include "tests/nn/checks.h"
#include "tests/nn/forms.h"

using namespace heed;
using namespace heed::tests;
using nn::CausalAlign;
using nn::Dropout;
using nn::EmptyRows;
using nn::Mask;

namespace {

using In = const std::vector<Variable>&;

struct Sizes {
  std::int64_t n, m, d, dv;
};

std::vector<Tensor> operands(const ScoreRow& score, const Sizes& size) {
  Generator generator(62);
  std::vector<Shape> shapes = {
      {2, size.n, size.d}, {2, size.m, size.d}, {2, size.m, size.dv}};
  for (const Shape& shape : score.parameters(size.d)) shapes.push_back(shape);
  std::vector<Tensor> tensors;
  for (const Shape& shape : shapes) {
    tensors.push_back(randn(shape, float64, generator));
  }
  return tensors;
}

nn::Score score_of(const ScoreRow& row, In in) {
  return row.make({in.begin() + 3, in.end()});
}

// One way through attention: attend(), or attention().
using Way = std::function<Variable(const nn::Score&, In in, const Mask&, const Dropout&)>;

Variable fused(const nn::Score& score, In in, const Mask& mask, const Dropout& dropout) {
  manual_seed(7);
  return nn::attend(score, in[0], in[1], in[2], mask, dropout);
}

Variable composed(const nn::Score& score, In in, const Mask& mask,
                  const Dropout& dropout) {
  manual_seed(7);
  return nn::attention(score, in[0], in[1], in[2], mask, dropout).output;
}

// The output, its gradients and, if they are recorded, those of an uneven sum of them.
std::vector<Variable> results(const Way& way, const ScoreRow& row,
                              const std::vector<Tensor>& tensors, const Mask& mask,
                              const Dropout& dropout, bool recorded) {
  std::vector<Variable> in;
  for (const Tensor& x : tensors) in.emplace_back(x, true);
  Generator generator(63);
  const Variable y = way(score_of(row, in), in, mask, dropout);
  const Variable g(randn(y.shape(), float64, generator).to(y.dtype()), true);
  std::vector<Variable> all = {y};
  const std::vector<Variable> first = grad(sum(y * g), in, {.create_graph = recorded});
  all.insert(all.end(), first.begin(), first.end());
  if (!recorded) return all;
  Variable uneven(zeros({}, float64));
  for (const Variable& d : first) {
    if (!d.requires_grad()) continue;
    uneven = uneven + sum(d * randn(d.shape(), float64, generator));
  }
  if (!uneven.requires_grad()) return all;
  in.push_back(g);
  for (const Variable& d : grad(uneven, in)) all.push_back(d);
  return all;
}

// Calls f(row, mask, dropout, label) for each combination.
template <class F>
void for_each_combination(const Sizes& size, F&& f) {
  for (const ScoreRow& row : scores()) {
    for (const NamedMask& kind : kinds_of_masks(size.n, size.m)) {
      for (const double p : {0.0, 0.4, 1.0}) {
        const std::string label =
            fmt::format("{}, mask {}, dropout {}", row.name, kind.name, p);
        f(row, kind.mask, Dropout(p), label);
        if (!kind.empty_row) continue;
        f(row, kind.mask.empty_rows(EmptyRows::uniform), Dropout(p), label + ", uniform");
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attend)

// One query, a few, and so many that tiles are filled; one feature and several.
BOOST_AUTO_TEST_CASE(both_ways_give_the_same_numbers) {
  for (const Sizes& size :
       {Sizes{1, 7, 1, 1}, {1, 9, 3, 2}, {5, 70, 3, 4}, {20, 35, 5, 4}}) {
    for_each_combination(size, [&](const ScoreRow& row, const Mask& mask,
                                   const Dropout& dropout, const std::string& label) {
      const std::vector<Tensor> in = operands(row, size);
      for (const bool recorded : {false, true}) {
        const auto got = results(fused, row, in, mask, dropout, recorded);
        const auto expected = results(composed, row, in, mask, dropout, recorded);
        BOOST_TEST_REQUIRE(got.size() == expected.size());
        BOOST_TEST_CONTEXT(label << ", " << size.n << " queries"
                                 << (recorded ? ", recorded" : "")) {
          for (std::size_t i = 0; i < got.size(); ++i) {
            BOOST_TEST(distance(got[i].value(), expected[i].value()) < 1e-10,
                       "number " << i);
          }
        }
      }
    });
  }
}

// Any number of leading dimensions, up to what a shape holds.
BOOST_AUTO_TEST_CASE(scaled_dot_product_attention_is_attend) {
  const Variable q = randn({2, 3, 4}), k = randn({2, 5, 4}), v = randn({2, 5, 6});
  const nn::Mask mask = nn::Mask::valid_lens(tensor({3, 5}));
  BOOST_TEST(same_bits(nn::scaled_dot_product_attention(q, k, v, mask).value(),
                       nn::attend(nn::DotScore{}, q, k, v, mask).value()));
  BOOST_TEST(
      same_bits(nn::scaled_dot_product_attention(q, k, v, mask, {.scale = 0.3}).value(),
                nn::attend(nn::DotScore{.scale = 0.3}, q, k, v, mask).value()));
  BOOST_TEST(same_bits(
      nn::scaled_dot_product_attention(q, k, v, mask, {.is_causal = true}).value(),
      nn::attend(nn::DotScore{}, q, k, v, mask & Mask::causal(CausalAlign::top_left))
          .value()));
  manual_seed(1);
  const Variable dropped =
      nn::scaled_dot_product_attention(q, k, v, {}, {.dropout_p = 0.5});
  manual_seed(1);
  BOOST_TEST(
      same_bits(dropped.value(),
                nn::scaled_dot_product_attention(q, k, v, {}, nn::Dropout(0.5)).value()));
}

BOOST_AUTO_TEST_CASE(many_leading_dimensions) {
  for (const ScoreRow& row : scores()) {
    for (const std::int64_t n : {2, 20}) {
      const std::vector<Tensor> flat = operands(row, {n, 6, 3, 4});
      std::vector<Tensor> deep = flat;
      for (std::size_t i = 0; i < 3; ++i) {
        const Shape& shape = flat[i].shape();
        deep[i] = reshape(flat[i], {1, 2, 1, 1, shape[1], shape[2]});
      }
      const Mask mask = Mask::causal(CausalAlign::bottom_right);
      const auto expected = results(fused, row, flat, mask, Dropout(0.3), false);
      const auto got = results(fused, row, deep, mask, Dropout(0.3), false);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const Tensor level = reshape(got[i].value(), expected[i].shape());
        BOOST_TEST(distance(level, expected[i].value()) < 1e-12, row.name);
      }
    }
  }
}

// Operand i of every score, without a dimension that it can do without, or with one that
// only the values have.
BOOST_AUTO_TEST_CASE(leading_dimensions_broadcast) {
  for (const ScoreRow& row : scores()) {
    for (const std::int64_t n : {3, 11}) {
      for (std::size_t i = 0; i < 3; ++i) {
        std::vector<Tensor> in = operands(row, {n, 4, 2, 2});
        in[i] = slice(in[i], 0, 0, 1).clone();
        const auto narrow = results(fused, row, in, Mask(), Dropout(0), true);
        in[i] = in[i][0];
        const auto lower = results(fused, row, in, Mask(), Dropout(0), true);
        Shape shape = in[i].shape();
        shape.insert(0, 2);
        in[i] = expand(in[i], shape).clone();
        const auto wide = results(fused, row, in, Mask(), Dropout(0), true);
        BOOST_TEST(distance(narrow[0].value(), wide[0].value()) < 1e-12, row.name);
        BOOST_TEST(distance(lower[0].value(), wide[0].value()) < 1e-12, row.name);
        const Tensor all = sum(wide[1 + i].value(), 0);
        BOOST_TEST(distance(narrow[1 + i].value()[0], all) < 1e-12, row.name);
        BOOST_TEST(distance(lower[1 + i].value(), all) < 1e-12, row.name);
      }
      std::vector<Tensor> in = operands(row, {n, 4, 2, 2});
      for (const std::size_t i : {0u, 1u}) in[i] = slice(in[i], 0, 0, 1).clone();
      const auto shared = results(fused, row, in, Mask(), Dropout(0), true);
      for (const std::size_t i : {0u, 1u}) in[i] = expand(in[i], {2, in[i].size(1), 2});
      const auto each = results(fused, row, in, Mask(), Dropout(0), true);
      BOOST_TEST(distance(shared[0].value(), each[0].value()) < 1e-12, row.name);
      BOOST_TEST(distance(shared[3].value(), each[3].value()) < 1e-12, row.name);
    }
  }
}

// A visible score that is not finite makes its row NaN, but the hidden weights stay 0.
BOOST_AUTO_TEST_CASE(what_is_hidden_beside_a_nan_has_no_weight) {
  const auto check = [](const Tensor& x, const char* what, std::int64_t n) {
    BOOST_TEST(same(select(x, -1, 1), zeros_like(select(x, -1, 1))),
               what << " of " << n << " queries");
    BOOST_TEST(all(isnan(select(x, -1, 0))).item() == 1);
  };
  for (const std::int64_t n : {2, 11}) {
    for (const bool recorded : {false, true}) {
      const Variable q(full({n, 1}, 3e38), true), v(ones({3, 1}), true),
          k(tensor({{1.0}, {2.0}, {3.0}}, float32), true);
      Tensor weights;
      const Variable y = nn::attend(nn::DotScore{}, q, k, v, Mask::drop(arange(3) == 1),
                                    Dropout(0), &weights);
      const auto d = grad(sum(y), {k, v}, {.create_graph = recorded});
      check(weights, "weights", n);
      for (const Variable& g : d) check(transpose(g.value(), 0, 1), "gradient", n);
    }
  }
}

// Whoever asks for the weights may write into them before the backward.
BOOST_AUTO_TEST_CASE(the_weights_are_the_caller_s) {
  for (const std::int64_t n : {2, 11}) {
    const Variable q(randn({n, 3}), true);
    const Tensor k = randn({4, 3}), v = randn({4, 3});
    const auto gradient = [&](bool overwrite) {
      Tensor weights;
      const Variable y = nn::attend(nn::DotScore{}, q, k, v, {}, Dropout(0), &weights);
      if (overwrite) weights.fill_(7);
      return grad(sum(square(y)), {q})[0].value();
    };
    BOOST_TEST(same(gradient(true), gradient(false)));
  }
}

// The norm of a row of zeros has the derivative NaN, which must not leave a row without
// keys.
BOOST_AUTO_TEST_CASE(a_derivative_of_nan_at_a_row_without_keys_stays_there) {
  const Tensor lens = tensor({{5, 0, 2}, {1, 4, 5}});
  const Mask masks[] = {Mask::valid_lens(lens),
                        Mask::keep(arange(5, int64) < unsqueeze(lens, -1))};
  const auto check = [](const Way& way, const ScoreRow& row, const Mask& mask,
                        bool recorded) {
    std::vector<Variable> in;
    for (const Tensor& x : operands(row, {3, 5, 2, 2})) in.emplace_back(x, true);
    const Variable y = way(score_of(row, in), in, mask, Dropout(0));
    const auto first =
        grad(sum(sqrt(sum(square(y), -1))), in, {.create_graph = recorded});
    for (const Variable& g : first) {
      BOOST_TEST(finite(g.value()) == g.numel(), row.name);
    }
    BOOST_TEST(max(abs(first[0].value())).item() > 0);
    BOOST_TEST(same(first[0].value()[0][1], zeros({2}, float64)));
    if (!recorded) return;
    for (const Variable& g : grad(sum(square(first[0])) + sum(first[1]), in)) {
      BOOST_TEST(finite(g.value()) == g.numel(), row.name << ", second");
    }
  };
  for (const ScoreRow& row : scores()) {
    for (const Mask& mask : masks) {
      for (const bool recorded : {false, true}) {
        check(fused, row, mask, recorded);
        check(composed, row, mask, recorded);
      }
    }
  }
}

// The square of the distance overflows: the weight is 0, or w is. PyTorch's gradients.
BOOST_AUTO_TEST_CASE(a_key_that_is_far_away_has_no_say) {
  const ScoreRow& gaussian = scores()[3];
  BOOST_TEST_REQUIRE(gaussian.name == "GaussianScore");
  for (const double w : {0.8, 0.0}) {
    const std::vector<Tensor> in = {
        full({1, 1, 1}, 0.5, float64), reshape(tensor({0.0, 1.0, 1e200}), {1, 3, 1}),
        reshape(tensor({1.0, 2.0, 3.0}), {1, 3, 1}), full({1}, w, float64)};
    std::vector<Tensor> wide;
    for (const Tensor& x : in) wide.push_back(x.to(float64));
    wide[1].set({0, 2, 0}, 1e200);
    const auto got = results(fused, gaussian, wide, Mask(), Dropout(0), false);
    const auto expected = results(composed, gaussian, wide, Mask(), Dropout(0), false);
    for (std::size_t i = 0; i < got.size(); ++i) {
      BOOST_TEST(distance(got[i].value(), expected[i].value()) < 1e-14, "number " << i);
    }
  }
}

BOOST_AUTO_TEST_CASE(sizes_of_nothing) {
  for (const ScoreRow& row : scores()) {
    for (const Sizes& size :
         {Sizes{0, 3, 2, 2}, {3, 0, 2, 2}, {14, 0, 2, 2}, {2, 3, 2, 0}, {0, 0, 1, 1}}) {
      for (const double p : {0.0, 0.5}) {
        const std::vector<Tensor> in = operands(row, size);
        const auto got = results(fused, row, in, Mask(), Dropout(p), false);
        BOOST_TEST((got[0].shape() == Shape{2, size.n, size.dv}), row.name);
        for (const Variable& x : got) {
          BOOST_TEST(distance(x.value(), zeros_like(x.value())) == 0, row.name);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(without_any_key_the_policy_for_empty_rows_holds) {
  for (const ScoreRow& row : scores()) {
    std::vector<Variable> in;
    for (const Tensor& x : operands(row, {3, 0, 4, 2})) in.emplace_back(x, true);
    const nn::Score score = score_of(row, in);
    for (const Way& way : {Way(fused), Way(composed)}) {
      const auto output = [&](EmptyRows policy) {
        return way(score, in, Mask().empty_rows(policy), Dropout(0)).value();
      };
      BOOST_TEST(same(output(EmptyRows::zero), zeros({2, 3, 2}, float64)), row.name);
      BOOST_TEST(same(output(EmptyRows::nan), full({2, 3, 2}, not_a_number, float64)),
                 row.name);
      BOOST_TEST(error_of([&] { output(EmptyRows::error); })
                     .starts_with("mask: every query must have a key to attend to, got "
                                  "none for query (0, 0) of scores (2, 3, 0)"),
                 row.name);
    }
  }
}

// Other layouts of the operands and other numbers of threads give the same numbers,
// float32 nearly the same.
BOOST_AUTO_TEST_CASE(layouts_threads_and_dtypes_change_no_number) {
  const int threads = num_threads();
  const Mask mask = Mask::causal(CausalAlign::bottom_right);
  for (const ScoreRow& row : scores()) {
    for (const Sizes& size : {Sizes{1, 7, 1, 1}, {5, 9, 3, 2}, {40, 70, 5, 4}}) {
      const std::vector<Tensor> plain = operands(row, size);
      const auto run = [&](const std::vector<Tensor>& in) {
        return results(fused, row, in, mask, Dropout(0.3), false);
      };
      const auto expected = run(plain);
      const auto check = [&](const std::vector<Variable>& got, double tolerance,
                             const char* what) {
        for (std::size_t i = 0; i < got.size(); ++i) {
          BOOST_TEST(
              distance(got[i].value(), expected[i].value()) <= tolerance,
              row.name << ", " << size.n << " queries, number " << i << ", " << what);
        }
      };
      for (const int count : {1, 2, 3, 5}) {
        set_num_threads(count);
        check(run(plain), 0, "threads");
      }
      set_num_threads(threads);
      std::vector<Tensor> turned = plain, narrow = plain;
      for (std::size_t i = 0; i < 3; ++i) {
        turned[i] = stored_transposed(plain[i], 0, 2);
      }
      check(run(turned), 1e-12, "transposed");
      for (Tensor& x : narrow) x = x.to(float32);
      check(run(narrow), 2e-4, "float32");
    }
  }
}

BOOST_AUTO_TEST_CASE(weights_are_a_constant_on_the_side) {
  for (const ScoreRow& row : scores()) {
    for (const Sizes& size : {Sizes{1, 7, 1, 1}, {3, 7, 2, 2}, {20, 35, 5, 4}}) {
      std::vector<Variable> in;
      for (const Tensor& x : operands(row, size)) in.emplace_back(x, true);
      const nn::Score score = score_of(row, in);
      Tensor weights;
      const Variable y = nn::attend(score, in[0], in[1], in[2], {}, Dropout(0), &weights);
      BOOST_TEST((weights.shape() == Shape{2, size.n, size.m}));
      BOOST_TEST(distance(matmul(weights, in[2].value()), y.value()) < 1e-12, row.name);
      BOOST_TEST(same(y.value(), fused(score, in, {}, Dropout(0)).value()), row.name);
    }
  }
}

BOOST_AUTO_TEST_CASE(only_what_is_asked_for_is_differentiated) {
  for (const ScoreRow& row : scores()) {
    for (const Sizes& size : {Sizes{14, 6, 2, 2}, {3, 6, 2, 2}, {1, 6, 1, 1}}) {
      const std::vector<Tensor> tensors = operands(row, size);
      const auto all = results(fused, row, tensors, Mask(), Dropout(0), false);
      for (std::size_t asked = 0; asked < tensors.size(); ++asked) {
        std::vector<Variable> in;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
          in.emplace_back(tensors[i], i == asked);
        }
        Generator generator(63);
        const Variable y = fused(score_of(row, in), in, Mask(), Dropout(0));
        sum(y * randn(y.shape(), float64, generator)).backward();
        BOOST_TEST(distance(in[asked].grad().value(), all[1 + asked].value()) < 1e-12);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
