// First and second derivatives of every form of attention under every kind of mask, by
// its inputs and its parameters, against finite differences.
//
// Finite differences take many calls. So every form meets every mask once, and every size
// and dropout with a few masks; attend_test.cpp compares attend() with attention() for
// the other combinations of score, mask, size and dropout.

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

struct Sizes {
  std::int64_t n, m, width;
};

// Queries, keys, values, and the form's parameters.
std::vector<Tensor> inputs(const Form& form, const Sizes& size) {
  Generator generator(11);
  const auto draw = [&](std::int64_t rows) {
    return randn({2, rows, size.width}, float64, generator);
  };
  std::vector<Tensor> list = {draw(size.n), draw(size.m), draw(size.m)};
  list.insert(list.end(), form.parameters.begin(), form.parameters.end());
  return list;
}

void check_form(const Form& form, const Mask& mask, const Sizes& size) {
  const Function f = [&](const std::vector<Variable>& in) {
    manual_seed(5);  // of dropout
    return form.run(FormInputs::from(in), mask);
  };
  check_derivatives(f, inputs(form, size));
}

// Checks the forms under these masks; under those that leave a query without a key, with
// both policies that have derivatives.
void check_forms(const std::vector<Form>& forms, const Sizes& size,
                 const std::vector<NamedMask>& masks) {
  const auto [n, m, width] = size;
  for (const Form& form : forms) {
    if (form.self && n != m) continue;
    for (const NamedMask& kind : masks) {
      BOOST_TEST_CONTEXT(form.name << ", " << n << " x " << m << ", " << kind.name) {
        check_form(form, kind.mask, size);
      }
      if (!kind.empty_row) continue;
      BOOST_TEST_CONTEXT(form.name << ", " << n << " x " << m << ", " << kind.name
                                   << ", uniform") {
        check_form(form, kind.mask.empty_rows(EmptyRows::uniform), size);
      }
    }
  }
}

// No mask, two that may leave a query without a key, and all kinds together.
std::vector<NamedMask> few_masks(std::int64_t n, std::int64_t m) {
  std::vector<NamedMask> masks = kinds_of_masks(n, m);
  std::erase_if(masks, [](const NamedMask& kind) { return !kind.in_slow_tests; });
  BOOST_TEST_REQUIRE(masks.size() == 4u);
  return masks;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attention_derivatives)

BOOST_AUTO_TEST_CASE(with_as_many_keys_as_queries) {
  check_forms(attention_forms({.width = 2}), {2, 2, 2}, kinds_of_masks(2, 2));
}

BOOST_AUTO_TEST_CASE(with_more_keys_than_queries) {
  check_forms(attention_forms({.width = 2, .align = CausalAlign::bottom_right}),
              {2, 3, 2}, few_masks(2, 3));
}

BOOST_AUTO_TEST_CASE(with_fewer_keys_than_queries) {
  check_forms(attention_forms({.width = 2}), {3, 2, 2}, few_masks(3, 2));
}

BOOST_AUTO_TEST_CASE(with_dropout) {
  check_forms(attention_forms({.width = 2, .dropout = 0.4}), {2, 2, 2}, few_masks(2, 2));
}

// One query of one number, which a Gaussian has kernels for; and more queries than are
// computed row by row.
BOOST_AUTO_TEST_CASE(with_one_query_and_with_many) {
  for (const double dropout : {0.0, 0.4}) {
    for (const std::int64_t n : {1, 13}) {
      check_forms(score_forms({.width = 1, .dropout = dropout}), {n, 3, 1},
                  few_masks(n, 3));
    }
  }
}

// The other two policies have no derivatives: one is NaN, just in the rows without a key,
// the other refuses them.
BOOST_AUTO_TEST_CASE(rows_without_a_key_are_nan_or_refused) {
  const std::int64_t n = 3, m = 2;
  const CausalAlign align = CausalAlign::bottom_right;
  for (const Form& form : attention_forms({.width = 2, .align = align})) {
    if (form.self) continue;
    for (const NamedMask& kind : kinds_of_masks(n, m)) {
      BOOST_TEST_CONTEXT(form.name << ", " << kind.name) {
        const Mask both = form.causal ? kind.mask & Mask::causal(align) : kind.mask;
        const Tensor seen = expand(both.on({2, n, m}).visible(m), {2, n, m});
        const Tensor empty = logical_not(any(seen, -1));  // (2, n)

        std::vector<Variable> list;
        for (const Tensor& x : inputs(form, {n, m, 2})) list.emplace_back(x, true);
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
