// The golden program on cases with a module: parameters, their gradients, the masks of
// dropout, and what a recipe draws from the seed.
#include <cstring>
#include <filesystem>
#include <fstream>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tests/golden/outcome.h"

namespace {

using namespace heed::golden;
using nlohmann::json;
namespace fs = std::filesystem;

// A case of the project's own data, to be spoilt.
struct StoredCase {
  json entry;
  std::string bytes;  // of the file of its group

  StoredCase(const std::string& name, const std::string& dtype) {
    const fs::path folder = HEED_GOLDEN_DATA;
    const json index = json::parse(read(folder / "index.json"));
    for (const json& found : index.at("cases")) {
      if (found.at("case") == name && found.at("dtype") == dtype) entry = found;
    }
    bytes = read(folder / entry.at("file").get<std::string>());
    entry["file"] = "one.bin";
  }

  // Adds to the last element of a float64 tensor.
  void add(const std::string& tensor, double amount) {
    std::uint64_t header;
    std::memcpy(&header, bytes.data(), sizeof header);
    const json listed = json::parse(bytes.substr(8, header));
    const std::string name = entry.at("prefix").get<std::string>() + tensor;
    char* last = &bytes[8 + header + listed.at(name).at("data_offsets").at(1).get<int>() -
                        sizeof(double)];
    double value;
    std::memcpy(&value, last, sizeof value);
    value += amount;
    std::memcpy(last, &value, sizeof value);
  }
  Outcome outcome() const { return outcome_of(entry, bytes); }

