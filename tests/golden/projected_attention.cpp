// Attention between linear layers: general, self-, multi-head and causal attention.
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/views.h"
#include "nn/causal_multi_head_attention.h"
#include "nn/general_attention.h"
#include "nn/heads.h"
#include "nn/multi_head_attention.h"
#include "tensor/core/factories.h"
#include "tensor/reduce/reductions.h"
#include "tests/golden/replay.h"
#include "tests/golden/replay_module.h"

namespace heed::golden {
namespace {

// d_k and d_v are d_model where they are not given.
std::int64_t width(const Case& c, const std::string& attribute) {
  return c.integer(c.gives(attribute) ? attribute : "d_model");
}

template <class M>
M projecting(const Case& c) {
  return M(c.integer("d_model"), width(c, "d_k"), width(c, "d_v"), c.dtype());
}

nn::MultiHeadAttention multi_head(const Case& c) {
  return {c.integer("d_model"), c.integer("d_k"), c.integer("d_v"),
          c.integer("num_heads"), c.dtype()};
}

nn::CausalMultiHeadAttention causal(const Case& c) {
  return nn::CausalMultiHeadAttention({.dim = c.integer("dim"),
                                       .n_heads = c.integer("n_heads"),
                                       .max_seq_len = c.integer("max_seq_len"),
                                       .dropout = c.number("dropout"),
                                       .is_causal = c.flag("is_causal", true),
                                       .dtype = c.dtype()});
}

Outputs general_outputs(nn::GeneralAttention& net, const Feed& in) {
  return layer_outputs(net, in.c, in["query"], in["key_value"]);
}

template <class M>
Outputs self_outputs(M& net, const Feed& in) {
  return layer_outputs(net, in.c, in["x"]);
}

// As the layer, with a softmax in float32 between scores and weights of float64. heed's
// layer stays in its dtype, so that the parts are put together here.
Outputs in_float32(nn::CausalMultiHeadAttention& net, const Variable& queries,
                   const Variable& keys, const Variable& values) {
  const Variable q = nn::split_heads(net.wq(queries), net.num_heads);  // (b, heads, n, d)
  const Variable k = nn::split_heads(net.wk(keys), net.num_heads);     // (b, heads, n, d)
  const Variable v = nn::split_heads(net.wv(values), net.num_heads);   // (b, heads, n, d)
  const double d = static_cast<double>(q.size(-1));
  const Variable scores = matmul(q, transpose(k, 2, 3)) / std::sqrt(d);
  const Variable weights = nn::masked_softmax(to(scores, float32), net.mask);
  Outputs outputs;
  outputs["weights"] = to(weights, scores.dtype());  // (b, heads, n, n)
  const Variable dropped = net.dropout(outputs["weights"]);
  outputs["y"] = net.resid_dropout(net.wo(nn::join_heads(matmul(dropped, v))));
  return outputs;
}

Outputs causal_outputs(nn::CausalMultiHeadAttention& net, const Feed& in) {
  const bool self = in.has("x");
  const Variable &q = in[self ? "x" : "q"], &k = in[self ? "x" : "k"],
                 &v = in[self ? "x" : "v"];
  if (in.c.flag("softmax_in_f32", false)) return in_float32(net, q, k, v);
  return self ? layer_outputs(net, in.c, q) : layer_outputs(net, in.c, q, k, v);
}

// The reference adds -inf where a query would look ahead.
void expect_causal_mask(const Case& c, Report& report) {
  if (!c.has("buf.mask")) return;
  const Shape& shape = c.tensor("buf.mask").shape();
  const Tensor kept = expand(nn::Mask::causal().on(shape).visible(shape[3]), shape);
  const double hidden = -std::numeric_limits<double>::infinity();
  report.expect("buf.mask", where(kept, zeros(shape, c.dtype()), hidden), exact);
}

// --- checksums of what is too large to be stored

Tensor checksum(const Tensor& x, const std::string& kind) {
  const Tensor flat = flatten(x);
  if (kind == "sum") return sum(flat.to(float64));
  if (kind == "abs_sum") return sum(abs(flat.to(float64)));
  if (kind == "first") return slice(flat, 0, 0, 8);
  if (kind == "last") return slice(flat, 0, -8);
  throw CaseError(fmt::format("unknown checksum {}", kind));
}

// out.NAME.KIND for inputs, parameters and outputs; all come from the seed alone. Single
// elements of what is drawn are as exact as the draw.
void replay_checksums(const Case& c, Report& report) {
  std::optional<nn::GeneralAttention> net;
  DrawnInputs known = follow_recipe(c, projecting<nn::GeneralAttention>, net);
  for (const char* name : {"query", "key_value"}) {
    if (!known.contains(name)) throw CaseError(fmt::format("no {} is drawn", name));
  }
  const Variable query = known.at("query").value, keys = known.at("key_value").value;
  for (const auto& [name, parameter] : nn::state_dict(*net)) {
    known.emplace(name, Drawn{parameter, exact});
  }
  const NoGrad no_grad;
  for (const auto& [name, output] : layer_outputs(*net, c, query, keys)) {
    known.emplace(name, Drawn{output.value(), c.tolerance()});
  }
  for (const std::string& name : c.names("out")) {
    const std::size_t dot = std::min(name.rfind('.'), name.size() - 1);
    const std::string kind = name.substr(dot + 1);
    const auto found = known.find(name.substr(0, dot));
    if (found == known.end()) throw CaseError(fmt::format("unknown sum out.{}", name));
    report.expect("out." + name, checksum(found->second.value, kind),
                  kind.ends_with("sum") ? c.tolerance() : found->second.tolerance);
  }
}

}  // namespace

void replay_general_attention(const Case& c, Report& report) {
  if (c.names("in").empty()) return replay_checksums(c, report);
  replay_module(c, report, projecting<nn::GeneralAttention>, general_outputs);
}

void replay_self_attention(const Case& c, Report& report) {
  replay_module(c, report, projecting<nn::SelfAttention>,
                self_outputs<nn::SelfAttention>);
}

void replay_multi_head_attention(const Case& c, Report& report) {
  replay_module(c, report, multi_head, self_outputs<nn::MultiHeadAttention>);
}

void replay_causal_mha(const Case& c, Report& report) {
  expect_causal_mask(c, report);
  replay_module(c, report, causal, causal_outputs);
}

}  // namespace heed::golden
