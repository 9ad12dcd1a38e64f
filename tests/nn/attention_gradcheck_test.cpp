// First and second derivatives of every form of attention under every kind of mask, by
// its inputs and its parameters, against differences.

#include <limits>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/checks.h"
#include "tests/nn/forms.h"

using namespace heed;
using namespace heed::tests;
using nn::CausalAlign;
using nn::EmptyRows;
using nn::Mask;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Named {
  std::string name;
  Mask mask;
  bool empties = false;  // leaves a query without a key
};

// For scores (2, n, m) of two or three queries and keys, and for every head alike.
std::vector<Named> masks(std::int64_t n, std::int64_t m) {
  const auto corner = [&](const NestedList& list, DType dtype) {
    return slice(slice(tensor(list, dtype), 0, 0, n), 1, 0, m);
  };
  const Tensor some = corner({{1, 1, 0}, {0, 1, 1}, {1, 0, 1}}, boolean);
  const Tensor numbers =
      corner({{0.3, -1, 0}, {-infinity, 2, 0.5}, {0, 1, -infinity}}, float64);
  const Tensor each = slice(tensor({{1, 0, 2}, {2, 3, 1}}), 1, 0, n);
  const Mask keep = Mask::keep(some), bias = Mask::additive(numbers);
  const Mask lens = Mask::valid_lens(each);
  return {
      {"none", Mask()},
      {"keep", keep},
      {"drop", Mask::drop(logical_not(slice(some, 0, 1, 2)))},
      {"valid_lens", Mask::valid_lens(tensor({1, 2}))},
      {"valid_lens of sequences, one empty", Mask::valid_lens(tensor({2, 0})), true},
      {"valid_lens of queries, one empty", lens, true},
      {"causal, top left", Mask::causal(CausalAlign::top_left)},
      {"causal, bottom right", Mask::causal(CausalAlign::bottom_right), n > m},
      {"additive", bias},
      {"keep & additive", keep & bias},
      {"valid_lens & causal", lens & Mask::causal(CausalAlign::top_left), true},
      {"drop & valid_lens & causal & additive",
       Mask::drop(logical_not(some)) & Mask::valid_lens(tensor({3, 1})) &
           Mask::causal(CausalAlign::bottom_right) & bias,
       true},
  };
}

// Queries, keys, values, and the form's parameters.
std::vector<Tensor> inputs(const Form& form, std::int64_t n, std::int64_t m) {
  Generator generator(11);
  const auto draw = [&](std::int64_t rows) {
    return randn({2, rows, 2}, float64, generator);
  };
  std::vector<Tensor> list = {draw(n), draw(m), draw(m)};
  list.insert(list.end(), form.parameters.begin(), form.parameters.end());
  return list;
}

void check_form(const Form& form, const Mask& mask, std::int64_t n, std::int64_t m) {
  const Function f = [&](const std::vector<Variable>& in) {
    manual_seed(5);  // of dropout
    return form.run(FormInputs::from(in), mask);
  };
  check_derivatives(f, inputs(form, n, m));
}

// All forms under all masks, and under those with empty rows by both policies that have
// derivatives.
void check_all(std::int64_t n, std::int64_t m, const FormOptions& options) {
  for (const Form& form : attention_forms(options)) {
    if (form.self && n != m) continue;
    for (const Named& kind : masks(n, m)) {
      BOOST_TEST_CONTEXT(form.name << ", " << n << " x " << m << ", " << kind.name) {
        check_form(form, kind.mask, n, m);
      }
      if (!kind.empties) continue;
      BOOST_TEST_CONTEXT(form.name << ", " << n << " x " << m << ", " << kind.name
                                   << ", uniform") {
        check_form(form, kind.mask.empty_rows(EmptyRows::uniform), n, m);
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attention_derivatives)

BOOST_AUTO_TEST_CASE(with_as_many_keys_as_queries) { check_all(2, 2, {.width = 2}); }

BOOST_AUTO_TEST_CASE(with_more_keys_than_queries) {
  check_all(2, 3, {.width = 2, .align = CausalAlign::bottom_right});
}

BOOST_AUTO_TEST_CASE(with_fewer_keys_than_queries) { check_all(3, 2, {.width = 2}); }

BOOST_AUTO_TEST_CASE(with_dropout) { check_all(2, 2, {.width = 2, .dropout = 0.4}); }

// The other two policies have no derivatives: one is NaN, just in the rows without a key,
// the other refuses them.
BOOST_AUTO_TEST_CASE(rows_without_a_key_are_nan_or_refused) {
  const std::int64_t n = 3, m = 2;
  const CausalAlign align = CausalAlign::bottom_right;
  for (const Form& form : attention_forms({.width = 2, .align = align})) {
    if (form.self) continue;
    for (const Named& kind : masks(n, m)) {
      BOOST_TEST_CONTEXT(form.name << ", " << kind.name) {
        const Mask both = form.causal ? kind.mask & Mask::causal(align) : kind.mask;
        const Tensor seen = expand(both.lay_on({2, n, m}).kept(m), {2, n, m});
        const Tensor empty = logical_not(any(seen, -1));  // (2, n)

        std::vector<Variable> list;
        for (const Tensor& x : inputs(form, n, m)) list.emplace_back(x, true);
        const FormInputs in = FormInputs::from(list);
        const Variable y = form.run(in, kind.mask.empty_rows(EmptyRows::nan));
        sum(square(y)).backward();
        for (const Tensor& x : {y.value(), in.queries.grad().value()}) {
          BOOST_TEST(same(any(isnan(x), -1), empty));
          BOOST_TEST(same(all(isnan(x), -1), empty));
        }

        const Mask strict = kind.mask.empty_rows(EmptyRows::error);
        const std::string message = error_of([&] { form.run(in, strict); });
        const bool refused = message.starts_with("mask: every query must have a key");
        BOOST_TEST(refused == (any(empty).item() != 0), message);
        BOOST_TEST((refused || message == "no error"), message);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