  static std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

BOOST_AUTO_TEST_SUITE(golden_modules)

BOOST_AUTO_TEST_CASE(wrong_numbers_of_a_module_are_found) {
  const Outcome right = StoredCase("self_small", "f64").outcome();
  BOOST_TEST(right.code == 0, right.out);
  for (const char* layer : {"W_q.weight", "W_k.weight", "W_v.weight", "W_v.bias"}) {
    StoredCase gradient("self_small", "f64");
    const auto name = fmt::format("grad.param.{}", layer);
    gradient.add(name, 1e-6);
    const Outcome outcome = gradient.outcome();
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(outcome.says(fmt::format("  self_small.f64: {}[", name)), outcome.out);
    BOOST_TEST(outcome.says(fmt::format("  self_small.f64: {} from the seed[", name)));
    BOOST_TEST(!outcome.says("out.y"));

    // The parameter itself changes what is computed, and is not what the seed draws.
    StoredCase parameter("self_small", "f64");
    parameter.add(fmt::format("param.{}", layer), 1e-6);
    const Outcome changed = parameter.outcome();
    const auto drawn = fmt::format("  self_small.f64: param.{} from the seed[", layer);
    BOOST_TEST(changed.says("  self_small.f64: out.y["), changed.out);
    BOOST_TEST(changed.says(drawn), changed.out);
  }

  StoredCase kept("additive_dropout", "f64");
  BOOST_TEST(kept.outcome().code == 0);
  kept.add("buf.keep", -1);
  BOOST_TEST(kept.outcome().says("  additive_dropout.f64: buf.keep["));

  // Of a module that draws several masks, each is compared, in the order of the draws.
  StoredCase third("enc_post_gelu_drop", "f64");
  BOOST_TEST(third.outcome().code == 0);
  third.add("buf.keep.2", -1);
  const Outcome other = third.outcome();
  BOOST_TEST(other.says("  enc_post_gelu_drop.f64: buf.keep.2["), other.out);
  BOOST_TEST(!other.says("buf.keep.1["));

  // load_state_dict() lists what does not fit.
  StoredCase renamed("self_small", "f64");
  const std::string known = "self_small.f64/param.W_v.bias";
  renamed.bytes.replace(renamed.bytes.find(known), known.size(),
                        "self_small.f64/param.W_x.bias");
  const Outcome unknown = renamed.outcome();
  BOOST_TEST(unknown.code == 1);
  BOOST_TEST(unknown.says("W_v.bias"), unknown.out);
  BOOST_TEST(unknown.says("W_x.bias"), unknown.out);
}

BOOST_AUTO_TEST_CASE(a_case_of_a_transformer_is_read_in_all_its_parts) {
  StoredCase module("enc_post_relu", "f64");
  module.entry["metadata"]["attr.module"] = "perceiver";
  BOOST_TEST(module.outcome().says("  enc_post_relu.f64: unknown module perceiver\n"));
  StoredCase activation("enc_post_relu", "f64");
  activation.entry["metadata"]["attr.activation"] = "silu";
  BOOST_TEST(activation.outcome().says("  enc_post_relu.f64: unknown activation silu\n"));
  // Every option decides what is computed.
  for (const auto& [option, value] : {std::pair{"norm_first", "true"},
                                      {"activation", "gelu"},
                                      {"layer_norm_eps", "0.1"},
                                      {"nhead", "1"},
                                      {"causal", "false"}}) {
    StoredCase changed("enc_post_relu", "f64");
    changed.entry["metadata"][std::string("attr.") + option] = value;
    BOOST_TEST(changed.outcome().says("  enc_post_relu.f64: out.y["), option);
  }
}

BOOST_AUTO_TEST_CASE(a_training_run_is_read_in_all_its_parts) {
  const auto changed = [](const char* name, const char* attribute, const char* value) {
    StoredCase stored(name, "f64");
    stored.entry["metadata"][std::string("attr.") + attribute] = value;
    return stored.outcome();
  };
  const auto finds = [&](const char* name, const char* attribute, const char* value,
                         const std::string& message) {
    const Outcome outcome = changed(name, attribute, value);
    BOOST_TEST(outcome.says(fmt::format("  {}.f64: {}", name, message)), outcome.out);
  };
  finds("lm_gpt_adamw", "model", "lstm", "unknown model lstm\n");
  finds("lm_sgd", "optimiser", "LBFGS", "unknown optimiser LBFGS\n");
  finds("lm_sgd", "gelu", "none", "out.logits[");
  finds("lm_gpt_sgd", "n_head", "1", "out.logits[");
  finds("lm_gpt_sgd", "seed", "1", "init.transformer.wpe.weight from the seed[");
  finds("lm_adamw", "hp.weight_decay", "0.2", "final.fc1.weight[");
  finds("lm_gpt_adamw", "tied", "true", "load_state_dict: ");

  finds("optim_sgd_clip_step", "schedule", "linear", "unknown schedule linear\n");
  finds("optim_sgd_clip_step", "gamma", "0.4", "step.lr[");
  finds("optim_adamw_clip_cosine", "min_lr", "0.02", "step.lr[");
  finds("optim_adamw_clip_cosine", "max_norm", "0.4", "step.grad[");
  finds("optim_adamw_clip_cosine", "max_norm", "none", "step.norm: not computed\n");

  StoredCase spoilt("lm_gpt_sgd", "f64");
  BOOST_TEST(spoilt.outcome().code == 0);
  spoilt.add("final.transformer.ln_f.bias", 1e-6);
  const Outcome outcome = spoilt.outcome();
  BOOST_TEST(outcome.says("  lm_gpt_sgd.f64: final.transformer.ln_f.bias["), outcome.out);
}

BOOST_AUTO_TEST_CASE(a_recipe_is_followed_to_the_letter) {
  StoredCase other("self_small", "f64");
  other.entry["metadata"]["attr.seed"] = "1";
  const Outcome outcome = other.outcome();
  BOOST_TEST(outcome.says("  self_small.f64: in.x from the seed["), outcome.out);
  BOOST_TEST(outcome.says("  self_small.f64: param.W_q.weight from the seed["));

  const auto says = [](const std::string& recipe, const std::string& message) {
    StoredCase stored("self_small", "f64");
    stored.entry["metadata"]["recipe"] = recipe;
    const Outcome outcome = stored.outcome();
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(outcome.says("  self_small.f64: " + message + "\n"), outcome.out);
  };
  const std::string seed = "torch.manual_seed(seed); ", layers = "; then W_q, W_k, W_v";
  says(seed + "x = rand" + layers, "the recipe's \"rand\" does not read");
  says(seed + "x = arange(4)" + layers, "\"arange(4)\" has no call of reshape");
  says(seed + "then the module", "the recipe does not draw in.x");
  says(seed + "x, y = randn each" + layers, "the case has no attr.y_shape");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
