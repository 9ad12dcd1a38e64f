#include "examples/char_lm/trained.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "examples/char_lm/checkpoint.h"
#include "examples/char_lm/settings.h"
#include "examples/support/input_error.h"
#include "examples/training/run_folder.h"

namespace heed::char_lm {

using support::input_error;

Trained load_trained(const std::string& folder) {
  const std::string path = training::checkpoint_path(folder);
  // Where there is an error, load() tells it.
  if (std::error_code error; !std::filesystem::exists(path, error) && !error) {
    input_error("{}: there is no such file; char_lm train makes one", path);
  }
  const training::Checkpoint checkpoint = training::load(path, checkpoint_format());
  data::Vocabulary vocabulary = vocabulary_of(checkpoint);
  const Settings settings = settings_from(checkpoint.settings, path);
  const auto load = [&] {
    nn::Gpt model(settings.gpt_options(vocabulary.size()));
    nn::load_state_dict(model, checkpoint.model);
    nn::eval(model);
    return model;
  };
  nn::Gpt model = support::from_user(load, path);
  return {std::move(model), std::move(vocabulary), checkpoint.step};
}

Tensor encode_prompt(const data::Vocabulary& vocabulary, const std::string& prompt) {
  const std::string source = "--prompt";
  const Tensor ids = support::from_user(
      [&] { return vocabulary.encode(data::from_utf8(prompt, source), source); });
  if (ids.numel() == 0) input_error("{}: must have a character to go on from", source);
  return ids;
}

}  // namespace heed::char_lm
