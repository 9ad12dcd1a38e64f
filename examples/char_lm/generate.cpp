#include "examples/char_lm/generate.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "autograd/views.h"
#include "examples/char_lm/checkpoint.h"
#include "examples/char_lm/corpus.h"
#include "examples/char_lm/train.h"
#include "examples/support/input_error.h"
#include "examples/support/utf8.h"
#include "tensor/factories.h"

namespace heed::char_lm {

using support::input_error;

namespace {

nn::Gpt model_of(const Checkpoint& checkpoint, const Vocabulary& vocabulary,
                 const std::string& path) {
  try {
    nn::Gpt model(checkpoint.settings.model(vocabulary.size()));
    nn::load_state_dict(model, checkpoint.model);
    nn::eval(model);
    return model;
  } catch (const Error& error) {
    input_error("{}: {}", path, error.what());
  }
}

}  // namespace

Tensor Writer::scores(const std::vector<std::int64_t>& tokens) {
  NoGrad no_grad;
  const auto count = static_cast<std::int64_t>(tokens.size());
  // The tokens from `begin` on, as a batch of one: (1, n).
  const auto from = [&](std::int64_t begin) {
    return from_vector(std::vector(tokens.begin() + begin, tokens.end()),
                       {1, count - begin});
  };
  const std::int64_t context = model_.options.block_size;
  // What the layers made of the tokens before stays true as long as those stand where
  // they stood. Once the text is longer than the context, its window moves with every
  // token: each one then stands a place further left, has another position's embedding,
  // and so other keys and values. All of them are computed anew.
  if (use_cache_ && count <= context) {
    return model_.next(from(cache_.positions), cache_).value();
  }
  const Variable all = model_(from(std::max<std::int64_t>(count - context, 0)));
  return select(all, 1, all.size(1) - 1).value();
}

int generate(const GenerateOptions& options) {
  const std::string path = checkpoint_path(options.out);
  if (std::error_code ignored; !std::filesystem::exists(path, ignored)) {
    input_error("{}: there is no such file; char_lm train makes one", path);
  }
  const Checkpoint checkpoint = load(path);
  const Vocabulary vocabulary(checkpoint.characters);
  const std::string source = "--prompt";
  std::vector<std::int64_t> tokens =
      vocabulary.encode(support::from_utf8(options.prompt, source), source);
  if (tokens.empty()) input_error("{}: must have a character to go on from", source);

  nn::Gpt model = model_of(checkpoint, vocabulary, path);
  Writer writer(model, options.cache);
  Generator generator(options.seed);
  fmt::print("{}", options.prompt);
  for (std::int64_t i = 0; i < options.tokens; ++i) {
    const Tensor next = nn::sample(writer.scores(tokens), options.sampling, generator);
    tokens.push_back(static_cast<std::int64_t>(next.item()));
    fmt::print("{}", support::to_utf8(vocabulary.decode(tokens.back())));
    std::fflush(stdout);  // as it is written
  }
  fmt::print("\n");
  return 0;
}

}  // namespace heed::char_lm
