// Shortages of memory while expressions are computed and differentiated.

#include <memory>

#include "tests/allocation/failing.h"

using namespace heed;
using namespace heed::tests;

namespace {

// Leaves, and an expression of them whose graph has every kind of node: with one rule an
// input, one for all, a list of inputs; views, broadcasts, a value that is used twice.
struct Expression {
  Variable x = leaf({3, 4}, 1), w = leaf({4}, 2), b = leaf({4}, 3);
  Variable y, inner;  // once record() was called

  static Variable leaf(const Shape& shape, std::uint64_t seed) {
    Generator generator(seed);
    return Variable(randn(shape, float64, generator), true);
  }

  void record() {
    const Variable normed = layer_norm(x, w, b, 1e-5);
    const Variable u = tanh(matmul(normed, transpose(x, 0, 1)) + slice(w, 0, 0, 3));
    const Variable heads = nn::attend(nn::DotScore{.scale = 0.5}, u, u, x);
    const Variable joined = cat({heads, x, sort(x).values}, 0);
    y = sum(softmax(joined, 1) * joined) + sum(u) + sum(heed::std(x, {1}));
    inner = u;
  }

  std::vector<Variable> leaves() const { return {x, w, b}; }

  // Values and gradients.
  Bits bits() const {
    Bits bits;
    for (const Variable& leaf : leaves()) {
      append_bits(bits, leaf.value());
      bits.push_back(leaf.has_grad());
      if (leaf.has_grad()) append_bits(bits, leaf.grad().value());
    }
    if (y.node()) append_bits(bits, y.value());
    return bits;
  }
};

const auto fresh = [] { return std::make_unique<Expression>(); };
const auto recorded = [] {
  auto state = std::make_unique<Expression>();
  state->record();
  return state;
};
const auto with_gradients = [] {
  auto state = recorded();
  state->y.backward({.retain_graph = true});
  return state;
};
const auto bits = [](const Expression& state) { return state.bits(); };

}  // namespace

BOOST_AUTO_TEST_CASE(tensors_and_nodes_fail) {
  const auto fails = [](auto&& allocate) {
    const OutOfMemory shortage(0, Shortage::once);
    BOOST_CHECK_THROW(allocate(), Error);
  };
  const Variable x = Expression::leaf({3}, 1);
  fails([] { empty({3}); });
  fails([&] { view(x, {3, 1}); });
}

BOOST_AUTO_TEST_SUITE(autograd)

BOOST_AUTO_TEST_CASE(forward) {
  check_shortages(
      "forward", fresh, [](Expression& e) { e.record(); }, bits);
}

BOOST_AUTO_TEST_CASE(backward) {
  const auto differentiate = [](BackwardOptions options) {
    return [options](Expression& e) { e.y.backward(options); };
  };
  check_shortages("onto nothing", recorded, differentiate({.retain_graph = true}), bits);
  check_shortages("onto gradients", with_gradients, differentiate({.retain_graph = true}),
                  bits);
  check_shortages("recorded", recorded, differentiate({.create_graph = true}), bits);
  check_shortages("recorded, onto gradients", with_gradients,
                  differentiate({.create_graph = true}), bits);
}

// Without retain_graph what is walked is freed: the value is to be computed anew.
BOOST_AUTO_TEST_CASE(backward_that_frees) {
  const auto whole_step = [](Expression& e) {
    Expression step = e;
    step.record();
    step.y.backward();
  };
  check_shortages("from nothing", fresh, whole_step, bits);
  check_shortages("onto gradients", with_gradients, whole_step, bits);
}

// A backward pass that throws must leave nothing in the graph that a later pass for other
// gradients would use.
BOOST_AUTO_TEST_CASE(the_walk_after) {
  struct Captured : Expression {
    std::vector<Variable> gradients;
  };
  const auto make = [] {
    auto state = std::make_unique<Captured>();
    state->record();
    return state;
  };
  const auto differentiated = [](Captured& state) {
    for (Variable leaf : state.leaves()) leaf.zero_grad();
    state.y.backward({.retain_graph = true});
    Bits bits = state.bits();
    for (const Variable& g : state.gradients) append_bits(bits, g.value());
    return bits;
  };
  for (const bool create_graph : {false, true}) {
    const GradOptions options{.retain_graph = true, .create_graph = create_graph};
    const auto capture = [&](Captured& e) {
      e.gradients = grad(e.y, {e.x, e.inner, e.x, e.b}, options);
    };
    check_shortages("grad", make, capture, differentiated);
  }
}

BOOST_AUTO_TEST_CASE(second_derivatives) {
  check_shortages(
      "of a recorded gradient", with_gradients,
      [](Expression& e) {
        const Variable slope =
            grad(sum(exp(e.x)) * sum(e.w), {e.x}, {.create_graph = true})[0];
        sum(square(slope)).backward();
      },
      bits);
}

BOOST_AUTO_TEST_CASE(retained_gradients) {
  check_shortages(
      "retain_grad", recorded,
      [](Expression& e) {
        Variable inner = e.inner;
        inner.retain_grad();
        e.y.backward({.retain_graph = true});
      },
      bits);
}

BOOST_AUTO_TEST_SUITE_END()
