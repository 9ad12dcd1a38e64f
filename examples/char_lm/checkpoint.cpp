#include "examples/char_lm/checkpoint.h"

#include "examples/char_lm/settings.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"

namespace heed::char_lm {
namespace {

// Throws Error unless a model of these settings has about as many numbers as the file:
// in the embeddings of characters and places and in the matrices of the layers.
void check_contents(const training::Checkpoint& checkpoint, const std::string& path) {
  const Settings s = settings_from(checkpoint.settings, path);
  const data::Vocabulary vocabulary = vocabulary_of(checkpoint);
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : checkpoint.model) {
    if (tensor.dtype() != float32) {
      fail("the tensor {} of the model must be float32, got {}", shown(name),
           heed::name(tensor.dtype()));
    }
    numbers += tensor.numel();
  }
  const std::int64_t least =
      (vocabulary.size() + s.context + 12 * s.layers * s.width) * s.width;
  check(numbers >= least,
        "its settings ask for a larger model than the {} numbers it has, {}", numbers,
        least);
}

}  // namespace

const training::Format& checkpoint_format() {
  static const training::Format format{.program = "char_lm",
                                       .version = 2,
                                       .generators = {"data", "dropout"},
                                       .tensors = {"vocabulary"},
                                       .check = check_contents};
  return format;
}

Tensor to_tensor(const data::Vocabulary& vocabulary) {
  const std::u32string& characters = vocabulary.characters();
  return from_vector(std::vector<std::int64_t>(characters.begin(), characters.end()));
}

data::Vocabulary vocabulary_of(const training::Checkpoint& checkpoint) {
  std::u32string characters;
  for (const std::int64_t number : training::whole_numbers(
           "vocabulary", checkpoint.tensors.at("vocabulary"), 0x10ffff)) {
    const auto code = static_cast<char32_t>(number);
    const bool is_surrogate = 0xd800 <= code && code <= 0xdfff;
    if (is_surrogate || (!characters.empty() && code <= characters.back())) {
      fail("the vocabulary must be different characters in their order, got U+{:04X}",
           number);
    }
    characters += code;
  }
  return data::Vocabulary(characters);
}

}  // namespace heed::char_lm
