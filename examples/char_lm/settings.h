// What a training is made of: the model's sizes and the recipe.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "examples/support/program.h"
#include "examples/training/checkpoint.h"
#include "nn/gpt.h"

namespace heed::char_lm {

// The defaults are nanoGPT's recipe for a plain computer. Two runs of equal settings on
// one text end in the same bits.
struct Settings {
  std::int64_t layers = 4, heads = 4, width = 128, context = 64;
  bool bias = false;
  std::int64_t batch = 12, steps = 2000;
  double lr = 1e-3, min_lr = 1e-4;
  std::int64_t warmup = 100;
  double beta1 = 0.9, beta2 = 0.99, weight_decay = 0.1, clip = 1, dropout = 0;
  std::uint64_t seed = 42;
  std::int64_t eval_every = 250, eval_batches = 20;

  // Each stream of random numbers has a seed of its own: streams from equal seeds would
  // be equal. The initial values, and after them what dropout drops, begin from `seed`.
  std::uint64_t evaluation_seed() const { return seed + 1; }
  std::uint64_t data_seed() const { return seed + 2; }  // the pieces that are learnt

  // Calls f(name, value, least, largest, help) for each of them.
  static void visit(auto& settings, auto&& f) {
    auto& s = settings;
    constexpr std::int64_t many = 1'000'000'000;
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    f("layers", s.layers, 1, 1000, "Blocks of the model");
    f("heads", s.heads, 1, 1000, "Heads of a block's attention; must divide --width");
    f("width", s.width, 1, 65536, "Features of a character");
    f("context", s.context, 1, 65536, "Most characters that the model sees at once");
    f("bias", s.bias, false, true, "Biases in the linear layers and the norms");
    f("batch", s.batch, 1, 65536, "Pieces of text, each a context long, in a step");
    f("steps", s.steps, 1, many,
      "Steps of training. With --resume it may be another number: the cosine then "
      "ends there, so with more steps the learning rate rises again");
    f("lr", s.lr, 0, 1000, "Learning rate after the warm-up");
    f("min-lr", s.min_lr, 0, 1000, "Learning rate at the end of the cosine");
    f("warmup", s.warmup, 0, many,
      "Steps in which the rate rises to --lr, at most --steps");
    f("beta1", s.beta1, 0, 0.999999, "AdamW: decay of the mean of the gradients");
    f("beta2", s.beta2, 0, 0.999999, "AdamW: decay of the mean of their squares");
    f("weight-decay", s.weight_decay, 0, 1000, "AdamW: decay of the matrices");
    f("clip", s.clip, 0, many, "Largest norm of the gradient; 0 allows any");
    f("dropout", s.dropout, 0, 0.999999,
      "Share of the features that are dropped in training");
    f("seed", s.seed, 0, any, "Where the random numbers start");
    f("eval-every", s.eval_every, 1, many, "Steps from one evaluation to the next");
    f("eval-batches", s.eval_batches, 1, many, "Batches in an evaluation, of each part");
  }

  // The options of the model, for a vocabulary of this size.
  nn::GptOptions gpt_options(std::int64_t vocab_size) const;
};

// An option for each setting, with its value as the default.
void add_settings(support::CommandLine& app, Settings& settings);

// The settings by name, so written that settings_from reads the same numbers.
training::SettingsText to_strings(const Settings& settings);
// Those among them that the command line gave.
training::SettingsText given_strings(const support::CommandLine& app,
                                     const Settings& settings);
// What to_strings() wrote. Throws InputError, with `source`, for a setting that is
// missing or that no command line could have given.
Settings settings_from(const training::SettingsText& strings, const std::string& source);

// Throws InputError, naming the options, when two settings contradict each other.
void check_settings(const Settings& settings);

}  // namespace heed::char_lm
