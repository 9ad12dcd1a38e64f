// Shortages of memory in layers and models: steps of training, caches, files.

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>

#include <unistd.h>

#include "tests/allocation/failing.h"

using namespace heed;
using namespace heed::tests;
using nn::Mask;

namespace {

Tensor drawn(const Shape& shape) {
  Generator generator(5);
  return randn(shape, float32, generator);
}

const nn::GptOptions small{.vocab_size = 7,
                           .block_size = 8,
                           .n_layer = 2,
                           .n_head = 2,
                           .n_embd = 4,
                           .dropout = 0.1,
                           .bias = true};

Tensor tokens(std::int64_t n) {
  Generator generator(6);
  return randint(7, {2, n}, generator);
}

// A model, and a loss of it to be differentiated.
template <class Model>
struct Task {
  Model model;
  std::function<Variable(Model&)> loss;

  Bits bits() {
    Bits bits;
    for (auto& [name, x] : nn::named_parameters(model)) {
      append_bits(bits, x.value());
      bits.push_back(x.has_grad());
      if (x.has_grad()) append_bits(bits, x.grad().value());
    }
    return bits;
  }
};

const auto bits_of = [](auto& task) { return task.bits(); };

// A forward and a backward of a model that is made anew.
template <class Make, class Loss>
void check_training(const std::string& name, Make make_model, Loss loss) {
  using Model = decltype(make_model());
  const auto make = [&] {
    manual_seed(1);
    return std::unique_ptr<Task<Model>>(new Task<Model>{make_model(), loss});
  };
  const auto step = [](Task<Model>& task) {
    manual_seed(2);  // of dropout: a failed call has drawn some of its numbers
    task.loss(task.model).backward();
  };
  check_shortages(name, make, step, bits_of);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layers)

BOOST_AUTO_TEST_CASE(attention) {
  const Variable x = drawn({2, 3, 4});
  const Tensor lens = tensor({2, 0});
  const auto heads = [] { return nn::MultiHeadAttention(4, 4, 4, 4, 2, 0.3); };
  for (const Mask& mask :
       {Mask(), Mask::valid_lens(lens) & Mask::causal(),
        Mask::additive(drawn({3, 3})) &
            Mask::keep(drawn({3, 3}) > -1).empty_rows(nn::EmptyRows::uniform)}) {
    check_training("MultiHeadAttention", heads, [=](auto& net) {
      net.keep_weights = true;
      return sum(square(net(x, mask)));
    });
    check_training("MultiHeadAttention, fused", heads, [=](auto& net) {
      nn::eval(net);
      return sum(square(net(x, mask)));
    });
  }
  check_training(
      "AdditiveAttention", [] { return nn::AdditiveAttention(4, 4, 3, 0.3); },
      [=](auto& net) { return sum(net(x, x, x, Mask::valid_lens(lens))); });
}

BOOST_AUTO_TEST_CASE(kernel_regression) {
  check_training(
      "NWKernelRegression", [] { return nn::NWKernelRegression(); },
      [](auto& net) {
        const Variable y = net(drawn({5}), drawn({5, 4}), drawn({5, 4}));
        return nn::mse_loss(y, drawn({5}));
      });
}

BOOST_AUTO_TEST_CASE(transformers) {
  const Variable x = drawn({2, 3, 4});
  for (const nn::NormOrder order : {nn::NormOrder::pre, nn::NormOrder::post}) {
    check_training(
        "TransformerEncoderLayer",
        [=] {
          return nn::TransformerEncoderLayer(4, 2,
                                             {.dim_feedforward = 5, .norm_order = order});
        },
        [=](auto& net) { return sum(square(net(x, Mask::causal()))); });
  }
  check_training(
      "Gpt", [] { return nn::Gpt(small); },
      [](auto& net) {
        const Variable logits = net(tokens(5));
        return nn::cross_entropy(reshape(logits, {10, 7}), reshape(tokens(5), {10}));
      });
}

// Attention of this size is shared out to threads, whose memory is taken before they
// start.
BOOST_AUTO_TEST_CASE(threads) {
  check_training(
      "MultiHeadAttention", [] { return nn::MultiHeadAttention(32, 32, 32, 2); },
      [](auto& net) {
        return sum(square(net(drawn({1, 160, 32}), Mask::causal())));
      });
}

// --- caches

BOOST_AUTO_TEST_CASE(a_cache_is_what_it_was) {
  struct Writing {
    nn::Gpt model{small};
    nn::Gpt::Cache cache = model.cache();
    nn::AttentionCache of_block, of_attention;
    Tensor result;

    Bits bits() {
      Bits bits = {static_cast<std::uint64_t>(cache.positions)};
      std::vector<nn::AttentionCache> all = cache.layers;
      all.insert(all.end(), {of_block, of_attention});
      for (const nn::AttentionCache& layer : all) {
        append_bits(bits, layer.keys);
        append_bits(bits, layer.values);
      }
      append_bits(bits, result);
      return bits;
    }
  };
  for (const std::int64_t positions : {0, 3}) {
    const auto make = [=] {
      manual_seed(1);
      auto state = std::make_unique<Writing>();
      nn::eval(state->model);
      if (positions == 0) return state;
      state->model.next(tokens(positions), state->cache);
      const Tensor x = drawn({2, positions, 4});
      state->model.transformer.h[0](x, &state->of_block);
      state->model.transformer.h[0].attn(x, &state->of_attention);
      return state;
    };
    check_shortages(
        "Gpt", make,
        [](Writing& state) { state.result = state.model.next(tokens(2), state.cache); },
        bits_of);
    check_shortages(
        "GptBlock", make,
        [](Writing& state) {
          state.result =
              state.model.transformer.h[0](drawn({2, 2, 4}), &state.of_block).value();
        },
        bits_of);
    check_shortages(
        "CausalSelfAttention", make,
        [](Writing& state) {
          auto& attention = state.model.transformer.h[0].attn;
          state.result = attention(drawn({2, 2, 4}), &state.of_attention).value();
        },
        bits_of);
  }
}

// Its state is seen in what comes next.
BOOST_AUTO_TEST_CASE(a_text_is_what_it_was) {
  struct Writing {
    nn::Gpt model{small};
    nn::NextLogits next{model};
    Tensor logits;
    Bits bits() {
      Bits bits;
      append_bits(bits, logits);
      return bits;
    }
  };
  for (const std::int64_t before : {1, 5, 7}) {  // 3 more: within block_size and beyond
    const auto make = [=] {
      manual_seed(1);
      auto state = std::make_unique<Writing>();
      nn::eval(state->model);
      state->next(tokens(before));
      return state;
    };
    check_shortages(
        "NextLogits", make, [](Writing& state) { state.logits = state.next(tokens(3)); },
        bits_of);
  }
}

// --- state

BOOST_AUTO_TEST_CASE(files) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("heed_allocation_" + std::to_string(getpid()));
  fs::create_directory(folder);
  const fs::path path = folder / "net.safetensors", other = folder / "other.safetensors";

