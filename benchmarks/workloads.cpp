// The workloads of the benchmark. torch_workloads.py has the same ones in PyTorch, under
// the same names, except the probes and the products for tiles.py.

#include "benchmarks/workloads.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "benchmarks/probes.h"
#include "heed.h"

namespace heed::benchmarks {

namespace {

// One epoch of the tutorial's Nadaraya-Watson training loop; n training points, each
// against the n - 1 others.
std::function<void()> nw_epoch(std::int64_t n) {
  const Tensor x = sort(5 * rand({n}));
  const Tensor y = 2 * sin(x) + pow(x, 0.8) + normal(0.0, 0.5, {n});
  const Tensor others = logical_not(eye(n, boolean));
  const Tensor keys = reshape(masked_select(expand(x, {n, n}), others), {n, n - 1});
  const Tensor values = reshape(masked_select(expand(y, {n, n}), others), {n, n - 1});
  nn::NWKernelRegression net;
  const double size = static_cast<double>(n);
  // A smaller rate for more points, for the loss is their sum.
  const auto optimiser = std::make_shared<optim::SGD>(
      nn::parameters(net), optim::SGDOptions{.lr = 25 / size / size});
  return [=]() mutable {
    optimiser->zero_grad();
    sum(nn::mse_loss(net(x, keys, values), y, nn::Reduction::none)).backward();
    optimiser->step();
  };
}

// A training step of additive attention, gradients of its inputs included; `batch`
// entries of n queries and m keys, h features throughout.
std::function<void()> additive_step(std::int64_t batch, std::int64_t n, std::int64_t m,
                                    std::int64_t h) {
  nn::AdditiveAttention net(h, h, h, 0);
  const Variable queries(randn({batch, n, h}), true), keys(randn({batch, m, h}), true);
  const Variable values(randn({batch, m, h}), true);
  const auto optimiser =
      std::make_shared<optim::SGD>(nn::parameters(net), optim::SGDOptions{.lr = 1e-3});
  return [=]() mutable {
    optimiser->zero_grad();
    mean(square(net(queries, keys, values))).backward();
    optimiser->step();
  };
}

// Causal multi-head self-attention forwards.
std::function<void()> mha_forward(std::int64_t b, std::int64_t t, std::int64_t d,
                                  std::int64_t heads) {
  nn::CausalMultiHeadAttention net({.dim = d, .n_heads = heads, .max_seq_len = t});
  const Tensor x = randn({b, t, d});
  return [=]() mutable {
    const NoGrad no_grad;
    (void)net(x);
  };
}

// Forward, backward, with the gradient of the input too, and a step.
std::function<void()> mha_step(std::int64_t b, std::int64_t t, std::int64_t d,
                               std::int64_t heads, double dropout = 0) {
  nn::CausalMultiHeadAttention net(
      {.dim = d, .n_heads = heads, .max_seq_len = t, .dropout = dropout});
  const Variable x(randn({b, t, d}), true);
  const Tensor y = randn({b, t, d});
  const auto optimiser =
      std::make_shared<optim::SGD>(nn::parameters(net), optim::SGDOptions{.lr = 1e-3});
  return [=]() mutable {
    optimiser->zero_grad();
    const Variable loss = nn::mse_loss(net(x), y);  // net(x)'s memory is free here
    loss.backward();
    optimiser->step();
  };
}

// One query a head over m keys, forwards and backwards.
std::function<void()> one_query(std::int64_t heads, std::int64_t m, std::int64_t d) {
  Variable q(randn({heads, 1, d}), true), k(randn({heads, m, d}), true),
      v(randn({heads, m, d}), true);
  return [=]() mutable {
    for (Variable* x : {&q, &k, &v}) x->zero_grad();
    sum(nn::attend(nn::DotScore{}, q, k, v)).backward();
  };
}

// Causal attention of t queries and keys in 4 heads of 64 features, forwards and
// backwards: by the fused op, or with all scores and weights in memory.
std::function<void()> causal_attention(std::int64_t t, bool fused) {
  Variable q(randn({4, t, 64}), true), k(randn({4, t, 64}), true),
      v(randn({4, t, 64}), true);
  return [=]() mutable {
    for (Variable* x : {&q, &k, &v}) x->zero_grad();
    const nn::Mask mask = nn::Mask::causal();
    sum(fused ? nn::scaled_dot_product_attention(q, k, v, mask)
              : nn::attention(q, k, v, mask).output)
        .backward();
  };
}

// A transformer block with the norms before its sublayers.
struct Block {
  nn::LayerNorm ln1, ln2;
  nn::CausalMultiHeadAttention attention;
  nn::Linear up, down;

  Block(std::int64_t d, std::int64_t heads, std::int64_t t)
      : ln1(d),
        ln2(d),
        attention({.dim = d, .n_heads = heads, .max_seq_len = t}),
        up(d, 4 * d),
        down(4 * d, d) {}

