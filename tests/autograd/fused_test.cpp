// Ops that have a composed form beside their kernels: derivatives of a higher order,
// where every walk that is recorded begins walks of its own; and the formulas of all ops.
#include <regex>
#include <set>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/autograd/op_samples.h"

using namespace heed;
using namespace heed::tests;

namespace {

// A function of three inputs of the shape (3, 3) that gives such a result.
struct Fused {
  const char* name;
  Function f;
};

Variable attention(In in, const nn::Mask& mask) {
  return nn::attend(nn::DotScore{.scale = 0.7}, in[0], in[1], in[2], mask,
                    nn::Dropout(0));
}

const std::vector<Fused> fused = {
    {"layer_norm",
     [](In in) {
       return layer_norm(in[0], select(in[1], 0, 0), select(in[2], 0, 0), 0.1);
     }},
    {"softmax", [](In in) { return softmax(in[0] * in[1] + in[2], 1); }},
    {"gelu", [](In in) { return gelu(in[0] + in[1] * in[2]); }},
    {"gelu, tanh", [](In in) { return gelu(in[0] + in[1] * in[2], Gelu::tanh); }},
    {"attention", [](In in) { return attention(in, {}); }},
    {"attention, masked",
     [](In in) {
       const Tensor bias = tensor({{0.5, -1, 0}, {1, 0, 2}, {0, 0.25, -0.5}}, float64);
       return attention(
           in, nn::Mask::valid_lens(indices({1, 3, 2}, {3})) & nn::Mask::additive(bias));
     }},
    {"additive_scores",
     [](In in) { return additive_scores(in[0], in[1], select(in[2], 0, 1)); }},
    {"gaussian attention",
     [](In in) {
       const Variable w = slice(select(in[2], 0, 0), 0, 0, 1);
       const Variable y = nn::attend(
           nn::GaussianScore{w}, reshape(select(in[0], 1, 0), {3, 1, 1}),
           reshape(in[1], {3, 3, 1}), reshape(in[2], {3, 3, 1}), {}, nn::Dropout(0));
       return reshape(y, {3, 1}) * in[0];
     }},
};

std::vector<Tensor> three_inputs() {
  return {u(-1, 1, {3, 3}), u(-1, 1, {3, 3}), u(-1, 1, {3, 3})};
}

// The first gradients of f, joined end to end, as a function of the inputs.
Function gradient_of(const Function& f) {
  return [f](In in) {
    const Variable y = f(in);
    Generator generator(5);
    const Tensor weights = rand(y.shape(), float64, generator) + 0.5;
    std::vector<Variable> flat;
    for (const Variable& g : grad(sum(y * weights), in, {.create_graph = true})) {
      flat.push_back(flatten(g));
    }
    return cat(flat);
  };
}

void check_second(const std::string& name, const Function& f) {
  const GradcheckReport report = gradgradcheck(f, three_inputs(), {.op = name});
  BOOST_TEST(report.ok, report.text());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fused_ops)

BOOST_AUTO_TEST_CASE(third_derivatives) {
  for (const Fused& op : fused) {
    const GradcheckReport report = gradgradcheck(gradient_of(op.f), three_inputs(),
                                                 {.op = op.name, .tolerance = 1e-4});
    BOOST_TEST(report.ok, report.text());
  }
}

// Each input goes into the outer op again, so that it is used twice.
BOOST_AUTO_TEST_CASE(every_one_over_every_other) {
  for (const Fused& outer : fused) {
    for (const Fused& inner : fused) {
      check_second(fmt::format("{} of {}", outer.name, inner.name), [&](In in) {
        return outer.f({inner.f(in), in[1], in[0]});
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(three_deep_with_one_input_for_all) {
  for (std::size_t i = 0; i < fused.size(); ++i) {
    const Function &f = fused[i].f, &g = fused[(i + 3) % fused.size()].f,
                   &h = fused[(i + 5) % fused.size()].f;
    check_second(fmt::format("three deep from {}", fused[i].name), [&](In in) {
      const Variable x = in[0];
      return f({g({h({x, x, x}), x, in[1]}), x, in[2]});
    });
  }
}

// A recorded walk over the op runs inside one that captures an input of the op, which an
// op made and which other ops use too.
BOOST_AUTO_TEST_CASE(inside_a_walk_that_captures_an_input) {
  for (const Fused& op : fused) {
    const auto gradients = [&](const Function& f) {
      Generator generator(11);
      const Variable x(randn({3, 3}, float64, generator), true);
      const Variable h = sin(x);
      const Variable y = f({h, h * x, h}) + h;
      const std::vector<Variable> first =
          grad(sum(square(y)), {h, x}, {.create_graph = true});
      return grad(sum(square(first[0])) + sum(first[0] * first[1]), {h, x});
    };
    const auto got = gradients(op.f);
    // What h is, written by itself, must make no difference.
    const auto expected = gradients([&](In in) {
      return op.f({in[0] + 0, in[1] + 0, in[2] + 0});
    });
    for (int i : {0, 1}) {
      const double error = max(abs(got[i].value() - expected[i].value())).item();
      BOOST_TEST(error < 1e-12, op.name << ", gradient " << i << ": " << error);
    }
  }
}

// A walk may be recorded or not, and the op's gradients come out alike.
BOOST_AUTO_TEST_CASE(both_ways_give_the_same_gradients) {
  for (const Fused& op : fused) {
    std::vector<Variable> in;
    for (const Tensor& x : three_inputs()) in.emplace_back(x, true);
    const Variable y = op.f(in);
    const Tensor g = u(-1, 1, y.shape());
    const auto gradients = [&](bool create_graph) {
      return grad(
          y, in,
          {.retain_graph = true, .create_graph = create_graph, .grad_outputs = {g}});
    };
    const auto by_kernels = gradients(false), composed = gradients(true);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double error = max(abs(by_kernels[i].value() - composed[i].value())).item();
      BOOST_TEST(error < 1e-12, op.name << ", input " << i << ": " << error);
    }
  }
}

// --- formulas

namespace {

// One equation an input, before the words that explain its letters.
std::ptrdiff_t equations(const std::string& derivative) {
  const std::string text = derivative.substr(0, derivative.find(" with "));
  static const std::regex equation("(^|,  )d[A-Za-z]+(_[a-z]+)? = ");
  return std::distance(std::sregex_iterator(text.begin(), text.end(), equation),
                       std::sregex_iterator());
}

void check_formulas(Node& node, std::set<Node*>& seen) {
  if (node.kind == Node::Kind::leaf || !seen.insert(&node).second) return;
  const std::string op = node.op.name;
  std::ptrdiff_t inputs = 0;
  for (const NodeRef& input : node.inputs()) {
    if (!input) continue;
    ++inputs;
    check_formulas(*input.get(), seen);
  }
  // An input may be a constant in every call, as lengths are.
  const bool is_list = op == "cat" || op == "stack";
  const std::ptrdiff_t count = equations(node.op.derivative);
  BOOST_TEST(count >= (is_list ? 1 : inputs), op << ": " << node.op.derivative);
  BOOST_TEST(count <= std::ssize(node.inputs()), op << ": " << node.op.derivative);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_op_has_a_formula_for_the_gradient_of_each_input) {
  std::set<Node*> seen;
  for (const OpRow& row : op_table()) {
    for (const Sample& sample : row.samples) {
      std::vector<Variable> in;
      for (const Tensor& x : sample.inputs) in.emplace_back(x, is_floating(x.dtype()));
      const Variable y = sample.f(in);
      if (!y.requires_grad()) continue;
      seen.clear();
      check_formulas(*y.node().get(), seen);
      std::vector<Variable> leaves;
      for (const Variable& x : in) {
        if (x.requires_grad()) leaves.push_back(x);
      }
      for (const Variable& g : grad(sum(y), leaves, {.create_graph = true})) {
        if (g.requires_grad()) check_formulas(*g.node().get(), seen);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
