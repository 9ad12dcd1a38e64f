// The command `char_lm train`: a model, its steps, its evaluations.
//
// What any long run needs is in examples/training: the folder with its lock, checkpoints,
// the log, signals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/data_loader.h"
#include "data/dataset.h"
#include "examples/char_lm/corpus.h"
#include "examples/char_lm/settings.h"
#include "examples/support/figures.h"
#include "examples/training/checkpoint.h"
#include "nn/gpt.h"
#include "optim/adam.h"

namespace heed::char_lm {

// The mean cross entropy over all of a batch, a scalar: -log p, p being the probability
// that the model's logits give the character that follows.
Variable loss_of(nn::Gpt& model, const data::TokenBatch& batch);

// The mean loss over every character of `part` but the first, which nothing predicts:
// the text is cut into pieces as long as the context, each character is asked for once,
// and a piece remembers nothing of the one before. Leaves the model in evaluation mode.
double whole_loss(nn::Gpt& model, const Tensor& part);

// The model and everything else that the next step depends on. All random numbers come
// from three generators: one draws the initial values and what dropout drops, one the
// pieces of text, and one those of an evaluation, which always begins anew: evaluations
// see the same pieces, and change nothing of the steps. A checkpoint has the states of
// the first two, so a training goes on in the streams that it has begun.
class Trainer {
 public:
  // Throws InputError when a part of the text is shorter than a piece.
  Trainer(const Settings& settings, const Corpus& corpus);

  // Does a step, and returns its loss. Throws Error, and leaves the model as it is, when
  // the loss or a gradient is not finite.
  double step();
  std::int64_t steps_done() const { return step_; }

  // Whether the log wants a row here: every so many steps, and at the end.
  bool evaluation_is_due() const;
  // Adds that row, and returns it. Throws Error when its losses are not finite.
  const training::LogRow& evaluate();
  const training::Log& log() const { return log_; }

  // All that restore() needs. The model's tensors are the trainer's own, not copies: the
  // next step changes them. Throws Error when the model's loss is not finite: nothing can
  // go on from there.
  training::Checkpoint checkpoint();
  // Goes on from a checkpoint of equal settings, but perhaps for the number of steps.
  // Throws InputError, with `path`, when it is one of another text or model.
  void restore(const training::Checkpoint& checkpoint, const std::string& path);

  const Settings& settings() const { return settings_; }
  nn::Gpt& model() { return model_; }

 private:
  double learning_rate() const;  // of the next step
  // The mean loss of so many batches, the same each time.
  double sampled_loss(const Tensor& part, std::int64_t batches);

  Settings settings_;
  const Corpus& corpus_;
  nn::Gpt model_;
  std::vector<Variable> parameters_;  // the model's
  optim::AdamW optimiser_;
  data::DataLoader<data::TokenDataset> batches_;  // of the training part
  std::int64_t step_ = 0;
  training::Log log_;
};

struct TrainOptions {
  std::optional<std::string> text;  // a file; heed's own sources if none is given
  std::string out;                  // the folder of the checkpoint and the log
  bool resume = false;
  std::int64_t checkpoint_every = 250;
  support::FigureOptions figures;
  bool live = false;
  std::optional<std::string> graph;  // the file of the loss's graph
  Settings settings;
  training::SettingsText given;  // the settings of the command line
};

// Trains, and returns the exit code: 0, or 128 + the number of the signal that ended it
// early. Throws InputError when a file, folder or option is at fault, and Error when the
// training diverges; the checkpoint of before is then still there.
int train(const TrainOptions& options);

}  // namespace heed::char_lm