  Variable operator()(const Variable& x) {  // (b, t, d) -> the same
    const Variable y = x + attention(ln1(x));
    return y + down(gelu(up(ln2(y))));
  }
  void visit(auto&& f) {
    f("ln1", ln1);
    f("ln2", ln2);
    f("attention", attention);
    f("up", up);
    f("down", down);
  }
};

// The GPT of torch_workloads.py: learned positions, and a head that does not share the
// weights of the token embedding.
struct LanguageModel {
  nn::Embedding tokens, positions;
  std::vector<Block> blocks;
  nn::LayerNorm ln;
  nn::Linear head;

  LanguageModel(std::int64_t layers, std::int64_t d, std::int64_t heads, std::int64_t t,
                std::int64_t vocab)
      : tokens(vocab, d), positions(t, d), ln(d), head(d, vocab, {.bias = false}) {
    for (std::int64_t i = 0; i < layers; ++i) blocks.emplace_back(d, heads, t);
  }

  Variable operator()(const Tensor& ids) {  // (b, t) -> (b, t, vocab)
    Variable x = tokens(ids) + positions(arange(ids.size(1)));
    for (Block& block : blocks) x = block(x);
    return head(ln(x));
  }
  void visit(auto&& f) {
    f("tokens", tokens);
    f("positions", positions);
    f("blocks", blocks);
    f("ln", ln);
    f("head", head);
  }
};

// A training step of this GPT.
std::function<void()> gpt_step(std::int64_t layers, std::int64_t d, std::int64_t heads,
                               std::int64_t t, std::int64_t b, std::int64_t vocab) {
  LanguageModel net(layers, d, heads, t, vocab);
  const auto optimiser = std::make_shared<optim::AdamW>(nn::parameters(net),
                                                        optim::AdamWOptions{.lr = 1e-4});
  const Tensor ids = randint(vocab, {b, t}), targets = randint(vocab, {b * t});
  return [=]() mutable {
    optimiser->zero_grad();
    nn::cross_entropy(reshape(net(ids), {-1, vocab}), targets).backward();
    optimiser->step();
  };
}

// 2,000 scalar operations recorded and differentiated: the cost of the graph itself.
std::function<void()> scalar_chain() {
  const Variable a(full({}, 1.5), true);
  return [=] {
    Variable x = a;
    for (int i = 0; i < 1000; ++i) x = x * 1.0001 + 0.0001;
    x.backward();
  };
}

std::function<void()> products(std::int64_t n) {
  const Tensor a = randn({n, n}), b = randn({n, n});
  return [=] { (void)matmul(a, b); };
}

// Batched products of the shapes that attention makes: (b, m, k) with (b, n, k)ᵀ.
std::function<void()> bmm_nt(std::int64_t b, std::int64_t m, std::int64_t n,
                             std::int64_t k) {
  const Tensor x = randn({b, m, k}), y = randn({b, n, k});
  return [=] { (void)bmm(x, transpose(y, 1, 2)); };
}

// One of the products of a layer of `in` inputs and `out` outputs on r rows: y = x Wᵀ,
// dx = dy W, or dW = dyᵀ x.
std::function<void()> linear_product(const std::string& result, std::int64_t r,
                                     std::int64_t in, std::int64_t out) {
  const Tensor x = randn({r, in}), w = randn({out, in}), dy = randn({r, out});
  if (result == "y") return [=] { (void)matmul(x, w.t()); };
  if (result == "dx") return [=] { (void)matmul(dy, w); };
  return [=] { (void)matmul(dy.t(), x); };
}

// Forward, as README.md counts.
double mha_flop(std::int64_t b, std::int64_t t, std::int64_t d) {
  return static_cast<double>(8 * b * t * d * d + 2 * b * t * (t + 1) * d);
}
double gpt_flop(std::int64_t layers, std::int64_t d, std::int64_t t, std::int64_t b,
                std::int64_t vocab) {
  const std::int64_t mlp = 16 * b * t * d * d, head = 2 * b * t * d * vocab;
  return static_cast<double>(layers) * (mha_flop(b, t, d) + static_cast<double>(mlp)) +
         static_cast<double>(head);
}

}  // namespace

std::vector<Workload> workloads() {
  std::vector<Workload> list = probes();
  for (std::int64_t n : {50, 500, 2000}) {
    list.push_back({fmt::format("nw_epoch/n{}", n), 0,
                    24.0 * static_cast<double>(n * (n - 1)),
                    [=] { return nw_epoch(n); }});
  }
  const std::int64_t additive[][4] = {{2, 1, 10, 8}, {16, 32, 32, 64}, {32, 64, 64, 128}};
  for (const auto& [b, n, m, h] : additive) {
    list.push_back({fmt::format("additive_step/b{}_q{}_k{}_h{}", b, n, m, h), 0, 0,
                    [b = b, n = n, m = m, h = h] { return additive_step(b, n, m, h); }});
  }
  const std::int64_t sizes[][4] = {
      {32, 16, 64, 4}, {8, 128, 256, 8}, {4, 512, 512, 8}, {1, 1024, 512, 8}};
  for (const bool train : {false, true}) {
    for (const auto& [b, t, d, h] : sizes) {
      const double flop = mha_flop(b, t, d);
      list.push_back(
          {fmt::format("mha_{}/b{}_t{}_d{}_h{}", train ? "step" : "forward", b, t, d, h),
           train ? 3 * flop : flop, 0, [train, b = b, t = t, d = d, h = h] {
             return train ? mha_step(b, t, d, h) : mha_forward(b, t, d, h);
           }});
    }
  }
  list.push_back({"mha_dropout_step/b4_t512_d512_h8", 3 * mha_flop(4, 512, 512), 0,
                  [] { return mha_step(4, 512, 512, 8, 0.1); }});
  list.push_back({"one_query/h8_m512_d64", 0, 0, [] { return one_query(8, 512, 64); }});
  const std::int64_t models[][6] = {{4, 128, 4, 64, 12, 65}, {4, 256, 8, 256, 8, 256}};
  for (const auto& [l, d, h, t, b, vocab] : models) {
    list.push_back({fmt::format("gpt_step/l{}_d{}_h{}_t{}_b{}", l, d, h, t, b),
                    3 * gpt_flop(l, d, t, b, vocab), 0,
                    [l = l, d = d, h = h, t = t, b = b, vocab = vocab] {
                      return gpt_step(l, d, h, t, b, vocab);
                    }});
  }
  list.push_back({"scalar_chain/2000", 0, 0, scalar_chain});
  for (std::int64_t n : {64, 128, 256, 512, 1024, 2048}) {
    const double size = static_cast<double>(n);
    list.push_back({fmt::format("matmul/{}", n), 2 * size * size * size, 0,
                    [=] { return products(n); }});
  }
  const std::int64_t shapes[][4] = {{512, 16, 16, 16},  {256, 16, 16, 64},
                                    {256, 10, 20, 64},  {64, 64, 64, 64},
                                    {64, 128, 128, 64}, {32, 512, 512, 64}};
  for (const auto& [b, m, n, k] : shapes) {
    list.push_back({fmt::format("bmm_nt/b{}_m{}_n{}_k{}", b, m, n, k),
                    2.0 * static_cast<double>(b * m * n * k), 0,
                    [b = b, m = m, n = n, k = k] { return bmm_nt(b, m, n, k); }});
  }
  const std::pair<const char*, std::function<Tensor(const Tensor&, const Tensor&)>>
      elementwise[] = {
          {"add", [](const Tensor& a, const Tensor& b) { return a + b; }},
          {"exp", [](const Tensor& a, const Tensor&) { return exp(a); }},
          {"tanh", [](const Tensor& a, const Tensor&) { return tanh(a); }},
      };
  for (const auto& [name, op] : elementwise) {
    for (std::int64_t n : {1000, 100000, 10000000}) {
      list.push_back({fmt::format("{}/{}", name, n), 0,
                      (name[0] == 'a' ? 12.0 : 8.0) * static_cast<double>(n),
                      [n, op = op] {
                        const Tensor a = randn({n}), b = randn({n});
                        return [=] { (void)op(a, b); };
                      }});
    }
  }
  const std::pair<std::int64_t, std::int64_t> tables[] = {
      {512, 16}, {8192, 128}, {16384, 512}};
  for (const auto& [rows, columns] : tables) {
    list.push_back({fmt::format("softmax/{}x{}", rows, columns), 0,
                    8.0 * static_cast<double>(rows * columns),
                    [rows = rows, columns = columns] {
                      const Tensor a = randn({rows, columns});
                      return [=] { (void)softmax(a, -1); };
                    }});
  }
  // For growth.py.
  for (std::int64_t t = 128; t <= 8192; t *= 2) {
    const double flop = static_cast<double>(3 * 2 * t * (t + 1) * 4 * 64);
    for (const bool fused : {true, false}) {
      list.push_back({fmt::format("growth/{}_t{}", fused ? "fused" : "composed", t), flop,
                      0, [=] { return causal_attention(t, fused); }});
    }
  }
  const auto add_step = [&](std::string name, std::int64_t d, std::int64_t b) {
    list.push_back({std::move(name), 3 * gpt_flop(4, d, 64, b, 65), 0,
                    [=] { return gpt_step(4, d, 4, 64, b, 65); }});
  };
  for (std::int64_t d = 32; d <= 512; d *= 2)
    add_step(fmt::format("growth/width_d{}", d), d, 12);
  for (std::int64_t b = 1; b <= 64; b *= 4)
    add_step(fmt::format("growth/batch_b{}", b), 128, b);
  // For tiles.py: the layers of the gpt_steps above.
  const std::int64_t layers[][3] = {
      {768, 128, 384},  {768, 128, 128},   {768, 128, 512},
      {768, 512, 128},  {768, 128, 65},    {2048, 256, 768},
      {2048, 256, 256}, {2048, 256, 1024}, {2048, 1024, 256}};
  for (const auto& [r, in, out] : layers) {
    for (const char* const result : {"y", "dx", "dW"}) {
      list.push_back({fmt::format("linear/r{}_in{}_out{}_{}", r, in, out, result),
                      2.0 * static_cast<double>(r * in * out), 0,
                      [result, r = r, in = in, out = out] {
                        return linear_product(result, r, in, out);
                      }});
    }
  }
  return list;
}

}  // namespace heed::benchmarks
