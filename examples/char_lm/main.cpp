// A language model of characters, trained from scratch on any text, and what it writes.
#include <cstdint>
#include <limits>

#include "examples/char_lm/attention.h"
#include "examples/char_lm/generate.h"
#include "examples/char_lm/train.h"
#include "examples/support/graph.h"
#include "examples/support/html.h"
#include "examples/support/program.h"

namespace {

using namespace heed;
using namespace heed::char_lm;
using namespace heed::support;

constexpr std::int64_t many = 1'000'000'000;

CommandLine& add_train(CommandLine& app, TrainOptions& options) {
  CommandLine& train = app.add_command(
      "train",
      "Trains a model on a text, of which the last tenth is kept to check with: some\n"
      "batches of it on the way, and at the end all of it, which may take longer than\n"
      "a short training.\n"
      "DIR gets checkpoint.safetensors, everything that --resume goes on from, and\n"
      "log.csv. A training that was interrupted, by Ctrl-C or in any other way, and\n"
      "resumed ends in the same bits as one that was not; so does one with another\n"
      "number of threads.");
  train.add_text("--text", options.text, "FILE",
                 "The text, in UTF-8. Without it heed's own sources are learnt: the "
                 ".h, .cpp and .md files of the tree this program was built from");
  train.add_text("--out", options.out, "DIR", "The folder of the checkpoint and the log")
      .required();
  train.add_flag(
      "--resume", options.resume,
      "Go on from the checkpoint in DIR. --text must be what it was; the options "
      "from --layers on need not be given again, and among them only --steps may "
      "differ");
  train.add_number("--checkpoint-every", options.checkpoint_every, std::int64_t{1}, many,
                   "Steps from one checkpoint to the next");
  train.add_threads();
  train.add_figures(options.figures, "Draw the losses into this folder");
  train.add_live(options.live);
  add_graph(train, options.graph, "loss after the training");
  add_settings(train, options.settings);
  return train;
}

CommandLine& add_generate(CommandLine& app, GenerateOptions& options) {
  CommandLine& generate = app.add_command(
      "generate",
      "Continues a prompt, with what train has made of a text so far.\n"
      "The keys and values of what is written are kept while all of it fits into the\n"
      "model's context; from then on its last characters are computed anew each time.");
  generate.add_text("--out", options.out, "DIR", "The folder that train has written into")
      .required();
  generate.add_text("--prompt", options.prompt, "TEXT", "What to go on from",
                    "a newline, or the first character");
  generate.add_number("--tokens", options.tokens, std::int64_t{1}, many,
                      "How many characters to write");
  generate.add_number("--temperature", options.sampling.temperature, 0.0, 1e6,
                      "Below 1 the likely gets likelier; 0 takes the likeliest");
  generate.add_number("--top-k", options.sampling.top_k, std::int64_t{0}, many,
                      "Choose among so many of the likeliest; 0 among all");
  generate.add_number("--seed", options.seed, std::uint64_t{0},
                      std::numeric_limits<std::uint64_t>::max(),
                      "Where the random numbers start");
  generate.add_flag(
      "!--no-cache", options.cache,
      "Compute everything anew for each character: slower. The text is the same, "
      "unless a rounding tips a choice");
  generate.add_threads();
  return generate;
}

CommandLine& add_attention(CommandLine& app, AttentionOptions& options) {
  CommandLine& attention = app.add_command(
      "attention",
      "Lets the model read a prompt, and writes a page that shows what its heads attend\n"
      "to: a file for a browser, which needs no network.");
  attention
      .add_text("--out", options.out, "DIR", "The folder that train has written into")
      .required();
  attention
      .add_text("--prompt", options.prompt, "TEXT",
                "What it reads, no longer than its context")
      .required();
  add_html(attention, options.html).required();
  attention.add_threads();
  return attention;
}

}  // namespace

int main(int argc, char** argv) {
  TrainOptions train_options;
  GenerateOptions generate_options;
  AttentionOptions attention_options;
  CommandLine app(
      "A language model of characters: train one on a text, let it write, and see what "
      "it\n"
      "attends to. The defaults are nanoGPT's recipe for a plain computer. The options "
      "are\n"
      "told by char_lm train --help, and likewise for the other commands.\n"
      "Exit codes: 0 all is well, 1 the training diverged or a computation failed,\n"
      "2 wrong options or input, 130 or 143 ended by Ctrl-C (SIGINT) or SIGTERM, after\n"
      "the step was finished and saved.",
      "char_lm");
  const CommandLine& train_command = add_train(app, train_options);
  const CommandLine& generate_command = add_generate(app, generate_options);
  add_attention(app, attention_options);
  return app.run(argc, argv, [&] {
    if (generate_command.is_given()) return generate(generate_options);
    if (!train_command.is_given()) return attention(attention_options);
    train_options.given = given_strings(train_command, train_options.settings);
    return train(train_options);
  });
}
