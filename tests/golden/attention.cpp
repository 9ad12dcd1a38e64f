// Scores turned into weights, and what is made of them: masked softmax, additive and
// dot-product attention, attention as a function.
#include "nn/attention.h"

#include <cmath>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/views.h"
#include "nn/additive_attention.h"
#include "nn/dot_product_attention.h"
#include "tests/golden/replay.h"
#include "tests/golden/replay_module.h"

namespace heed::golden {
namespace {

NoModule no_module(const Case&) { return {}; }

// The reference puts a number far below all scores in the place of those that do not
// count, which gives a row without a key equal weights.
nn::Mask valid_lens(const Feed& in) {
  if (!in.has("valid_lens")) return {};
  return nn::Mask::valid_lens(in.tensor("valid_lens")).empty_rows(nn::EmptyRows::uniform);
}

Outputs softmax_outputs(NoModule&, const Feed& in) {
  if (in.c.number("value") != -1e6) throw CaseError("value must be -1e6");
  return nn::masked_softmax(in["X"], valid_lens(in));
}

// --- modules that score

nn::AdditiveAttention additive(const Case& c) {
  return {c.integer("key_size"), c.integer("query_size"), c.integer("num_hiddens"),
          c.number("dropout"), c.dtype()};
}

nn::DotProductAttention dot_product(const Case& c) {
  return nn::DotProductAttention(c.number("dropout"));
}

// w_vᵀ tanh(W_q q + W_k k) for every query q and key k.
Variable scores(nn::AdditiveAttention& net, const Variable& queries,
                const Variable& keys) {
  const Variable q = unsqueeze(net.W_q(queries), 2);  // (batch, queries, 1, hiddens)
  const Variable k = unsqueeze(net.W_k(keys), 1);     // (batch, 1, keys, hiddens)
  return squeeze(net.w_v(tanh(q + k)), -1);           // (batch, queries, keys)
}

// q · k / √d
Variable scores(nn::DotProductAttention&, const Variable& queries, const Variable& keys) {
  const double d = static_cast<double>(queries.size(-1));
  return bmm(queries, transpose(keys, 1, 2)) / std::sqrt(d);  // (batch, queries, keys)
}

// The layers give no scores, so these are computed beside them.
template <class M>
Outputs scoring_outputs(M& net, const Feed& in) {
  const Variable &queries = in["queries"], &keys = in["keys"];
  Outputs outputs = layer_outputs(net, in.c, queries, keys, in["values"], valid_lens(in));
  outputs["scores"] = scores(net, queries.detach(), keys.detach());
  return outputs;
}

// --- functions

nn::Dropout attention_dropout(const Case& c) {
  return nn::Dropout(c.gives("dropout") ? c.number("dropout") : 0);
}

Outputs attention_outputs(nn::Dropout& dropout, const Feed& in) {
  const bool self = in.c.flag("self", false);
  const auto input = [&](const char* name) { return in[self ? "x" : name]; };
  const nn::Attention found =
      nn::attention(input("q"), input("k"), input("v"), {}, dropout);
  Outputs outputs = found.output;
  // The reference gives the weights after dropout; the same seed draws the same mask.
  seed_dropout(in.c);
  outputs["p_attn"] = dropout(found.weights);
  return outputs;
}

// The reference puts -1e9 in the place of scores where the mask is 0.
nn::Mask mask_of(const Feed& in) {
  if (!in.has("mask")) return {};
  return nn::Mask::keep(in.tensor("mask")).empty_rows(nn::EmptyRows::uniform);
}

Outputs temperature_outputs(NoModule&, const Feed& in) {
  const nn::Attention found =
      nn::attention(nn::DotScore{.temperature = in.c.number("temperature")}, in["q"],
                    in["k"], in["v"], mask_of(in));
  Outputs outputs = found.output;
  outputs["p_attn"] = found.weights;
  return outputs;
}

}  // namespace

void replay_masked_softmax(const Case& c, Report& report) {
  replay_module(c, report, no_module, softmax_outputs);
}

void replay_additive_attention(const Case& c, Report& report) {
  replay_module(c, report, additive, scoring_outputs<nn::AdditiveAttention>);
}

void replay_dot_product_attention(const Case& c, Report& report) {
  replay_module(c, report, dot_product, scoring_outputs<nn::DotProductAttention>);
}

void replay_attention(const Case& c, Report& report) {
  replay_module(c, report, attention_dropout, attention_outputs);
}

void replay_attention_temperature(const Case& c, Report& report) {
  replay_module(c, report, no_module, temperature_outputs);

  nn::ScaledDotProductAttention layer(c.number("temperature"));
  nn::eval(layer);
  const Feed in(c);
  Outputs outputs = layer_outputs(layer, c, in["q"], in["k"], in["v"], mask_of(in));
  report.again("by the layer");
  report.expect("out.y", outputs["y"].value());
  report.expect("out.p_attn", outputs["weights"].value());
}

}  // namespace heed::golden
