// Small language models, trained for some steps.
#include "autograd/elementwise.h"
#include "autograd/views.h"
#include "nn/causal_multi_head_attention.h"
#include "nn/embedding.h"
#include "nn/gpt.h"
#include "nn/layer_norm.h"
#include "nn/loss.h"
#include "nn/visit.h"
#include "tensor/core/factories.h"
#include "tensor/indexing/joining.h"
#include "tests/golden/optimiser_options.h"
#include "tests/golden/replay.h"
#include "tests/golden/replay_module.h"

namespace heed::golden {
namespace {

// Embedding and positions, one causal block, a head. The block's norms stand before what
// they feed: h += attn(ln1 h), h += mlp(ln2 h).
struct OneBlock {
  nn::Embedding tok, pos;
  nn::LayerNorm ln1;
  nn::CausalMultiHeadAttention attn;
  nn::LayerNorm ln2;
  nn::Linear fc1, fc2;
  nn::LayerNorm lnf;
  nn::Linear head;
  Gelu form;

  explicit OneBlock(const Case& c)
      : tok(c.integer("vocab"), c.integer("dim"), {.dtype = c.dtype()}),
        pos(c.integer("max_seq_len"), c.integer("dim"), {.dtype = c.dtype()}),
        ln1(c.integer("dim"), {.dtype = c.dtype()}),
        attn({.dim = c.integer("dim"),
              .n_heads = c.integer("n_heads"),
              .max_seq_len = c.integer("max_seq_len"),
              .dtype = c.dtype()}),
        ln2(c.integer("dim"), {.dtype = c.dtype()}),
        fc1(c.integer("dim"), c.integer("hidden"), {.dtype = c.dtype()}),
        fc2(c.integer("hidden"), c.integer("dim"), {.dtype = c.dtype()}),
        lnf(c.integer("dim"), {.dtype = c.dtype()}),
        head(c.integer("dim"), c.integer("vocab"), {.dtype = c.dtype()}),
        form(c.attributes("").at("gelu") == "tanh" ? Gelu::tanh : Gelu::exact) {}

  Variable operator()(const Tensor& ids) {
    Variable h = tok(ids) + pos(arange(ids.size(1), int64));  // (batch, n, dim)
    h = h + attn(ln1(h));
    h = h + fc2(gelu(fc1(ln2(h)), form));
    return head(lnf(h));  // (batch, n, vocab)
  }

  void visit(auto&& f) {
    f("tok", tok);
    f("pos", pos);
    f("ln1", ln1);
    f("attn", attn);
    f("ln2", ln2);
    f("fc1", fc1);
    f("fc2", fc2);
    f("lnf", lnf);
    f("head", head);
  }
};

nn::Gpt gpt(const Case& c) {
  return nn::Gpt({.vocab_size = c.integer("vocab_size"),
                  .block_size = c.integer("block_size"),
                  .n_layer = c.integer("n_layer"),
                  .n_head = c.integer("n_head"),
                  .n_embd = c.integer("n_embd"),
                  .bias = c.flag("bias", false),
                  .tied = c.flag("tied", true),
                  .dtype = c.dtype()});
}

// The mean loss over all positions.
Variable loss_of(const Variable& logits, const Tensor& targets) {
  return nn::cross_entropy(reshape(logits, {-1, logits.size(2)}), flatten(targets));
}

// Trains the model, and holds every step against the case.
template <class Optimiser, class Model>
void train(Model& net, const Case& c, Report& report) {
  const Tensor ids = c.tensor("in.ids"), targets = c.tensor("in.targets");
  Optimiser optimiser(nn::parameters(net),
                      options_of<typename Optimiser::Options>(c, "net"));
  std::vector<Tensor> losses;
  for (std::int64_t step = 0; step < c.integer("steps"); ++step) {
    optimiser.zero_grad();
    const Variable logits = net(ids);
    const Variable loss = loss_of(logits, targets);
    loss.backward();
    losses.push_back(reshape(loss.value(), {1}));
    if (step == 0) {
      report.expect("out.logits", logits.value());
      for (const auto& [name, parameter] : nn::named_parameters(net)) {
        report.expect("grad.param." + name, parameter.grad().value());
      }
    }
    optimiser.step();
  }
  const Variable logits = net(ids);
  losses.push_back(reshape(loss_of(logits, targets).value(), {1}));
  report.expect("final.logits", logits.value());
  report.expect("step.loss", cat(losses));
  for (const auto& [name, parameter] : nn::named_parameters(net)) {
    report.expect("final." + name, parameter.value());
  }
}

template <class Model>
void train_with_optimiser(Model& net, const Case& c, Report& report) {
  const std::string kind = c.text("optimiser");
  if (kind == "SGD") return train<optim::SGD>(net, c, report);
  if (kind == "Adam") return train<optim::Adam>(net, c, report);
  if (kind == "AdamW") return train<optim::AdamW>(net, c, report);
  throw CaseError("unknown optimiser " + kind);
}

// From the stored parameters, and from those that the seed draws; make() draws a model.
template <class Make>
void replay(const Case& c, Report& report, const Make& make) {
  auto stored = make();
  nn::StateDict initial;
  for (const std::string& name : c.names("init")) {
    initial.emplace(name, c.tensor("init." + name));
  }
  nn::load_state_dict(stored, initial);
  train_with_optimiser(stored, c, report);

  report.again(from_seed);
  manual_seed(static_cast<std::uint64_t>(c.integer("seed")));
  auto drawn = make();
  for (const auto& [name, parameter] : nn::named_parameters(drawn)) {
    report.expect("init." + name, parameter.value(),
                  c.dtype() == float32 ? exact : library);
  }
  train_with_optimiser(drawn, c, report);
}

}  // namespace

void replay_language_model(const Case& c, Report& report) {
  if (!c.gives("model")) return replay(c, report, [&] { return OneBlock(c); });
  const std::string model = c.text("model");
  if (model == "gpt") return replay(c, report, [&] { return gpt(c); });
  throw CaseError("unknown model " + model);
}

}  // namespace heed::golden
