// What a mask hides takes no part: a NaN or an infinity there changes no output and no
// gradient, of inputs or parameters, in any form of attention; where it is seen, the
// result shows it.
//
// Each test runs a form twice, with numbers and with a NaN or an infinity in the same
// places, and compares all that does not see them.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/infinity.h"
#include "tests/nn/checks.h"
#include "tests/nn/forms.h"

using namespace heed;
using namespace heed::tests;
using nn::CausalAlign;
using nn::EmptyRows;
using nn::Mask;

namespace {

constexpr double tolerance = 1e-10;  // of float64

struct Run {
  Tensor output, dq, dk, dv;
  std::vector<Tensor> parameters;  // their gradients
  std::vector<Tensor> second;      // derivatives of all gradients, if recorded
};

// The form's output, and the gradients of a loss that is not linear in it: where the
// output is NaN, so is the gradient that comes back.
Run run(const Form& form, const Tensor& q, const Tensor& k, const Tensor& v,
        const Mask& mask, bool recorded) {
  std::vector<Variable> leaves = {Variable(q, true), Variable(k, true),
                                  Variable(v, true)};
  for (const Tensor& x : form.parameters) leaves.emplace_back(x, true);
  const Variable y = form.run(FormInputs::from(leaves), mask);
  const Tensor uneven = 1 + rand(y.shape(), y.dtype());
  const std::vector<Variable> first =
      grad(sum(square(y) * uneven), leaves, {.create_graph = recorded});
  Run result{y.value(), first[0].value(), first[1].value(), first[2].value(), {}, {}};
  for (std::size_t i = 3; i < first.size(); ++i) {
    result.parameters.push_back(first[i].value());
  }
  if (!recorded) return result;
  Variable all(zeros({}, float64));
  for (const Variable& g : first) {
    if (g.requires_grad()) all = all + sum(g * rand(g.shape(), float64));
  }
  for (const Variable& g : grad(all, leaves)) result.second.push_back(g.value());
  return result;
}

// The rows of x (2, n, d), in both sequences.
Tensor rows(const Tensor& x, const std::vector<std::int64_t>& list) {
  return index_select(x, 1, from_vector(list));
}

Tensor with_row(const Tensor& x, std::int64_t row, double value) {
  Tensor changed = x.clone();
  select(changed, 1, row).fill_(value);
  return changed;
}

bool all_nan(const Tensor& x) { return all(isnan(x)).item() != 0; }

// Draws once, so that both runs have the same numbers.
struct Inputs {
  Tensor q, k, v;

