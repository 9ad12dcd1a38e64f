// How a case of a module is computed: from the stored inputs and parameters, and once
// more from those that its recipe draws after the seed.
#pragma once

#include <optional>

#include "nn/visit.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"
#include "tests/golden/feed.h"
#include "tests/golden/recipe.h"
#include "tests/golden/report.h"

namespace heed::golden {

// Starts the generator from the seed that the case's dropout has of its own.
void seed_dropout(const Case& c);
// Holds what dropout keeps after that seed against the buf.keep*, bit for bit.
void expect_masks(const Case& c, Report& report);
// Holds the drawn inputs against the stored ones. Throws CaseError when a floating one
// was not drawn.
void expect_drawn(const Case& c, const DrawnInputs& drawn, Report& report);

// For cases without a module.
struct NoModule {
  void visit(auto&&) {}
};

// The module of the case, in training if the case is.
template <nn::Module M>
M made(const Case& c, M (*make)(const Case&)) {
  M net = make(c);
  nn::set_training(net, c.flag("training", c.gives("dropout_seed")));
  return net;
}

// What an attention layer returns for these inputs, and the weights that it keeps when
// asked to. Throws CaseError when keeping them changes what it returns.
template <nn::Module M>
Outputs layer_outputs(M& net, const Case& c, const auto&... inputs) {
  Outputs outputs = net(inputs...);
  net.keep_weights = true;
  seed_dropout(c);
  const Variable again = net(inputs...);
  if (!all(again.value() == outputs["y"].value()).item()) {
    throw CaseError("keeping the weights changes the output");
  }
  outputs["weights"] = net.attention_weights;
  return outputs;
}

// Follows the recipe; the module with the initial values that it draws goes to `net`.
template <nn::Module M>
DrawnInputs follow_recipe(const Case& c, M (*make)(const Case&), std::optional<M>& net) {
  return follow_recipe(c, [&] { net.emplace(made(c, make)); });
}

// Holds what `compute` returns, and its gradients, against the case.
template <nn::Module M>
void replay_module(const Case& c, Report& report, M (*make)(const Case&),
                   Outputs (*compute)(M&, const Feed&)) {
  const auto run = [&](M& net, const Feed& in) {
    seed_dropout(c);
    expect_all(in, compute(net, in), report);
  };
  M stored = made(c, make);
  Feed in(c);
  in.load(stored);
  run(stored, in);
  expect_masks(c, report);

  if (c.metadata("recipe").empty()) return;
  report.again(from_seed);
  std::optional<M> drawn;
  const DrawnInputs inputs = follow_recipe(c, make, drawn);
  expect_drawn(c, inputs, report);
  Feed again(c, inputs);
  again.own(*drawn);
  for (const auto& [name, parameter] : nn::named_parameters(*drawn)) {
    report.expect("param." + name, parameter.value(), exact);
  }
  run(*drawn, again);
}

}  // namespace heed::golden
