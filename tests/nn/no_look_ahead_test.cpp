// The proof that causal attention does not look ahead. For every form of attention:
//
//   1. the derivative of each output position by each input position that it must not
//      see is 0, not merely small; by those that it sees it is not all 0;
//   2. changing the inputs from a position on changes no bit of the outputs that do not
//      see it, and changes those that do.
//
// Derivatives alone would miss a leak that is constant, bits alone a leak that the drawn
// numbers happen not to show.

#include <algorithm>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/nn/checks.h"
#include "tests/nn/forms.h"

using namespace heed;
using namespace heed::tests;
using nn::CausalAlign;
using nn::Mask;

namespace {

constexpr CausalAlign left = CausalAlign::top_left, right = CausalAlign::bottom_right;

// n queries and m keys, and who sees whom.
struct Lengths {
  std::int64_t n, m;
  CausalAlign align;

  // How many keys query i sees: the first ones.
  std::int64_t seen_by(std::int64_t i) const {
    const std::int64_t first = align == left ? 0 : m - n;
    return std::clamp<std::int64_t>(i + first + 1, 0, m);
  }
  std::string text() const {
    return fmt::format("{} x {}, {}", n, m, align == left ? "top left" : "bottom right");
  }
};

// A form with the numbers that it is tried on.
struct Trial {
  const Form& form;
  Lengths lengths;
  Mask mask;  // causal, unless the form is so of itself
  Tensor q, k, v;

  Trial(const Form& form, const Lengths& lengths, DType dtype)
      : form(form),
        lengths(lengths),
        mask(form.causal ? Mask() : Mask::causal(lengths.align)),
        q(randn({2, lengths.n, 4}, dtype)),
        k(randn({2, lengths.m, 4}, dtype)),
        v(randn({2, lengths.m, 4}, dtype)) {}

  Variable run(const Variable& queries, const Variable& keys,
               const Variable& values) const {
    FormInputs in{queries, keys, values, {}};
    for (const Tensor& x : form.parameters) in.parameters.emplace_back(x, true);
    return form.run(in, mask);
  }
};

// Checks the gradient g (2, n, d) of one output position: 0 at all positions that
// `sees` refuses and, with `must_be`, not 0 in either sequence at the others.
template <class Sees>
void check_positions(const std::string& what, const Tensor& g, bool must_be, Sees sees) {
  const Tensor found = any(g != 0, 2);  // (2, n); NaN is not 0
  for (std::int64_t j = 0; j < g.size(1); ++j) {
    const double sequences = sum(select(found, 1, j)).item();
    if (!sees(j)) {
      BOOST_TEST(sequences == 0, what << " " << j << " is seen");
    } else if (must_be) {
      BOOST_TEST(sequences == 2, what << " " << j << " is not seen");
    }
  }
}

void check_derivatives_by_position(const Trial& trial) {
  const Variable q(trial.q, true), k(trial.k, true), v(trial.v, true);
  const Variable y = trial.run(q, k, v);
  const Tensor weights = 0.5 + rand({2, y.size(2)}, y.dtype());
  for (std::int64_t i = 0; i < trial.lengths.n; ++i) {
    BOOST_TEST_CONTEXT("output " << i) {
      const auto g =
          grad(sum(select(y, 1, i) * weights), {q, k, v}, {.retain_graph = true});
      const std::int64_t seen = trial.lengths.seen_by(i);
      const auto earlier = [&](std::int64_t j) { return j < seen; };
      if (trial.form.self) {
        check_positions("input", g[0].value(), true, earlier);
        continue;
      }
      // Among fewer than two keys there is no choice: the weight is 1 whatever they are.
      const bool choice = seen >= 2;
      check_positions("query", g[0].value(), choice,
                      [&](std::int64_t j) { return j == i; });
      check_positions("key", g[1].value(), choice || !trial.form.values, earlier);
      check_positions("value", g[2].value(), trial.form.values, earlier);
    }
  }
}

// x (2, n, d) with other numbers from position p on.
Tensor changed_from(const Tensor& x, std::int64_t p) {
  Tensor other = x.clone();
  Tensor later = slice(other, 1, p);
  later.copy_(randn(later.shape(), x.dtype()) * 10);
  return other;
}

void check_bits(const Trial& trial, std::int64_t p) {
  const Tensor before = trial.run(trial.q, trial.k, trial.v).value();
  const bool self = trial.form.self;
  const Tensor after = trial
                           .run(self ? changed_from(trial.q, p) : trial.q,
                                changed_from(trial.k, p), changed_from(trial.v, p))
                           .value();
  for (std::int64_t i = 0; i < trial.lengths.n; ++i) {
    BOOST_TEST_CONTEXT("output " << i << ", changed from " << p) {
      const bool sees = trial.lengths.seen_by(i) > p;
      BOOST_TEST(same(select(before, 1, i), select(after, 1, i)) == !sees);
    }
  }
}

// Calls check(trial) for every form, in both dtypes.
template <class Check>
void for_each_form(const Lengths& lengths, Check check) {
  for (const DType dtype : {float32, float64}) {
    const FormOptions options{.dtype = dtype, .align = lengths.align};
    for (const Form& form : attention_forms(options)) {
      if (form.self && lengths.n != lengths.m) continue;
      BOOST_TEST_CONTEXT(form.name << ", " << lengths.text() << ", " << name(dtype)) {
        check(Trial(form, lengths, dtype));
      }
    }
  }
}

const std::vector<Lengths> large = {
    {70, 70, left}, {70, 70, right}, {37, 70, right}, {70, 41, left}};

}  // namespace