  struct Saved {
    nn::Linear net{3, 2};
    fs::path folder, path;

    // The parameters, and every file of the folder.
    Bits bits() {
      Bits bits;
      for (const Variable& x : nn::parameters(net)) append_bits(bits, x.value());
      std::size_t files = 0;
      for (const auto& entry : fs::directory_iterator(folder)) {
        files += entry.is_regular_file();
      }
      bits.push_back(files);
      std::ifstream file(path, std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      bits.push_back(std::hash<std::string>()(text));
      return bits;
    }
  };
  const auto make = [&] {
    manual_seed(1);
    auto state = std::unique_ptr<Saved>(new Saved{.folder = folder, .path = path});
    nn::save_state(state->net, path, {{"from", "before"}});
    nn::init::normal_(const_cast<Tensor&>(state->net.weight.value()));
    return state;
  };
  {
    nn::Linear net(3, 2);
    nn::save_state(net, other);
  }
  check_shortages(
      "save_state", make,
      [](Saved& state) {
        nn::save_state(state.net, state.path, {{"from", "now"}});
      },
      bits_of);
  check_shortages(
      "load_state", make, [&](Saved& state) { nn::load_state(state.net, other); },
      bits_of);
  check_shortages(
      "load_state_dict", make,
      [](Saved& state) {
        nn::Linear source(3, 2);
        Tensor(source.weight.value()).fill_(2);
        Tensor(source.bias.value()).fill_(3);
        nn::load_state_dict(state.net, nn::state_dict(source));
      },
      bits_of);
  fs::remove_all(folder);
}

BOOST_AUTO_TEST_SUITE_END()
