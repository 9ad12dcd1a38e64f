#include "nn/gpt.h"

#include <cmath>

#include <fmt/format.h>

#include "autograd/elementwise.h"
#include "autograd/joining.h"
#include "autograd/views.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/visit.h"
#include "tensor/core/factories.h"

namespace heed::nn {
namespace {

// Returns the options. Throws Error unless all sizes are at least 1.
const GptOptions& checked(const GptOptions& o) {
  check(o.vocab_size >= 1 && o.block_size >= 1 && o.n_layer >= 1 && o.n_head >= 1 &&
            o.n_embd >= 1,
        "Gpt: vocab_size, block_size, n_layer, n_head and n_embd must be at least 1, got "
        "{}, {}, {}, {} and {}",
        o.vocab_size, o.block_size, o.n_layer, o.n_head, o.n_embd);
  return o;
}

LinearOptions linear_options(const GptOptions& o) {
  return {.bias = o.bias, .dtype = o.dtype};
}
LayerNormOptions norm_options(const GptOptions& o) {
  return {.bias = o.bias, .dtype = o.dtype};
}

// The standard deviation of the initial weights.
constexpr double initial_std = 0.02;

void draw(Variable& weight, double std) {
  Tensor values = weight.value();
  init::normal_(values, 0, std);
}

// Throws Error unless the cache has the model's layers, and each holds keys and values of
// just the cache's positions.
void check_cache(const Gpt::Cache& cache, const GptOptions& o, const Shape& ids) {
  check(std::ssize(cache.layers) == o.n_layer,
        "Gpt: the cache must be one that cache() made, of {} layers, got {}", o.n_layer,
        cache.layers.size());
  const Shape expected{ids[0], o.n_head, cache.positions, o.n_embd / o.n_head};
  for (const AttentionCache& layer : cache.layers) {
    if (cache.positions == 0 && layer.is_empty()) continue;
    for (const Tensor& x : {layer.keys, layer.values}) {
      const auto found = [&] {
        return x.defined() ? fmt::format("{} {}", x.dtype(), x.shape()) : "none";
      };
      check(x.defined() && x.shape() == expected && x.dtype() == o.dtype,
            "Gpt: the cache must hold keys and values {} {} for ids {}, got {}; it is of "
            "another batch or model",
            o.dtype, expected, ids, found);
    }
  }
}

}  // namespace

CausalSelfAttention::CausalSelfAttention(const GptOptions& options)
    : Heads("Gpt", {"n_head", options.n_head}, {{"n_embd", options.n_embd}},
            options.dropout),
      c_attn(options.n_embd, 3 * options.n_embd, linear_options(options)),
      c_proj(options.n_embd, options.n_embd, linear_options(options)),
      resid_dropout(options.dropout) {}

Variable CausalSelfAttention::operator()(const Variable& x, AttentionCache* cache) {
  check(x.dim() == 3, "CausalSelfAttention: x must be (batch, n, n_embd), got {}",
        x.shape());
  const std::vector<Variable> qkv = chunk(c_attn(x), 3, 2);  // 3 of (batch, n, n_embd)
  const Variable q = split_heads(qkv[0], num_heads);         // (batch, heads, n, d)
  Variable k = split_heads(qkv[1], num_heads), v = split_heads(qkv[2], num_heads);
  if (cache && !cache->is_empty()) {  // (batch, heads, m, d), m = n + what was there
    k = cat({cache->keys, k}, 2);
    v = cat({cache->values, v}, 2);
  }
  // The n queries are the last n of the m positions: the last one sees all keys, so the
  // mask's diagonal ends in the bottom right corner.
  const Variable heads =  // (batch, n, n_embd)
      attend(q, k, v, Mask::causal(CausalAlign::bottom_right));
  const Variable y = resid_dropout(c_proj(heads));  // (batch, n, n_embd)
  if (cache) *cache = {k.value(), v.value()};  // at the end, when nothing throws any more
  return y;
}

Mlp::Mlp(const GptOptions& options)
    : c_fc(options.n_embd, 4 * options.n_embd, linear_options(options)),
      c_proj(4 * options.n_embd, options.n_embd, linear_options(options)),
      dropout(options.dropout) {}

Variable Mlp::operator()(const Variable& x) const {
  return dropout(c_proj(gelu(c_fc(x))));  // (batch, n, n_embd)
}

GptBlock::GptBlock(const GptOptions& options)
    : ln_1(options.n_embd, norm_options(options)),
      attn(options),
      ln_2(options.n_embd, norm_options(options)),
      mlp(options) {}

Variable GptBlock::operator()(const Variable& x, AttentionCache* cache) {
  AttentionCache grown = cache ? *cache : AttentionCache{};
  const Variable y = x + attn(ln_1(x), cache ? &grown : nullptr);  // (batch, n, n_embd)
  const Variable z = y + mlp(ln_2(y));                             // (batch, n, n_embd)
  if (cache) *cache = std::move(grown);
  return z;
}

Gpt::Transformer::Transformer(const GptOptions& options)
    : wte(options.vocab_size, options.n_embd, {.dtype = options.dtype}),
      wpe(options.block_size, options.n_embd, {.dtype = options.dtype}),
      drop(options.dropout),
      h([&] {
        std::vector<GptBlock> blocks;
        for (std::int64_t i = 0; i < options.n_layer; ++i) blocks.emplace_back(options);
        return blocks;
      }()),
      ln_f(options.n_embd, norm_options(options)) {}

Gpt::Gpt(const GptOptions& options)
    : options(checked(options)),
      transformer(options),
      lm_head(options.n_embd, options.vocab_size,
              {.bias = false, .dtype = options.dtype}) {
  if (options.tied) transformer.wte.weight = lm_head.weight;
  // In nanoGPT's order of draws, in which a tied weight comes twice, as wte's and as
  // lm_head's: the second draw stays.
  walk(*this, []<class P>(const std::string&, P& part) {
    if constexpr (std::is_same_v<P, Linear> || std::is_same_v<P, Embedding>) {
      draw(part.weight, initial_std);
    }
    if constexpr (std::is_same_v<P, Linear>) {
      if (part.bias.defined()) Tensor(part.bias.value()).fill_(0);
    }
  });
  const double residual_std =
      initial_std / std::sqrt(static_cast<double>(2 * options.n_layer));
  for (GptBlock& block : transformer.h) {
    draw(block.attn.c_proj.weight, residual_std);
    draw(block.mlp.c_proj.weight, residual_std);
  }
}

Variable Gpt::operator()(const Tensor& ids) {
  return lm_head(hidden(ids, nullptr));  // (batch, n, vocab_size)
}

Tensor Gpt::next(const Tensor& ids, Cache& cache) {
  const NoGrad no_grad;
  Cache grown = cache;
  const Variable x = hidden(ids, &grown);                        // (batch, n, n_embd)
  const Variable logits = lm_head(select(x, 1, x.size(1) - 1));  // (batch, vocab_size)
  cache = std::move(grown);
  return logits.value();
}

Gpt::Cache Gpt::cache() const {
  return {std::vector<AttentionCache>(transformer.h.size()), 0};
}

Variable Gpt::hidden(const Tensor& ids, Cache* cache) {
  const std::int64_t seen = cache ? cache->positions : 0;
  check(ids.dim() == 2 && ids.dtype() == int64 && ids.size(1) >= 1,
        "Gpt: ids must be int64 (batch, n), n at least 1, got {} {}", name(ids.dtype()),
        ids.shape());
  if (cache) check_cache(*cache, options, ids.shape());
  const std::int64_t end = seen + ids.size(1);
  check(end <= options.block_size, "Gpt: at most block_size = {} positions, got {}",
        options.block_size, end);
  const Tensor positions = arange(seen, end, 1, int64);
  Variable x = transformer.drop(transformer.wte(ids) + transformer.wpe(positions));
  for (std::size_t i = 0; i < transformer.h.size(); ++i) {
    x = transformer.h[i](x, cache ? &cache->layers[i] : nullptr);
  }
  if (cache) cache->positions = end;
  return transformer.ln_f(x);  // (batch, n, n_embd)
}

}  // namespace heed::nn