BOOST_AUTO_TEST_SUITE(no_look_ahead)

BOOST_AUTO_TEST_CASE(no_derivative_by_what_comes_later) {
  for (std::int64_t n = 1; n <= 5; ++n) {
    for (std::int64_t m = 1; m <= 5; ++m) {
      for (const CausalAlign align : {left, right}) {
        for_each_form({n, m, align}, check_derivatives_by_position);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(no_bit_changes_with_what_comes_later) {
  for (std::int64_t n = 1; n <= 5; ++n) {
    for (std::int64_t m = 1; m <= 5; ++m) {
      for (const CausalAlign align : {left, right}) {
        for_each_form({n, m, align}, [&](const Trial& trial) {
          for (std::int64_t p = 0; p < m; ++p) check_bits(trial, p);
        });
      }
    }
  }
}

// Lengths at which kernels work in blocks.

BOOST_AUTO_TEST_CASE(no_derivative_in_long_sequences) {
  for (const Lengths& lengths : large) {
    for_each_form(lengths, check_derivatives_by_position);
  }
}

BOOST_AUTO_TEST_CASE(no_bit_in_long_sequences) {
  for (const Lengths& lengths : large) {
    for_each_form(lengths, [](const Trial& trial) {
      for (const std::int64_t p : {1, 8, 31, 32, 33, 40}) check_bits(trial, p);
    });
  }
}

// The proof can fail: it finds a mask that shows each query one position ahead.
BOOST_AUTO_TEST_CASE(who_looks_ahead_is_found_out) {
  const Form form = attention_forms()[0];
  Trial trial(form, {3, 4, left}, float64);
  const Mask ahead = Mask::causal(right);  // query i sees keys up to i + 1
  trial.mask = ahead;
  const Variable q(trial.q, true), k(trial.k, true), v(trial.v, true);
  const Variable y = trial.run(q, k, v);
  const Tensor g = grad(sum(select(y, 1, 0)), {v})[0].value();
  BOOST_TEST(any(select(g, 1, 1) != 0).item() == 1);
  BOOST_TEST(any(select(g, 1, 2) != 0).item() == 0);
  const Tensor after = trial.run(trial.q, trial.k, changed_from(trial.v, 1)).value();
  BOOST_TEST(!same(select(y.value(), 1, 0), select(after, 1, 0)));
}

BOOST_AUTO_TEST_SUITE_END()
