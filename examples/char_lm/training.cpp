#include "examples/char_lm/training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "autograd/views.h"
#include "examples/support/input_error.h"
#include "nn/loss.h"
#include "optim/clip.h"
#include "optim/schedule.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"
#include "tensor/elementwise/elementwise.h"

namespace heed::char_lm {
namespace {

using support::input_error;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Weight decay pulls weights towards 0, so that they grow only where the loss gains by
// it. As in nanoGPT it is for matrices alone, which multiply features or stand for
// characters: a norm's scale belongs near 1, and a bias shifts.
optim::AdamW optimiser_of(const std::vector<Variable>& parameters,
                          const Settings& settings) {
  optim::AdamWOptions options{.lr = settings.lr,
                              .beta1 = settings.beta1,
                              .beta2 = settings.beta2,
                              .weight_decay = settings.weight_decay};
  optim::AdamW::Group matrices{{}, options}, vectors{{}, options};
  vectors.options.weight_decay = 0;
  for (const Variable& parameter : parameters) {
    (parameter.dim() >= 2 ? matrices : vectors).parameters.push_back(parameter);
  }
  return optim::AdamW({matrices, vectors});
}

// The corpus, if a piece fits into each part.
const Corpus& checked(const Corpus& corpus, const Settings& settings) {
  const auto check_part = [&](const char* name, const Tensor& part) {
    if (part.numel() <= settings.context) {
      input_error(
          "{}: the {} part must be longer than --context, got {} and {} characters",
          corpus.source, name, part.numel(), settings.context);
    }
  };
  check_part("training", corpus.train);
  check_part("validation", corpus.validation);
  return corpus;
}

// A new model, drawn from the seed.
nn::Gpt seeded_model(const Settings& settings, const Corpus& corpus) {
  manual_seed(settings.seed);
  return nn::Gpt(settings.gpt_options(corpus.vocabulary.size()));
}

}  // namespace

Variable loss_of(nn::Gpt& model, const Batch& batch) {
  const Variable logits = model(batch.inputs);  // (pieces, length, vocabulary)
  return nn::cross_entropy(reshape(logits, {-1, logits.size(2)}), flatten(batch.targets));
}

double whole_loss(nn::Gpt& model, const Tensor& part) {
  constexpr std::int64_t at_once = 16;  // pieces
  NoGrad no_grad;
  nn::eval(model);
  const std::int64_t length = model.options.block_size;
  const std::int64_t targets = part.numel() - 1;
  double sum = 0;
  const auto add = [&](std::int64_t begin, std::int64_t count, std::int64_t size) {
    const Tensor offsets = begin + length * arange(count);
    const double loss = loss_of(model, pieces(part, offsets, size)).item();
    sum += loss * static_cast<double>(count * size);
  };
  const std::int64_t whole = targets / length;
  for (std::int64_t i = 0; i < whole; i += at_once) {
    add(i * length, std::min(at_once, whole - i), length);
  }
  if (targets % length > 0) add(whole * length, 1, targets % length);
  return sum / static_cast<double>(targets);
}

Training::Training(const Settings& settings, const Corpus& corpus)
    : settings_(settings),
      corpus_(checked(corpus, settings)),
      model_(seeded_model(settings, corpus)),
      parameters_(nn::parameters(model_)),
      optimiser_(optimiser_of(parameters_, settings)),
      data_(settings.data_seed()) {}

void Training::check_finite(double loss, std::int64_t step) const {
  check(std::isfinite(loss),
        "the training diverged in step {}; begin anew with a smaller --lr, in another "
        "--out",
        step);
}

Checkpoint Training::checkpoint() {
  // A model that has diverged must not take the place of one that has not.
  check_finite(sampled_loss(corpus_.validation, 1), step_);
  return {.settings = settings_,
          .fingerprint = corpus_.fingerprint,
          .characters = corpus_.vocabulary.characters(),
          .step = step_,
          .model = nn::state_dict(model_),
          .optimiser = optimiser_.state(),
          .data_state = data_.state(),
          .dropout_state = default_generator().state(),
          .log = log_};
}

void Training::restore(const Checkpoint& checkpoint, const std::string& path) {
  if (checkpoint.fingerprint != corpus_.fingerprint) {
    input_error(
        "{}: must be the text that {} has begun to learn, {}, got {}; "
        "--text gives it",
        corpus_.source, path, shown(checkpoint.fingerprint), shown(corpus_.fingerprint));
  }
  try {
    nn::load_state_dict(model_, checkpoint.model);
    optimiser_.load_state(checkpoint.optimiser);
    data_.set_state(checkpoint.data_state);
    default_generator().set_state(checkpoint.dropout_state);
  } catch (const Error& error) {
    input_error("{}: {}", path, error.what());
  }
  step_ = checkpoint.step;
  log_ = checkpoint.log;
}

double Training::learning_rate() const {
  return optim::cosine_schedule(step_,
                                {.lr = settings_.lr,
                                 .min_lr = settings_.min_lr,
                                 .warmup = std::min(settings_.warmup, settings_.steps),
                                 .steps = settings_.steps});
}

double Training::advance() {
  const Batch batch =
      random_pieces(corpus_.train, settings_.batch, settings_.context, data_);
  nn::train(model_);       // an evaluation may have been before
  optimiser_.zero_grad();  // backward() adds to the gradients that are there
  const Variable loss = loss_of(model_, batch);
  loss.backward();
  // The gradients are whole only now, and step() is about to use them.
  const double limit = settings_.clip > 0 ? settings_.clip : infinity;
  const double norm = optim::clip_grad_norm(parameters_, limit);
  check_finite(loss.item() + norm, step_ + 1);
  const double lr = learning_rate();
  for (std::size_t group = 0; group < optimiser_.group_count(); ++group) {
    optimiser_.options(group).lr = lr;
  }
  optimiser_.step();
  ++step_;
  return loss.item();
}

bool Training::evaluation_is_due() const {
  const bool is_new = log_.empty() || log_.back().step < step_;
  return is_new && (step_ % settings_.eval_every == 0 || step_ == settings_.steps);
}

const LogRow& Training::evaluate() {
  const LogRow row{
      .step = step_,
      .train_loss = sampled_loss(corpus_.train, settings_.eval_batches),
      .validation_loss = sampled_loss(corpus_.validation, settings_.eval_batches),
      .lr = learning_rate()};
  check_finite(row.train_loss + row.validation_loss, step_);
  return log_.emplace_back(row);
}

double Training::sampled_loss(const Tensor& part, std::int64_t batches) {
  NoGrad no_grad;
  nn::eval(model_);
  Generator generator(settings_.evaluation_seed());
  double sum = 0;
  for (std::int64_t i = 0; i < batches; ++i) {
    sum += loss_of(model_,
                   random_pieces(part, settings_.batch, settings_.context, generator))
               .item();
  }
  return sum / static_cast<double>(batches);
}

}  // namespace heed::char_lm
