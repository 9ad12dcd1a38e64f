// The memory of a call, forwards and backwards: of every layer over sequences it grows
// with their length n, not with the n² scores; the calls that hold the scores are tested
// to do so.

#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

using namespace heed;
using nn::CausalAlign;
using nn::EmptyRows;
using nn::Mask;

namespace {

constexpr std::int64_t width = 8, heads = 2, most = 1024;

// A call on n positions; what it returns is differentiated.
using Call = std::function<Variable(std::int64_t n)>;

enum class Way { forward, backward };

// The most bytes in use during a call beside those before it.
std::int64_t peak_of(const Call& call, std::int64_t n, Way way) {
  const std::int64_t live = memory::bytes_live();
  memory::reset_peak();
  if (way == Way::forward) {
    const NoGrad no_grad;
    call(n);
  } else {
    sum(call(n)).backward();
  }
  return memory::bytes_peak() - live;
}

// The factor by which a call's memory grows when n doubles.
double growth(const Call& call, Way way) {
  peak_of(call, most / 2, way);  // after which the gradients of parameters are there
  const auto small = static_cast<double>(peak_of(call, most / 2, way));
  return static_cast<double>(peak_of(call, most, way)) / small;
}

// Twice the memory for twice the positions; four times for the scores.
constexpr double linear = 2.15, quadratic = 3;

void check_linear(const std::string& name, const Call& call, bool has_backward = true) {
  const int before = num_threads();
  set_num_threads(1);  // each has memory of its own
  BOOST_TEST(growth(call, Way::forward) < linear, name);
  if (has_backward) {
    BOOST_TEST(growth(call, Way::backward) < linear, name << ", backward");
  }
  set_num_threads(before);
}

void check_quadratic(const std::string& name, const Call& call) {
  BOOST_TEST(growth(call, Way::backward) > quadratic, name);
}

Variable input(std::int64_t n) {
  Generator generator(1);
  return Variable(randn({1, n, width}, float32, generator), true);
}

// Masks that need no scores: they leave the first keys, or the same for each query.
std::vector<std::pair<std::string, Mask>> masks_of_prefixes(std::int64_t n) {
  const Tensor lens = tensor({n - 1});
  return {
      {"none", Mask()},
      {"valid_lens", Mask::valid_lens(lens)},
      {"valid_lens of queries", Mask::valid_lens(expand(tensor({{n - 1}}), {1, n}))},
      {"causal", Mask::causal()},
      {"top_left", Mask::causal(CausalAlign::top_left)},
      {"bottom_right and lens",
       Mask::causal(CausalAlign::bottom_right) & Mask::valid_lens(lens)},
      {"causal & keep of keys", Mask::causal() & Mask::keep(arange(n, int64) > 1)},
      {"error", Mask::causal().empty_rows(EmptyRows::error)},
      {"uniform", Mask::causal().empty_rows(EmptyRows::uniform)},
  };
}

// One call for each of those masks: net(x, mask).
template <class F>
void check_linear_with_masks(const std::string& name, F&& net) {
  const std::size_t count = masks_of_prefixes(2).size();
  for (std::size_t i = 0; i < count; ++i) {
    check_linear(name + ", mask: " + masks_of_prefixes(2)[i].first, [&](std::int64_t n) {
      return net(input(n), masks_of_prefixes(n)[i].second);
    });
  }
}

// A layer that takes x and a mask; it is not in training, so nothing is dropped.
template <class Layer>
void check_layer(const std::string& name, Layer layer) {
  nn::eval(layer);
  check_linear_with_masks(name, [&](const Variable& x, const Mask& mask) {
    if constexpr (requires { layer(x, mask); }) {
      return layer(x, mask);
    } else if constexpr (requires { layer(x, x, mask); }) {
      return layer(x, x, mask);
    } else {
      return layer(x, x, x, mask);
    }
  });
}

nn::GptOptions small_gpt() {
  return {.vocab_size = 5,
          .block_size = most,
          .n_layer = 2,
          .n_head = heads,
          .n_embd = width,
          .dropout = 0.1};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_of_layers)

BOOST_AUTO_TEST_CASE(attention_as_a_function) {
  check_linear_with_masks("attend", [](const Variable& x, const Mask& mask) {
    return nn::attend(nn::DotScore{}, x, x, x, mask, nn::Dropout(0));
  });
}

// The scores of all heads are never there at once: a call needs less memory than they,
// forwards and backwards; dropout takes one bit for each weight.
BOOST_AUTO_TEST_CASE(the_scores_are_never_held) {
  const int before = num_threads();
  set_num_threads(1);
  const std::int64_t many = 16, t = 256;
  Variable x(zeros({many, t, width}), true);
  const std::int64_t scores = 4 * many * t * t;
  for (const double p : {0.0, 0.1}) {
    const std::int64_t bits = p == 0 ? 0 : many * t * t / 8;
    const std::int64_t live = memory::bytes_live();
    memory::reset_peak();
    {
      const Variable y =
          nn::attend(nn::DotScore{}, x, x, x, Mask::causal(), nn::Dropout(p));
      BOOST_TEST(memory::bytes_live() - live < scores / 16 + bits);
      sum(y).backward();
    }
    BOOST_TEST(memory::bytes_peak() - live < scores / 2 + bits);
    x.zero_grad();
  }
  set_num_threads(before);
}

// Heads that share keys and values (Shazeer, 2019) use the fused kernels too.
BOOST_AUTO_TEST_CASE(shared_keys_and_values) {
  check_linear("attend", [](std::int64_t n) {
    const Variable x = input(n);
    return nn::attend(nn::DotScore{}, nn::split_heads(x, heads),
                      slice(unsqueeze(x, 1), 3, 0, width / heads), unsqueeze(x, 1),
                      Mask::causal());
  });
}

BOOST_AUTO_TEST_CASE(layers_of_attention) {
  manual_seed(1);
  check_layer("DotProductAttention", nn::DotProductAttention(0.1));
  check_layer("ScaledDotProductAttention", nn::ScaledDotProductAttention(2));
  check_layer("GeneralAttention", nn::GeneralAttention(width));
  check_layer("SelfAttention", nn::SelfAttention(width, width, width));
  check_layer("MultiHeadAttention", nn::MultiHeadAttention(width, width, width, heads));
  check_layer("PackedMultiHeadAttention", nn::PackedMultiHeadAttention(width, heads));
  check_layer("CausalMultiHeadAttention",
              nn::CausalMultiHeadAttention(
                  {.dim = width, .n_heads = heads, .max_seq_len = most}));
}

// Without a graph queries, keys and values are freed before the last layer: beside x,
// four tensors of its size are there at a time, and not five.
BOOST_AUTO_TEST_CASE(the_heads_are_freed_before_the_last_layer) {
  const int before = num_threads();
  set_num_threads(1);  // what products pack takes memory too, for each thread
  const std::int64_t n = most, d = 64;
  const std::int64_t live_before = memory::bytes_live();
  const Variable x(zeros({4, n, d}));
  const std::int64_t size = memory::bytes_live() - live_before;  // rounded up by the pool
  const NoGrad no_grad;
  const auto check_peak = [&](auto layer) {
    const std::int64_t live = memory::bytes_live();
    memory::reset_peak();
    layer(x);
    BOOST_TEST(memory::bytes_peak() - live < 5 * size);
  };
  check_peak(nn::MultiHeadAttention(d, d, d, 8));
  check_peak(nn::PackedMultiHeadAttention(d, 8));
  check_peak(nn::CausalMultiHeadAttention({.dim = d, .n_heads = 8, .max_seq_len = most}));
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(transformers) {
  manual_seed(1);
  nn::TransformerLayerOptions options{.dim_feedforward = 2 * width};
  for (const nn::NormOrder order : {nn::NormOrder::pre, nn::NormOrder::post}) {
    options.norm_order = order;
    check_layer("TransformerEncoderLayer",
                nn::TransformerEncoderLayer(width, heads, options));
    check_layer("TransformerDecoderLayer",
                nn::TransformerDecoderLayer(width, heads, options));
  }
  check_layer(
      "TransformerEncoder",
      nn::TransformerEncoder(nn::TransformerEncoderLayer(width, heads, options), 2));
}

BOOST_AUTO_TEST_CASE(gpt) {
  manual_seed(1);
  nn::Gpt model(small_gpt());
  nn::eval(model);
  check_linear("CausalSelfAttention",
               [&](std::int64_t n) { return model.transformer.h[0].attn(input(n)); });
  check_linear("GptBlock",
               [&](std::int64_t n) { return model.transformer.h[0](input(n)); });
  check_linear("Gpt", [&](std::int64_t n) { return model(zeros({1, n}, int64)); });
  check_linear(
      "Gpt with a cache",
      [&](std::int64_t n) {
        nn::Gpt::Cache cache = model.cache();
        model.next(zeros({1, n - 1}, int64), cache);
        return model.next(zeros({1, 1}, int64), cache);
      },
      false);
}

BOOST_AUTO_TEST_CASE(layers_beside_attention) {
  manual_seed(1);
  const nn::Linear linear(width, width);
  const nn::LayerNorm norm(width);
  const nn::Embedding embedding(10, width);
  const nn::PositionalEncoding positions(width, 0, most);
  check_linear("Linear", [&](std::int64_t n) { return linear(input(n)); });
  check_linear("LayerNorm", [&](std::int64_t n) { return norm(input(n)); });
  check_linear("Embedding", [&](std::int64_t n) {
    return embedding(zeros({1, n}, int64));
  });
  check_linear("PositionalEncoding", [&](std::int64_t n) { return positions(input(n)); });
  check_linear("cross_entropy", [&](std::int64_t n) {
    return nn::cross_entropy(reshape(input(n), {n, width}), zeros({n}, int64));
  });
}

// The scores are held where the weights are wanted, and where a network computes the
// score of each pair.
BOOST_AUTO_TEST_CASE(what_holds_the_scores) {
  manual_seed(1);
  check_quadratic("attention()", [](std::int64_t n) {
    const Variable x = input(n);
    return nn::attention(x, x, x).output;
  });
  nn::MultiHeadAttention keeping(width, width, width, heads);
  keeping.keep_weights = true;
  check_quadratic("keep_weights", [&](std::int64_t n) {
    const Variable y = keeping(input(n));
    keeping.attention_weights = Tensor();
    return y;
  });
  nn::AdditiveAttention additive(width, width, 2, 0);
  check_quadratic("AdditiveAttention", [&](std::int64_t n) {
    const Variable x = input(n);
    return additive(x, x, x);
  });
}

// A mask of pairs is a matrix itself, and dropout draws a bit for each weight: that is
// all.
BOOST_AUTO_TEST_CASE(masks_of_pairs_and_dropout) {
  manual_seed(1);
  const std::int64_t pairs = most * most;
  nn::MultiHeadAttention net(width, width, width, heads);
  const auto peak = [&](const Mask& mask) {
    const Call call = [&](std::int64_t n) { return net(input(n), mask); };
    peak_of(call, most, Way::backward);
    return peak_of(call, most, Way::backward);
  };
  const std::int64_t plain = peak(Mask());
  BOOST_TEST(peak(Mask::keep(rand({most, most}) < 0.5)) - plain < 9 * pairs);
  BOOST_TEST(peak(Mask::additive(randn({most, most}))) - plain < 13 * pairs);
  net.dropout.p = 0.1;
  BOOST_TEST(peak(Mask()) - plain < pairs * heads / 8 + (1 << 16));
}

BOOST_AUTO_TEST_SUITE_END()
