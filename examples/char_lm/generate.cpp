#include "examples/char_lm/generate.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/core.h>

#include "data/text.h"
#include "examples/char_lm/checkpoint.h"
#include "examples/char_lm/corpus.h"
#include "examples/char_lm/settings.h"
#include "examples/support/input_error.h"
#include "examples/training/run_folder.h"
#include "tensor/core/text.h"
#include "tensor/core/views.h"

namespace heed::char_lm {

using support::input_error;

namespace {

nn::Gpt model_of(const training::Checkpoint& checkpoint,
                 const data::Vocabulary& vocabulary, const std::string& path) {
  const Settings settings = settings_from(checkpoint.settings, path);
  const auto load = [&] {
    nn::Gpt model(settings.gpt_options(vocabulary.size()));
    nn::load_state_dict(model, checkpoint.model);
    nn::eval(model);
    return model;
  };
  return support::from_user(load, path);
}

std::string default_prompt(const data::Vocabulary& vocabulary) {
  const std::u32string& characters = vocabulary.characters();
  if (characters.find(U'\n') != characters.npos) return "\n";
  return data::to_utf8(characters.substr(0, 1));
}

}  // namespace

int generate(const GenerateOptions& options) {
  const std::string path = training::checkpoint_path(options.out);
  // Where there is an error, load() tells it.
  if (std::error_code error; !std::filesystem::exists(path, error) && !error) {
    input_error("{}: there is no such file; char_lm train makes one", path);
  }
  const training::Checkpoint checkpoint = training::load(path, checkpoint_format());
  const data::Vocabulary vocabulary = vocabulary_of(checkpoint);
  const std::string text = options.prompt.value_or(default_prompt(vocabulary));
  const std::string source = "--prompt";
  const Tensor prompt = support::from_user(
      [&] { return vocabulary.encode(data::from_utf8(text, source), source); });
  if (prompt.numel() == 0) input_error("{}: must have a character to go on from", source);

  nn::Gpt model = model_of(checkpoint, vocabulary, path);
  nn::NextLogits next_logits(model, options.cache);
  Generator generator(options.seed);
  Tensor tokens = unsqueeze(prompt, 0);  // those that are new: (1, n)
  // The checkpoint may be anyone's, and so may what its model writes.
  const auto print = [](const std::string& part) {
    fmt::print("{}", printable(part, "\n\t"));
  };
  print(text);
  for (std::int64_t i = 0; i < options.tokens; ++i) {
    const Tensor next = nn::sample(next_logits(tokens), options.sampling, generator);
    tokens = unsqueeze(next, 0);  // (1, 1)
    print(data::to_utf8(vocabulary.decode(next)));
    std::fflush(stdout);  // as it is written
  }
  fmt::print("\n");
  return 0;
}

}  // namespace heed::char_lm
