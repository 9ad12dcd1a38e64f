#include "examples/char_lm/generate.h"

#include <cstdio>

#include <fmt/core.h>

#include "examples/char_lm/trained.h"
#include "tensor/core/text.h"
#include "tensor/core/views.h"

namespace heed::char_lm {

namespace {

std::string default_prompt(const data::Vocabulary& vocabulary) {
  const std::u32string& characters = vocabulary.characters();
  if (characters.find(U'\n') != characters.npos) return "\n";
  return data::to_utf8(characters.substr(0, 1));
}

}  // namespace

int generate(const GenerateOptions& options) {
  Trained trained = load_trained(options.out);
  const data::Vocabulary& vocabulary = trained.vocabulary;
  const std::string text = options.prompt.value_or(default_prompt(vocabulary));
  const Tensor prompt = encode_prompt(vocabulary, text);

  nn::NextLogits next_logits(trained.model, options.cache);
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
    if (std::fflush(stdout) != 0) break;  // shown at once, where it can be
  }
  fmt::print("\n");
  return 0;
}

}  // namespace heed::char_lm