  explicit Inputs(std::int64_t n = 3)
      : q(randn({2, n, 4}, float64)),
        k(randn({2, 6, 4}, float64)),
        v(randn({2, 6, 4}, float64)) {}
};

Run run(const Form& form, const Inputs& in, const Mask& mask, bool recorded = false) {
  manual_seed(3);
  return run(form, in.q, in.k, in.v, mask, recorded);
}

void check_same_gradients(const Run& found, const Run& expected) {
  BOOST_TEST(distance(found.dq, expected.dq) < tolerance);
  BOOST_TEST(distance(found.dk, expected.dk) < tolerance);
  BOOST_TEST(distance(found.dv, expected.dv) < tolerance);
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    BOOST_TEST(distance(found.parameters[i], expected.parameters[i]) < tolerance, i);
  }
  for (std::size_t i = 0; i < found.second.size(); ++i) {
    BOOST_TEST(distance(found.second[i], expected.second[i]) < tolerance, "second " << i);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hidden)

BOOST_AUTO_TEST_CASE(padding_reaches_nothing_not_even_parameters) {
  Tensor bias = zeros({6}, float64);
  bias.set({4}, -infinity);
  bias.set({5}, -infinity);
  const std::vector<Mask> masks = {
      Mask::valid_lens(tensor({4, 4})),
      Mask::drop(tensor({false, false, false, false, true, true})),
      Mask::additive(bias),
      // One query sees nothing at all.
      Mask::valid_lens(tensor({{4, 0, 2}, {1, 3, 4}})),
      Mask::valid_lens(tensor({{4, 0, 2}, {1, 3, 4}})) & Mask::additive(0.5 + bias),
  };
  const auto check = [&](const Form& form, const Inputs& in, const Mask& mask,
                         bool recorded) {
    // Finite, but its products overflow. With create_graph only its squares may: the
    // derivatives of a projection, which no mask covers, have its products too.
    const double large = recorded ? 1e300 : 1e308;
    const Run expected = run(form, in, mask, recorded);
    for (const double value : {not_a_number, infinity, -infinity, large}) {
      for (const bool change_keys : {true, false}) {
        for (const bool change_values : {true, false}) {
          if (!change_keys && !change_values) continue;
          BOOST_TEST_CONTEXT(value << (change_keys ? ", keys" : "")
                                   << (change_values ? ", values" : "")
                                   << (recorded ? ", recorded" : "")) {
            Inputs changed = in;
            if (change_keys) changed.k = with_row(in.k, 4, value);
            if (change_values) {
              changed.v = with_row(in.v, 5, value);
              changed.v.set({1, 4, 0}, value);
            }
            const Run found = run(form, changed, mask, recorded);
            BOOST_TEST(distance(found.output, expected.output) < tolerance);
            check_same_gradients(found, expected);
            BOOST_TEST(same(rows(found.dk, {4, 5}), zeros({2, 2, 4}, float64)));
            BOOST_TEST(same(rows(found.dv, {4, 5}), zeros({2, 2, 4}, float64)));
          }
        }
      }
    }
  };
  for (const Form& form : attention_forms()) {
    if (form.self || form.causal) continue;
    for (std::size_t m = 0; m < masks.size(); ++m) {
      BOOST_TEST_CONTEXT(form.name << ", mask " << m) {
        for (const bool recorded : {false, true}) {
          check(form, Inputs(), masks[m], recorded);
          // More queries than are computed row by row; the first masks fit any number.
          if (m < 3) check(form, Inputs(11), masks[m], recorded);
        }
      }
    }
  }
}

// Query 0 sees the keys 0 and 1, query 1 sees 2 and 3, query 2 sees 3, 4 and 5.
Mask three_groups() {
  const std::vector<std::int64_t> query = {0, 0, 1, 3, 2, 2};
  Tensor keep = zeros({3, 6}, boolean);
  for (std::int64_t j = 0; j < 6; ++j) {
    if (query[j] != 3) keep.set({query[j], j}, 1);
  }
  keep.set({1, 3}, 1), keep.set({2, 3}, 1);
  return Mask::keep(keep);
}

BOOST_AUTO_TEST_CASE(a_key_that_one_query_sees_reaches_no_other) {
  struct Row {
    const char* name;
    Mask mask;
    std::int64_t key, query;  // which is changed, and who alone sees it
    std::vector<std::int64_t> other_queries, other_keys;  // keys the query does not see
  };
  const CausalAlign bottom_right = CausalAlign::bottom_right;
  const Row table[] = {
      {"groups", three_groups(), 1, 0, {1, 2}, {2, 3, 4, 5}},
      // Query i sees the keys up to i + 3: the future reaches no query of the past.
      {"causal", Mask::causal(bottom_right), 5, 2, {0, 1}, {}},
  };
  for (const Row& row : table) {
    for (const Form& form : attention_forms({.align = bottom_right})) {
      if (form.self) continue;
      const Inputs in;
      const Run expected = run(form, in, row.mask);
      for (const double value : {not_a_number, infinity, -infinity}) {
        BOOST_TEST_CONTEXT(row.name << ", " << form.name << ", " << value) {
          Inputs changed = in;
          changed.k = with_row(in.k, row.key, value);
          changed.v = with_row(in.v, row.key, value);
          const Run found = run(form, changed, row.mask);
          // The query that sees it shows it.
          const Tensor shown = rows(found.output, {row.query});
          BOOST_TEST(finite(shown) < shown.numel());
          BOOST_TEST(finite(rows(found.dq, {row.query})) < 8);
          for (const auto& [a, b] : {std::pair(found.output, expected.output),
                                     std::pair(found.dq, expected.dq)}) {
            BOOST_TEST(distance(rows(a, row.other_queries), rows(b, row.other_queries)) <
                       tolerance);
          }
          for (const auto& [a, b] :
               {std::pair(found.dk, expected.dk), std::pair(found.dv, expected.dv)}) {
            BOOST_TEST(distance(rows(a, row.other_keys), rows(b, row.other_keys)) <
                       tolerance);
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_value_shows_where_it_is_odd_and_nowhere_else) {
  const Mask mask = three_groups();
  const Inputs in;
  Inputs changed = in;
  changed.v = in.v.clone();
  changed.v.set({0, 1, 2}, not_a_number);
  changed.v.set({1, 1, 2}, infinity);
  const Tensor expected = nn::attention(in.q, in.k, in.v, mask).output.value();
  const Tensor found =
      nn::attention(changed.q, changed.k, changed.v, mask).output.value();
  BOOST_TEST(all_nan(found[0][0][2]));
  BOOST_TEST(found.at({1, 0, 2}) == infinity);
  const auto others = [](const Tensor& x) {
    return index_select(x, 2, tensor({0, 1, 3}));
  };
  BOOST_TEST(distance(others(found), others(expected)) < tolerance);
  BOOST_TEST(distance(rows(found, {1, 2}), rows(expected, {1, 2})) < tolerance);
}

BOOST_AUTO_TEST_CASE(what_one_head_alone_sees_is_not_taken_for_hidden) {
  Tensor keep = ones({1, 2, 3, 6}, boolean);    // (1, heads, n, m)
  slice(keep, 3, 5).fill_(0);                   // no head sees key 5
  select(slice(keep, 3, 3, 5), 1, 0).fill_(0);  // head 1 alone sees 3 and 4
  const Mask mask = Mask::keep(keep);
  for (const Form& form : attention_forms()) {
    if (!form.heads || form.self || form.causal) continue;
    BOOST_TEST_CONTEXT(form.name) {
      const Inputs in;
      Inputs changed = in;
      changed.k = with_row(in.k, 5, not_a_number);
      const Run expected = run(form, in, mask), found = run(form, changed, mask);
      BOOST_TEST(distance(found.output, expected.output) < tolerance);
      check_same_gradients(found, expected);
      BOOST_TEST(max(abs(rows(found.dk, {3, 4}))).item() > 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_query_reaches_no_key_that_it_does_not_see) {
  for (const Form& form : attention_forms()) {
    if (form.self || form.causal) continue;
    BOOST_TEST_CONTEXT(form.name) {
      const Inputs in;
      Inputs changed = in;
      changed.q = with_row(in.q, 0, not_a_number);
      const Run expected = run(form, in, three_groups());
      const Run found = run(form, changed, three_groups());
      BOOST_TEST(all_nan(rows(found.output, {0})));
      BOOST_TEST(all_nan(rows(found.dk, {0, 1})));
      BOOST_TEST(distance(rows(found.output, {1, 2}), rows(expected.output, {1, 2})) <
                 tolerance);
      BOOST_TEST(distance(rows(found.dk, {2, 3, 4, 5}), rows(expected.dk, {2, 3, 4, 5})) <
                 tolerance);
      BOOST_TEST(distance(rows(found.dv, {2, 3, 4, 5}), rows(expected.dv, {2, 3, 4, 5})) <
                 tolerance);
    }
  }
}

BOOST_AUTO_TEST_CASE(of_two_texts_in_one_sequence_each_is_alone) {
  // Positions 0 to 2 are one text, 3 to 5 another.
  const Tensor text = tensor({0, 0, 0, 1, 1, 1});
  const Mask mask = Mask::keep(unsqueeze(text, 1) == text);
  for (const Form& form : attention_forms()) {
    if (!form.self) continue;
    for (const double value : {not_a_number, infinity}) {
      BOOST_TEST_CONTEXT(form.name << ", " << value) {
        Inputs in;
        in.q = randn({2, 6, 4}, float64);
        Inputs changed = in;
        changed.q = with_row(in.q, 1, value);
        const Run expected = run(form, in, mask), found = run(form, changed, mask);
        BOOST_TEST(finite(rows(found.output, {1})) < 8);
        for (const auto& [a, b] : {std::pair(found.output, expected.output),
                                   std::pair(found.dq, expected.dq)}) {
          BOOST_TEST(distance(rows(a, {3, 4, 5}), rows(b, {3, 4, 5})) < tolerance);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_query_without_a_key_reaches_nothing) {
  const Mask lens = Mask::valid_lens(tensor({{4, 0, 2}, {6, 0, 5}}));
  for (const Form& form : attention_forms()) {
    if (form.self || form.causal) continue;
    for (const EmptyRows policy : {EmptyRows::zero, EmptyRows::uniform}) {
      const Mask mask = lens.empty_rows(policy);
      BOOST_TEST_CONTEXT(form.name << (policy == EmptyRows::zero ? "" : ", uniform")) {
        const Inputs in;
        Inputs changed = in;
        changed.q = with_row(in.q, 1, not_a_number);
        for (const bool recorded : {false, true}) {
          const Run expected = run(form, in, mask, recorded);
          const Run found = run(form, changed, mask, recorded);
          BOOST_TEST(distance(found.output, expected.output) < tolerance);
          check_same_gradients(found, expected);
          BOOST_TEST(same(rows(found.dq, {1}), zeros({2, 1, 4}, float64)));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_uniform_row_shows_the_values_that_it_shares) {
  const Mask mask = Mask::valid_lens(tensor({{4, 0, 2}, {4, 0, 3}}));
  const Inputs in;
  Inputs changed = in;
  changed.v = with_row(in.v, 5, not_a_number);
  for (const Form& form : attention_forms()) {
    if (!form.values || form.causal) continue;
    BOOST_TEST_CONTEXT(form.name) {
      const Run uniform = run(form, changed, mask.empty_rows(EmptyRows::uniform));
      BOOST_TEST(all_nan(rows(uniform.output, {1})));
      BOOST_TEST(finite(rows(uniform.output, {0, 2})) ==
                 rows(uniform.output, {0, 2}).numel());
      BOOST_TEST(finite(run(form, changed, mask).output) == uniform.output.numel());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_row_that_is_nan_is_so_with_odd_padding_too) {
  const Mask mask =
      Mask::valid_lens(tensor({{4, 0, 2}, {4, 0, 3}})).empty_rows(EmptyRows::nan);
  for (const Form& form : attention_forms()) {
    if (form.self || form.causal) continue;
    BOOST_TEST_CONTEXT(form.name) {
      Inputs in;
      for (const bool changed : {false, true}) {
        if (changed) in.k = with_row(in.k, 5, not_a_number);
        const Run found = run(form, in, mask);
        BOOST_TEST(all_nan(rows(found.output, {1})));
        BOOST_TEST(all_nan(rows(found.dq, {1})));
        BOOST_TEST(finite(rows(found.output, {0, 2})) ==
                   rows(found.output, {0, 2}).numel());
        BOOST_TEST(finite(rows(found.dq, {0, 2})) == 16);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(derivatives_go_around_what_is_hidden) {
  // Numbers that are not finite take a path with rules of its own.
  Tensor q = randn({2, 3, 4}, float64), k = randn({2, 6, 4}, float64),
         v = randn({2, 6, 4}, float64);
  k = with_row(k, 5, not_a_number);
  v = with_row(v, 4, infinity);
  const Mask mask = Mask::valid_lens(tensor({{4, 2, 0}, {1, 3, 4}}));
  for (const Form& form : attention_forms()) {
    if (form.self || form.causal || !form.values) continue;
    std::vector<Tensor> inputs = {q, k, v};
    for (const Tensor& x : form.parameters) inputs.push_back(x);
    BOOST_TEST_CONTEXT(form.name) {
      check_derivatives(
          [&](const std::vector<Variable>& in) {
            return form.run(FormInputs::from(in), mask);
          },
          inputs);
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_lost_in_all_places_take_no_op_for_each) {
  // As after training has diverged: the call must not become slow.
  const Variable x(full({2, 256, 4}, not_a_number), true);
  const Variable y = nn::attention(x, x, x, Mask::causal()).output;
  BOOST_TEST(nodes_behind(y).size() < 20u);
  sum(y).backward();
  BOOST_TEST(all_nan(y.value()));
  BOOST_TEST(all_nan(x.grad().value()));
}

BOOST_AUTO_TEST_SUITE_END()
