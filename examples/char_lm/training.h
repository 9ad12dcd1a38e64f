// A training, step by step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/char_lm/checkpoint.h"
#include "examples/char_lm/corpus.h"
#include "nn/gpt.h"
#include "optim/adam.h"

namespace heed::char_lm {

// The mean cross entropy over all of a batch, a scalar: -log p, p being the probability
// that the model's logits give the character that follows.
Variable loss_of(nn::Gpt& model, const Batch& batch);

// The mean loss over every character of `part` but the first, which nothing predicts:
// the text is cut into pieces as long as the context, each character is asked for once,
// and a piece remembers nothing of the one before. Leaves the model in evaluation mode.
double whole_loss(nn::Gpt& model, const Tensor& part);

// The model and everything else that the next step depends on. All random numbers come
// from three generators: one draws the initial values and what dropout drops, one the
// pieces of text, and one those of an evaluation, which always begins anew: evaluations
// see the same pieces, and change nothing of the steps. A checkpoint has the states of
// the first two, so a training goes on in the streams that it has begun.
class Training {
 public:
  // Throws InputError when a part of the text is shorter than a piece.
  Training(const Settings& settings, const Corpus& corpus);

  // All that restore() needs. The model's tensors are the training's own, not copies: the
  // next step changes them. Throws Error when the model's loss is no number: nothing can
  // go on from there.
  Checkpoint checkpoint();
  // Goes on from a checkpoint of equal settings, but perhaps for the number of steps.
  // Throws InputError, with `path`, when it is one of another text or model.
  void restore(const Checkpoint& checkpoint, const std::string& path);

  std::int64_t steps_done() const { return step_; }
  const Settings& settings() const { return settings_; }
  const Log& log() const { return log_; }
  nn::Gpt& model() { return model_; }

  // Does a step, and returns its loss. Throws Error, and leaves the model as it is, when
  // the loss or a gradient is no number.
  double advance();
  // Whether the log wants a row here: every so many steps, and at the end.
  bool evaluation_is_due() const;
  // Adds that row, and returns it. Throws Error when its losses are no numbers.
  const LogRow& evaluate();

 private:
  double learning_rate() const;  // of the next step
  // The mean loss of so many batches, the same each time.
  double sampled_loss(const Tensor& part, std::int64_t batches);
  // Throws Error unless it is a finite number. `step` counts from 1.
  void check_finite(double loss, std::int64_t step) const;

  Settings settings_;
  const Corpus& corpus_;
  nn::Gpt model_;
  std::vector<Variable> parameters_;  // the model's
  optim::AdamW optimiser_;
  Generator data_;
  std::int64_t step_ = 0;
  Log log_;
};

}  // namespace heed::char_lm
