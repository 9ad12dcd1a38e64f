// Every row of the table of ops, against finite differences, other layouts and other
// dtypes; and the table against the headers.

#include <cmath>
#include <map>
#include <set>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "tests/autograd/op_table.h"
#include "tests/autograd/patterns.h"
#include "tests/errors.h"
#include "tests/layouts.h"

using namespace heed;
using namespace heed::tests;

namespace {

// Calls check(row, sample, label) for all samples.
template <class F>
void for_each_sample(F&& check) {
  for (const OpRow& row : op_table()) {
    for (std::size_t i = 0; i < row.samples.size(); ++i) {
      check(row, row.samples[i], fmt::format("{}, sample {}", row.name, i));
    }
  }
}

std::vector<Variable> as_leaves(const std::vector<Tensor>& inputs) {
  std::vector<Variable> leaves;
  for (const Tensor& x : inputs) leaves.emplace_back(x, is_floating(x.dtype()));
  return leaves;
}

// The result and the gradients for fixed uneven weights, all as one list of numbers.
std::vector<double> everything(const Sample& sample, const std::vector<Tensor>& inputs) {
  std::vector<Variable> leaves = as_leaves(inputs);
  const Variable y = sample.f(leaves);
  Generator generator(3);
  sum(y * (rand(y.shape(), float64, generator) + 0.5).to(y.dtype())).backward();
  std::vector<double> numbers = y.value().to(float64).to_vector<double>();
  for (const Variable& leaf : leaves) {
    if (!leaf.has_grad()) continue;
    for (double d : leaf.grad().value().to(float64).to_vector<double>()) {
      numbers.push_back(d);
    }
  }
  return numbers;
}

// The same elements in column-major order.
Tensor column_major(const Tensor& x) {
  return x.dim() < 2 ? x : stored_transposed(x, 0, -1);
}

// The ops that the headers of autograd/ declare, each with its header.
std::map<std::string, std::string> declared_ops() {
  const std::set<std::string> others = {"fused.h",  "gradcheck.h", "node.h",
                                        "picked.h", "record.h",    "variable.h"};
  const std::string declaration =
      R"(\n(?:\w+<|std::\w+<)?(?:Variable|X|Joint<.+>)(?:, X)?>? (operator\S+?|\w+)\()";
  std::map<std::string, std::string> ops = declared_functions({"autograd"}, declaration);
  // Parts of the ops in composed.h.
  const std::set<std::string> parts = {"add_product", "corner", "log_to", "norm_of_last"};
  std::erase_if(ops, [&](const auto& op) {
    return others.contains(op.second) || parts.contains(op.first);
  });
  return ops;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(ops)

BOOST_AUTO_TEST_CASE(the_table_names_every_op) {
  const std::map<std::string, std::string> declared = declared_ops();
  std::set<std::string> listed;
  for (const OpRow& row : op_table()) listed.insert(row.name);
  for (const auto& [op, header] : declared) {
    BOOST_TEST(listed.contains(op),
               fmt::format("{}: declared in autograd/{}, without a row in op_table*.cpp",
                           op, header));
  }
  for (const std::string& op : listed) {
    BOOST_TEST(declared.contains(op),
               op + ": a row of op_table*.cpp, declared in no header of autograd/");
  }
  BOOST_TEST(declared.size() > 80u);
}

// Optional operands of these ops may be undefined, or leave the op without a use for the
// others.
BOOST_AUTO_TEST_CASE(an_undefined_input_is_refused) {
  const std::set<std::string> optional = {"additive_scores", "layer_norm", "linear"};
  for_each_sample([&](const OpRow& row, const Sample& sample, const std::string& label) {
    if (optional.contains(row.name)) return;
    for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
      std::vector<Variable> inputs(sample.inputs.begin(), sample.inputs.end());
      inputs[i] = Variable();
      BOOST_TEST(error_of([&] { sample.f(inputs); }) ==
                     "Tensor: used while undefined, that is default-constructed or moved "
                     "from",
                 label << ", input " << i);
    }
  });
}

BOOST_AUTO_TEST_CASE(derivatives_are_those_of_the_values) {
  for_each_sample([](const OpRow& row, const Sample& sample, const std::string& label) {
    if (!row.differentiable) return;
    const GradcheckReport report = gradcheck(sample.f, sample.inputs, {.op = label});
    BOOST_TEST(report.ok, report.text());
    BOOST_TEST(report.worst < 1e-6);
  });
}

BOOST_AUTO_TEST_CASE(second_derivatives_too, *boost::unit_test::label("slow")) {
  for_each_sample([](const OpRow& row, const Sample& sample, const std::string& label) {
    if (!row.differentiable) return;
    const GradcheckReport report =
        gradgradcheck(sample.f, sample.inputs, {.op = label, .atol = 1e-5, .rtol = 1e-5});
    BOOST_TEST(report.ok, report.text());
    BOOST_TEST(report.worst < 1e-5);
  });
}

BOOST_AUTO_TEST_CASE(the_layout_of_the_inputs_does_not_matter) {
  for_each_sample([](const OpRow& row, const Sample& sample, const std::string& label) {
    if (!row.differentiable || row.name == "view") return;
    const std::vector<double> expected = everything(sample, sample.inputs);
    for (auto layout : {strided, column_major}) {
      std::vector<Tensor> inputs;
      for (const Tensor& x : sample.inputs) inputs.push_back(layout(x));
      const std::vector<double> got = everything(sample, inputs);
      BOOST_REQUIRE_MESSAGE(got.size() == expected.size(), label);
      for (std::size_t i = 0; i < got.size(); ++i) {
        BOOST_TEST_INFO(label << ", number " << i);
        BOOST_TEST(std::abs(got[i] - expected[i]) <= 1e-12 * (1 + std::abs(expected[i])));
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(float32_gives_the_same_numbers_more_coarsely) {
  for_each_sample([](const OpRow& row, const Sample& sample, const std::string& label) {
    if (!row.differentiable || row.name == "to") return;
    const std::vector<double> expected = everything(sample, sample.inputs);
    std::vector<Tensor> inputs;
    for (const Tensor& x : sample.inputs) {
      inputs.push_back(x.dtype() == float64 ? x.to(float32) : x);
    }
    const Variable y = sample.f(as_leaves(inputs));
    BOOST_TEST_INFO(label);
    BOOST_TEST((y.dtype() == float32));
    const std::vector<double> got = everything(sample, inputs);
    BOOST_REQUIRE_MESSAGE(got.size() == expected.size(), label);
    for (std::size_t i = 0; i < got.size(); ++i) {
      BOOST_TEST_INFO(label << ", number " << i);
      BOOST_TEST(std::abs(got[i] - expected[i]) <= 2e-5 * (1 + std::abs(expected[i])));
    }
  });
}

BOOST_AUTO_TEST_CASE(a_gradient_has_the_shape_and_dtype_of_its_input) {
  for_each_sample([](const OpRow& row, const Sample& sample, const std::string& label) {
    if (!row.differentiable) return;
    const std::vector<Variable> leaves = as_leaves(sample.inputs);
    const Variable y = sample.f(leaves);
    y.backward(ones_like(y.value()));
    for (const Variable& leaf : leaves) {
      if (!leaf.requires_grad()) continue;
      BOOST_TEST_INFO(label);
      BOOST_REQUIRE(leaf.has_grad());
      BOOST_TEST((leaf.grad().shape() == leaf.shape()));
      BOOST_TEST((leaf.grad().dtype() == leaf.dtype()));
    }
  });
}

BOOST_AUTO_TEST_CASE(what_has_no_derivative_says_so) {
  const std::map<std::string, std::string> recorded_names = {
      {"operator==", "eq"}, {"operator!=", "ne"}, {"operator<", "lt"},
      {"operator<=", "le"}, {"operator>", "gt"},  {"operator>=", "ge"}};
  for_each_sample([&](const OpRow& row, const Sample& sample, const std::string&) {
    if (row.differentiable) return;
    const auto renamed = recorded_names.find(row.name);
    const std::string name = renamed == recorded_names.end() ? row.name : renamed->second;
    const std::string message = "backward: " + name + " has no derivative";
    const Variable y = sample.f(as_leaves(sample.inputs));
    BOOST_TEST(!y.requires_grad());
    BOOST_CHECK_EXCEPTION(y.backward(ones_like(y.value())), Error,
                          [&](const Error& e) { return e.what() == message; });
    // To the ops that take it, it is a constant.
    const Variable x(full({}, 2.0, float64), true);
    sum(x * y.value().to(float64)).backward();
    BOOST_TEST(x.has_grad());
  });
}

BOOST_AUTO_TEST_CASE(nothing_is_recorded_that_nobody_asks_for) {
  for_each_sample([](const OpRow&, const Sample& sample, const std::string& label) {
    std::vector<Variable> constants(sample.inputs.begin(), sample.inputs.end());
    BOOST_TEST_INFO(label);
    BOOST_TEST(!sample.f(constants).node());
    const NoGrad no_grad;
    BOOST_TEST(!sample.f(as_leaves(sample.inputs)).node());
  });
}

BOOST_AUTO_TEST_CASE(tensors_are_made_after_a_variable) {
  const Variable x(ones({2, 3}, float64), true);
  BOOST_TEST(equal(zeros_like(x), zeros({2, 3}, float64)));
  BOOST_TEST(equal(ones_like(x), ones({2, 3}, float64)));
  BOOST_TEST(equal(full_like(x, 4), full({2, 3}, 4, float64)));
  BOOST_TEST((empty_like(x).shape() == x.shape()));
  Generator a(1), b(1);
  BOOST_TEST(equal(rand_like(x, a), rand_like(x.value(), b)));
  BOOST_TEST(equal(randn_like(x, a), randn_like(x.value(), b)));
}

BOOST_AUTO_TEST_SUITE_END()
