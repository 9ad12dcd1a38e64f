// How does a gradient come back? y = sum(softmax(x W) v), attention of one query, worked
// by hand: every node, its value, and its gradient beside the one that heed finds.
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <heed.h>

namespace {

using namespace heed;

// "[[1, 2], [3, 4]]"
std::string in_a_line(const Tensor& x) {
  if (x.dim() == 0) return fmt::format("{:.4g}", x.item());
  std::string text;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    text += (i > 0 ? ", " : "") + in_a_line(x[i]);
  }
  return "[" + text + "]";
}

double distance(const Tensor& a, const Tensor& b) { return max(abs(a - b)).item(); }

// A value on the way from x to y, and the gradient of y by it, found by hand.
struct Step {
  std::string name;
  Variable variable;
  std::string rule;
  Tensor gradient;
};

}  // namespace

int main() {
  const double ln2 = 0.69314718055994531;
  const Variable x(tensor({{1, 1}}, float64), true);                             // (1, 2)
  const Variable W(tensor({{0.0, ln2, ln2}, {0.0, 0.0, -ln2}}, float64), true);  // (2, 3)
  const Variable v(tensor({{4}, {8}, {0}}, float64), true);                      // (3, 1)

  // Forward. Softmax is written out, so that e is used twice: in s and in p.
  const Variable z = matmul(x, W);       // (1, 3), the scores of three keys
  const Variable e = exp(z);             // (1, 3)
  const Variable s = sum(e, {1}, true);  // (1, 1)
  const Variable p = e / s;              // (1, 3), their weights
  const Variable o = matmul(p, v);       // (1, 1), the weighted sum of the values
  const Variable y = sum(o);

  fmt::print("{:<10} {:<7} {:<40} {}\n", "forward", "op", "value",
             "its rules, g being its own gradient");
  const auto print = [](const char* name, const Variable& a) {
    const OpInfo& op = a.node()->op;
    const std::string value = in_a_line(a.value());
    if (a.node()->kind == Node::Kind::leaf) {
      fmt::print("{:<10} {:<7} {}\n", name, "leaf", value);
    } else {
      fmt::print("{:<10} {:<7} {:<40} {}\n", name, op.name, value, op.derivative);
    }
  };
  print("x", x);
  print("W", W);
  print("v", v);
  print("z = x W", z);
  print("e = exp z", e);
  print("s = sum e", s);
  print("p = e / s", p);
  print("o = p v", o);
  print("y = sum o", y);

  // Backward, by hand: from y to the leaves, each node after all that use it.
  const Tensor one = ones({}, float64);
  const Tensor d_o = expand(one, {1, 1});
  const Tensor dp = matmul(d_o, transpose(v.value(), 0, 1));
  const Tensor dv = matmul(transpose(p.value(), 0, 1), d_o);
  const Tensor ds = sum(-dp * e.value() / square(s.value()), {1}, true);
  const Tensor de_by_p = dp / s.value();
  const Tensor de_by_s = expand(ds, {1, 3});
  const Tensor de = de_by_p + de_by_s;
  const Tensor dz = de * e.value();
  const Tensor dx = matmul(dz, transpose(W.value(), 0, 1));
  const Tensor dW = matmul(transpose(x.value(), 0, 1), dz);

  const std::vector<Step> steps = {
      {"y", y, "1", one},           {"o", o, "dy, for each element", d_o},
      {"v", v, "pᵀ do", dv},        {"p", p, "do vᵀ", dp},
      {"s", s, "-Σ dp e / s²", ds}, {"e", e, "dp / s + ds", de},
      {"z", z, "de e", dz},         {"x", x, "dz Wᵀ", dx},
      {"W", W, "xᵀ dz", dW},
  };
  std::vector<Variable> variables;
  for (const Step& step : steps) variables.push_back(step.variable);
  const std::vector<Variable> found = grad(y, variables);

  fmt::print("\n{:<10} {:<22} {:<46} {}\n", "backward", "by hand", "", "by heed");
  bool all_equal = true;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Tensor& gradient = steps[i].gradient;
    const bool equal = distance(gradient, found[i].value()) < 1e-12;
    all_equal = all_equal && equal;
    fmt::print("d{:<9} {:<22} {:<46} {}\n", steps[i].name, steps[i].rule,
               in_a_line(gradient), equal ? "the same" : in_a_line(found[i].value()));
  }

  const Tensor too_early = matmul(de_by_p * e.value(), transpose(W.value(), 0, 1));
  fmt::print(
      "\ne has two users, and its gradient is the sum of what both send:\n"
      "  from p  {}\n  from s  {}\n"
      "Were exp differentiated before s had sent its part, dx would be\n"
      "  {} in place of {}.\n"
      "So a node waits for all its users: that is a topological order.\n",
      in_a_line(de_by_p), in_a_line(de_by_s), in_a_line(too_early), in_a_line(dx));
  all_equal = all_equal && distance(too_early, dx) > 0.1;
  return all_equal && std::fflush(stdout) == 0 ? 0 : 1;
}
