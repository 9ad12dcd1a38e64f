#include "examples/char_lm/attention.h"

#include <vector>

#include <fmt/core.h>

#include "autograd/record.h"
#include "examples/char_lm/trained.h"
#include "examples/support/html.h"
#include "examples/support/input_error.h"
#include "nn/attention_maps.h"
#include "tensor/core/text.h"
#include "tensor/core/views.h"
#include "view/attention_page.h"

namespace heed::char_lm {

int attention(const AttentionOptions& options) {
  support::check_html(options.html);
  Trained trained = load_trained(options.out);
  nn::Gpt& model = trained.model;
  const Tensor ids = encode_prompt(trained.vocabulary, options.prompt);
  if (ids.numel() > model.options.block_size) {
    support::input_error("--prompt: the model sees {} characters at once, got {}",
                         model.options.block_size, ids.numel());
  }
  nn::keep_weights(model);
  {
    const NoGrad no_grad;
    (void)model(unsqueeze(ids, 0));
  }
  std::vector<std::string> characters;
  for (std::int64_t i = 0; i < ids.numel(); ++i) {
    characters.push_back(
        data::to_utf8(trained.vocabulary.decode(slice(ids, 0, i, i + 1))));
  }
  const std::string note = fmt::format(
      "Layers: {}; heads: {}; steps of training: {}. Each character attends to itself "
      "and those before it.",
      model.options.n_layer, model.options.n_head, trained.steps);
  viz::attention_page(*options.html, characters, nn::attention_maps(model),
                      {.title = "char_lm: " + options.prompt, .note = note});
  fmt::print("characters: {}; layers: {}; heads: {}; see {}\n", ids.numel(),
             model.options.n_layer, model.options.n_head, printable(*options.html));
  return 0;
}

}  // namespace heed::char_lm
