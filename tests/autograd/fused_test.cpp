// Ops that have a composed form beside their kernels: derivatives of a higher order,
// where every recorded backward pass runs others inside it; and the formulas of all ops.
#include <cmath>
#include <numbers>
#include <set>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/autograd/op_samples.h"
#include "tests/autograd/patterns.h"
#include "tests/compare.h"

using namespace heed;
using namespace heed::tests;

namespace {

// A function of three inputs of the shape (n, n) that gives such a result: by the op,
// and by its formula.
struct Fused {
  const char* name;
  Function f, formula;
};

// Nothing hidden, or the future, with a bias for each pair.
nn::Mask mask_for(std::int64_t n, bool masked) {
  if (!masked) return {};
  const Tensor bias = sin(reshape(arange(n * n, float64), {n, n}));
  return nn::Mask::causal() & nn::Mask::additive(bias);
}

template <bool masked>
Variable attention(In in) {
  return nn::attend(nn::DotScore{.scale = 0.7}, in[0], in[1], in[2],
                    mask_for(in[0].size(0), masked), nn::Dropout(0));
}

template <bool masked>
Variable attention_formula(In in) {
  const Variable scores = 0.7 * matmul(in[0], transpose(in[1], 0, 1));
  const nn::Mask mask = mask_for(in[0].size(0), masked);
  return matmul(nn::masked_softmax(scores, mask), in[2]);
}

// Row i of the first input's column 0 attends to the numbers of row i of the others.
Variable gaussian(In in, bool fused) {
  const std::int64_t n = in[0].size(0);
  const Variable w = slice(select(in[2], 0, 0), 0, 0, 1);
  const Variable q = reshape(select(in[0], 1, 0), {n, 1, 1});
  if (!fused) {
    const Variable p = softmax(-0.5 * square((select(q, 2, 0) - in[1]) * w), 1);
    return sum(p * in[2], 1, true) * in[0];
  }
  const Variable y = nn::attend(nn::GaussianScore{w}, q, reshape(in[1], {n, n, 1}),
                                reshape(in[2], {n, n, 1}));
  return reshape(y, {n, 1}) * in[0];
}

const std::vector<Fused> fused = {
    {"layer_norm",
     [](In in) {
       return layer_norm(in[0], select(in[1], 0, 0), select(in[2], 0, 0), 0.1);
     },
     [](In in) {
       const Variable d = in[0] - mean(in[0], 1, true);
       return d / sqrt(mean(square(d), 1, true) + 0.1) * select(in[1], 0, 0) +
              select(in[2], 0, 0);
     }},
    {"softmax", [](In in) { return softmax(in[0] * in[1] + in[2], 1); },
     [](In in) {
       const Variable e = exp(in[0] * in[1] + in[2]);
       return e / sum(e, 1, true);
     }},
    {"gelu", [](In in) { return gelu(in[0] + in[1] * in[2]); },
     [](In in) {
       const Variable x = in[0] + in[1] * in[2];
       return 0.5 * x * (1 + erf(x / std::numbers::sqrt2));
     }},
    {"gelu, tanh", [](In in) { return gelu(in[0] + in[1] * in[2], Gelu::tanh); },
     [](In in) {
       const Variable x = in[0] + in[1] * in[2];
       const double c = std::sqrt(2 * std::numbers::inv_pi);
       return 0.5 * x * (1 + tanh(c * (x + 0.044715 * x * x * x)));
     }},
    {"attention", attention<false>, attention_formula<false>},
    {"attention, masked", attention<true>, attention_formula<true>},
    {"additive_scores",
     [](In in) { return additive_scores(in[0], in[1], select(in[2], 0, -1)); },
     [](In in) {
       return sum(
           select(in[2], 0, -1) * tanh(unsqueeze(in[0], -2) + unsqueeze(in[1], -3)), -1);
     }},
    {"gaussian attention", [](In in) { return gaussian(in, true); },
     [](In in) { return gaussian(in, false); }},
};

std::vector<Tensor> three_inputs(std::int64_t n = 3) {
  return {u(-1, 1, {n, n}), u(-1, 1, {n, n}), u(-1, 1, {n, n})};
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
    const GradcheckReport report = gradgradcheck(
        gradient_of(op.f), three_inputs(), {.op = op.name, .atol = 1e-4, .rtol = 1e-4});
    BOOST_TEST(report.ok, report.text());
  }
}

// Each input goes into the outer op again, so that it is used twice.
BOOST_AUTO_TEST_CASE(every_one_over_every_other, *boost::unit_test::label("slow")) {
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

// A recorded pass over the op runs inside one that captures an input of the op. That
// input is the result of another op, and other ops use it too.
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
    // Copies of h as the op's inputs must make no difference.
    const auto expected = gradients([&](In in) {
      return op.f({in[0] + 0, in[1] + 0, in[2] + 0});
    });
    for (int i : {0, 1}) {
      const double error = distance(got[i].value(), expected[i].value());
      BOOST_TEST(error < 1e-12, op.name << ", gradient " << i << ": " << error);
    }
  }
}

// Values, and first and second derivatives, whether the first pass is recorded or not;
// for rows shorter than a vector, and longer ones.
BOOST_AUTO_TEST_CASE(kernels_and_formula_are_one_function) {
  for (const Fused& op : fused) {
    for (const std::int64_t n : {1, 3, 20}) {
      std::vector<Variable> in;
      for (const Tensor& x : three_inputs(n)) in.emplace_back(x, true);
      const Tensor g = u(-1, 1, {n, n});
      const auto results = [&](const Function& f, bool recorded) {
        std::vector<Variable> all = {f(in)};
        const auto first =
            grad(all[0], in, {.grad_outputs = {g}, .create_graph = recorded});
        all.insert(all.end(), first.begin(), first.end());
        if (!recorded) return all;
        Variable total(zeros({}, float64));
        for (const Variable& x : first) total = total + sum(x * x * x);
        for (const Variable& x : grad(total, in)) all.push_back(x);
        return all;
      };
      const auto expected = results(op.formula, true);
      for (const bool recorded : {false, true}) {
        const auto got = results(op.f, recorded);
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double error = relative_distance(got[i].value(), expected[i].value());
          BOOST_TEST(error < 1e-12,
                     op.name << " of " << n << ", number " << i << ": " << error);
        }
      }
    }
  }
}

// The sums q + k of all pairs would be h numbers per score.
BOOST_AUTO_TEST_CASE(additive_scores_never_hold_all_sums) {
  Generator generator(6);
  const std::int64_t n = 50, m = 60, h = 64;
  const Variable queries(randn({4, n, h}, float32, generator), true);
  const Variable keys(randn({4, m, h}, float32, generator), true);
  const Variable w(randn({h}, float32, generator), true);
  const std::int64_t before = memory::bytes_live();
  memory::reset_peak();
  sum(additive_scores(queries, keys, w)).backward();
  const std::int64_t all_sums = 4 * n * m * h * 4;
  BOOST_TEST(memory::bytes_peak() - before < all_sums / 5);
}

// --- formulas

namespace {

// The number of equations, which stand before the words that explain the letters.
std::ptrdiff_t equations(const std::string& derivative) {
  const std::string text = derivative.substr(0, derivative.find(" with "));
  return count_matches(text, "(^|,  )d[A-Za-z]+(_[a-z]+)? = ");
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
