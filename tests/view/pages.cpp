// Writes the pages that attention_page_browser.py looks at into the folder that is given,
// and model.json, the weights of model.html: [layer][head][query][key].
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <heed.h>

#include "nn/state/atomic_file.h"

namespace {

using namespace heed;

std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> tokens;
  for (const char c : text) tokens.emplace_back(1, c);
  return tokens;
}

void write(const std::string& path, const std::string& text) {
  nn::AtomicFile file(path, path);
  file.write(text.data(), text.size());
  file.commit();
}

// The whole tensor as a list of lists, NaN as null.
std::string json(const Tensor& x) {
  if (x.dim() == 0) return fmt::format("{:.6f}", x.item());
  std::string list;
  for (std::int64_t i = 0; i < x.size(0); ++i) list += (i > 0 ? "," : "") + json(x[i]);
  return "[" + list + "]";
}

// A model of char_lm's sizes, whose queries and keys are enlarged: at its initial values
// it would attend to all characters alike.
void model_page(const std::string& folder) {
  manual_seed(3);
  nn::Gpt model(
      {.vocab_size = 128, .block_size = 64, .n_layer = 4, .n_head = 4, .n_embd = 128});
  for (nn::GptBlock& block : model.transformer.h) {
    Tensor queries_and_keys = slice(block.attn.c_attn.weight.value(), 0, 0, 2 * 128);
    queries_and_keys *= 6;
  }
  const std::string prompt =
      "First Citizen:\nBefore we proceed any further, hear me speak. All";
  std::vector<std::int64_t> ids(prompt.begin(), prompt.end());
  nn::keep_weights(model);
  const NoGrad no_grad;
  (void)model(unsqueeze(from_vector(ids), 0));
  const std::vector<nn::AttentionMap> maps = nn::attention_maps(model);
  viz::attention_page(folder + "/model.html", characters(prompt), maps,
                      {.title = "A model of characters", .note = "4 layers of 4 heads"});
  std::string layers;
  for (const nn::AttentionMap& map : maps) {
    layers += (layers.empty() ? "" : ",") + json(map.weights[0]);
  }
  write(folder + "/model.json", "[" + layers + "]");
}

// Names that would act if they were taken for HTML or JavaScript, and a weight of NaN.
void hostile_page(const std::string& folder) {
  const std::vector<std::string> tokens = {
      "<script>globalThis.hacked = 1</script>",
      "</script><script>globalThis.hacked = 1</script>",
      "\"><img src=x onerror=\"globalThis.hacked = 1\">",
      "<!-- ' \" \\ \\u003c ]]> @WEIGHTS@ @DATA@",
      "\n\x1b[31m\u2028\u202e\xff",
      "${globalThis.hacked = 1}",
      "  ",
      "",
      "日本語 مرحبا é",
  };
  const auto n = static_cast<std::int64_t>(tokens.size());
  manual_seed(0);
  Tensor weights = softmax(2 * randn({1, 2, n, n}), -1);
  weights.set({0, 1, 2, 3}, std::numeric_limits<double>::quiet_NaN());
  const std::string name = tokens[2];
  viz::attention_page(folder + "/hostile.html", tokens,
                      {{name, {{name, weights}}}, {tokens[1], {{name, weights}}}},
                      {.title = tokens[0], .note = name});
}

struct Translator {
  nn::TransformerEncoder encoder;
  nn::TransformerDecoder decoder;

  Translator()
      : encoder(nn::TransformerEncoderLayer(16, 2, {.dim_feedforward = 16}), 2),
        decoder(nn::TransformerDecoderLayer(16, 2, {.dim_feedforward = 16}), 2) {}
  void visit(auto&& f) {
    f("encoder", encoder);
    f("decoder", decoder);
  }
};

// An encoder and a decoder, whose inputs grow from snapshot to snapshot.
void translation_page(const std::string& folder) {
  manual_seed(5);
  Translator model;
  nn::eval(model);
  nn::keep_weights(model);
  const NoGrad no_grad;
  const Tensor source = randn({1, 5, 16}), target = randn({1, 6, 16});
  std::vector<viz::Snapshot> snapshots;
  for (const int step : {0, 100, 200}) {
    const double scale = 0.2 + step / 40.0;
    const Variable memory = model.encoder(scale * source);
    (void)model.decoder(scale * target, scale * memory.value(), nn::Mask::causal());
    snapshots.push_back({fmt::format("step {}", step), nn::attention_maps(model)});
  }
  viz::attention_page(
      folder + "/translation.html", {"<BOS>", "I", "like", "the", "cat", "."}, snapshots,
      {.title = "An encoder and a decoder", .source = {"j'", "aime", "le", "chat", "."}});
}

std::vector<std::string> numbered(std::int64_t count) {
  std::vector<std::string> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(fmt::format("word{}", i));
  return tokens;
}

void long_pages(const std::string& folder) {
  const std::int64_t n = 2000;
  const Tensor at = arange(static_cast<double>(n));
  const Tensor distance = unsqueeze(at, 1) - unsqueeze(at, 0);  // (n, n)
  const auto near = [&](double centre, double width) {
    return softmax(-square((distance - centre) / width), -1);
  };
  viz::attention_page(folder + "/2000.html", numbered(n),
                      {{"layer", unsqueeze(stack({near(0, 3), near(400, 60)}), 0)}},
                      {.title = "2,000 tokens"});
  // All queries have the same weights, so that 10,000 x 10,000 of them take no memory.
  const Tensor row = softmax(-square(arange(10000.0) - 5000.0) / 50, 0);
  viz::attention_page(folder + "/10000.html", numbered(10000),
                      {{"layer", expand(row, {10000, 10000})}},
                      {.title = "10,000 tokens"});
  viz::attention_page(folder + "/wide.html", numbered(2),
                      {{"layer", expand(slice(row, 0, 4000, 7000), {2, 3000})}},
                      {.title = "2 queries, 3,000 keys", .source = numbered(3000)});
}

}  // namespace

int main(int, char** argv) {
  const std::string folder = argv[1];
  model_page(folder);
  hostile_page(folder);
  translation_page(folder);
  long_pages(folder);
  viz::attention_page(folder + "/one.html", {"alone"}, {{"layer", ones({1, 1})}});
}
