#include "examples/char_lm/train.h"

#include <algorithm>
#include <cerrno>  // program_invocation_name
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "autograd/views.h"
#include "examples/char_lm/checkpoint.h"
#include "examples/support/figures.h"
#include "examples/support/graph.h"
#include "examples/support/input_error.h"
#include "examples/training/interruption.h"
#include "examples/training/run_folder.h"
#include "nn/apply.h"
#include "nn/loss.h"
#include "optim/clip.h"
#include "optim/schedule.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"
#include "tensor/core/threads.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/kernels/build_info.h"
#include "view/progress.h"

namespace heed::char_lm {
namespace {

using support::input_error;
using training::LogRow;

// --- the model and its optimiser

// A new model, drawn from the seed.
nn::Gpt seeded_model(const Settings& settings, const Corpus& corpus) {
  manual_seed(settings.seed);
  return nn::Gpt(settings.gpt_options(corpus.vocabulary.size()));
}

// Weight decay pulls weights towards 0, so that they grow only where that lowers the
// loss. As in nanoGPT only matrices decay, those of linear layers and embeddings: a
// norm's scale belongs near 1, and a bias only shifts.
optim::AdamW optimiser_of(const std::vector<Variable>& parameters,
                          const Settings& settings) {
  optim::AdamWOptions options{.lr = settings.lr,
                              .betas = {settings.beta1, settings.beta2},
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

// Epochs of `batches` batches of pieces that begin at random places of `part`, as
// nanoGPT draws them.
data::DataLoader<data::TokenDataset> sampled(const Tensor& part, const Settings& settings,
                                             std::int64_t batches, std::uint64_t seed) {
  return data::DataLoader(data::TokenDataset(part, settings.context),
                          {.batch_size = settings.batch,
                           .replacement = true,
                           .num_samples = batches * settings.batch,
                           .generator = Generator(seed)});
}

// Throws Error unless the loss is a finite number. `step` counts from 1.
void check_finite(double loss, std::int64_t step) {
  check(std::isfinite(loss),
        "the training diverged in step {}; begin anew with a smaller --lr, in another "
        "--out",
        step);
}

}  // namespace

// --- the loss

Variable loss_of(nn::Gpt& model, const data::TokenBatch& batch) {
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
    const double loss = loss_of(model, data::TokenDataset(part, size)[offsets]).item();
    sum += loss * static_cast<double>(count * size);
  };
  const std::int64_t whole = targets / length;
  viz::ProgressOptions progress_options =
      viz::progress_on_stderr("tokens", static_cast<double>(length));
  progress_options.delay = 2;
  progress_options.step = "piece";
  viz::Progress progress(std::max<std::int64_t>(whole, 1), progress_options);
  for (std::int64_t i = 0; i < whole; i += at_once) {
    const std::int64_t count = std::min(at_once, whole - i);
    add(i * length, count, length);
    progress.show(i + count, sum / static_cast<double>((i + count) * length));
  }
  if (targets % length > 0) add(whole * length, 1, targets % length);
  return sum / static_cast<double>(targets);
}

// --- steps and evaluations

Trainer::Trainer(const Settings& settings, const Corpus& corpus)
    : settings_(settings),
      corpus_(checked(corpus, settings)),
      model_(seeded_model(settings, corpus)),
      parameters_(nn::parameters(model_)),
      optimiser_(optimiser_of(parameters_, settings)),
      batches_(sampled(corpus.train, settings, 1, settings.data_seed())) {}

double Trainer::learning_rate() const {
  return optim::cosine_schedule(step_,
                                {.lr = settings_.lr,
                                 .min_lr = settings_.min_lr,
                                 .warmup = std::min(settings_.warmup, settings_.steps),
                                 .steps = settings_.steps});
}

double Trainer::step() {
  const data::TokenBatch batch = batches_.next();
  nn::train(model_);       // evaluations and checkpoints switch to eval()
  optimiser_.zero_grad();  // backward() adds to the gradients that are there
  const Variable loss = loss_of(model_, batch);
  loss.backward();
  // Between backward(), which completes the gradients, and step(), which uses them.
  constexpr double any = std::numeric_limits<double>::infinity();
  const double norm =
      optim::clip_grad_norm_(parameters_, settings_.clip > 0 ? settings_.clip : any);
  check_finite(loss.item() + norm, step_ + 1);
  const double lr = learning_rate();
  for (auto& group : optimiser_.param_groups()) group.lr = lr;
  optimiser_.step();
  ++step_;
  return loss.item();
}

bool Trainer::evaluation_is_due() const {
  const bool is_new = log_.empty() || log_.back().step < step_;
  return is_new && (step_ % settings_.eval_every == 0 || step_ == settings_.steps);
}

const LogRow& Trainer::evaluate() {
  const LogRow row{
      .step = step_,
      .train_loss = sampled_loss(corpus_.train, settings_.eval_batches),
      .validation_loss = sampled_loss(corpus_.validation, settings_.eval_batches),
      .lr = learning_rate()};
  check_finite(row.train_loss + row.validation_loss, step_);
  return log_.emplace_back(row);
}

double Trainer::sampled_loss(const Tensor& part, std::int64_t batches) {
  NoGrad no_grad;
  nn::eval(model_);
  double sum = 0;
  for (const data::TokenBatch& batch :
       sampled(part, settings_, batches, settings_.evaluation_seed())) {
    sum += loss_of(model_, batch).item();
  }
  return sum / static_cast<double>(batches);
}

// --- what a run goes on from

training::Checkpoint Trainer::checkpoint() {
  // A model that has diverged must not take the place of one that has not.
  check_finite(sampled_loss(corpus_.validation, 1), step_);
  return {.settings = to_strings(settings_),
          .fingerprint = corpus_.fingerprint,
          .step = step_,
          .model = nn::state_dict(model_),
          .optimiser = optimiser_.state_dict(),
          .generators = {{"data", batches_.state()},
                         {"dropout", default_generator().get_state()}},
          .log = log_,
          .tensors = {{"vocabulary", to_tensor(corpus_.vocabulary)}}};
}

void Trainer::restore(const training::Checkpoint& checkpoint, const std::string& path) {
  if (checkpoint.fingerprint != corpus_.fingerprint) {
    input_error(
        "{}: must be the text that {} has begun to learn, {}, got {}; --text gives it",
        corpus_.source, path, shown(checkpoint.fingerprint), shown(corpus_.fingerprint));
  }
  const auto load = [&] {
    nn::load_state_dict(model_, checkpoint.model);
    optimiser_.load_state_dict(checkpoint.optimiser);
    batches_.set_state(checkpoint.generators.at("data"));
    default_generator().set_state(checkpoint.generators.at("dropout"));
  };
  support::from_user(load, path);
  step_ = checkpoint.step;
  log_ = checkpoint.log;
}

// --- a whole run

namespace {

void print_about(const Corpus& corpus, Trainer& trainer) {
  const Settings& s = trainer.settings();
  fmt::print(
      "{}\n"
      "{}: {} characters, {} different ones; {} to learn, {} to check with\n"
      "A model of {} numbers: layers {}, heads {}, width {}, context {}\n",
      build_info(), printable(corpus.source), corpus.size(), corpus.vocabulary.size(),
      corpus.train.numel(), corpus.validation.numel(),
      nn::num_parameters(trainer.model()), s.layers, s.heads, s.width, s.context);
}

// Trains to the end, or until a signal comes, and saves. Returns the signal, or 0.
int run(Trainer& trainer, const training::RunFolder& folder,
        const TrainOptions& options) {
  const training::Interruption interruption;
  const Settings& s = trainer.settings();
  // A run that is resumed with another number of steps saves that at once.
  bool is_saved = folder.checkpoint && folder.checkpoint->settings == to_strings(s);
  const auto save = [&] {
    if (is_saved) return;
    training::save(folder.checkpoint_path, trainer.checkpoint(), checkpoint_format());
    is_saved = true;
  };
  save();
  training::write_to_file(folder.log_path, trainer.log());
  const auto live = support::live_chart(
      options.live,
      {.title = "Loss of the next character",
       .xlabel = "step",
       .ylabel = "cross entropy",
       .curves = {{.title = "training", .smoothing = 0.9},
                  {.title = "validation", .style = viz::Style::line_with_points}},
       .whole_x = true},
      options.figures);
  const auto add_validation = [&live](const LogRow& row) {
    if (live)
      live->add(static_cast<double>(row.step), {std::nullopt, row.validation_loss});
  };
  for (const LogRow& row : trainer.log()) add_validation(row);
  viz::ProgressOptions progress_options = support::progress_beside(
      live.get(), "tokens", static_cast<double>(s.batch * s.context));
  progress_options.done = trainer.steps_done();
  viz::Progress progress(s.steps, progress_options);
  for (;;) {
    if (trainer.evaluation_is_due()) {
      const LogRow& row = trainer.evaluate();
      training::append_to_file(folder.log_path, row);
      add_validation(row);
      is_saved = false;
    }
    const int signal = interruption.signal();
    const bool ends = signal != 0 || trainer.steps_done() == s.steps;
    if (ends || trainer.steps_done() % options.checkpoint_every == 0) save();
    if (ends) {
      if (live) support::finish(*live);
      return signal;
    }
    const double loss = trainer.step();
    is_saved = false;
    if (live) live->add(static_cast<double>(trainer.steps_done()), {loss, std::nullopt});
    const LogRow& last = trainer.log().back();
    progress.show(
        trainer.steps_done(), loss,
        fmt::format("validation {:.4f} at {}", last.validation_loss, last.step));
  }
}

void print_interruption(const TrainOptions& options, const Trainer& trainer) {
  const auto quoted = training::shell_word;
  const std::string text = options.text ? " --text " + quoted(*options.text) : "";
  std::fflush(stdout);  // so that the message comes after the output
  fmt::print(stderr,
             "char_lm: interrupted; saved after step {} of {}. To go on:\n"
             "  {} train --resume --out {}{}\n",
             trainer.steps_done(), trainer.settings().steps,
             quoted(program_invocation_name), quoted(options.out), text);
}

void print_results(Trainer& trainer, const Corpus& corpus) {
  fmt::print("\n{:>8} {:>14} {:>16}\n", "step", "training loss", "validation loss");
  for (const LogRow& row : trainer.log()) {
    fmt::print("{:8} {:14.4f} {:16.4f}\n", row.step, row.train_loss, row.validation_loss);
  }
  fmt::print(
      "\nOver the part to check with, each of its {} predictable characters once:\n",
      corpus.validation.numel() - 1);
  std::fflush(stdout);  // before the progress, which standard error shows
  const double loss = whole_loss(trainer.model(), corpus.validation);
  fmt::print("validation loss {:.4f}, {:.4f} bits a character\n", loss,
             loss / std::numbers::ln2);
}

}  // namespace

int train(const TrainOptions& options) {
  const Corpus corpus = read_corpus(options.text);
  // First, so that wrong settings do not leave a new folder behind.
  if (!training::has_checkpoint(options.out)) {
    check_settings(options.settings);
    (void)checked(corpus, options.settings);
  }
  support::check_graph(options.graph);
  support::make_folder(options.figures);
  const training::RunFolder folder(options.out, checkpoint_format(), options.resume);
  const std::string& path = folder.checkpoint_path;
  const auto& checkpoint = folder.checkpoint;
  const Settings settings =
      checkpoint ? settings_from(resumed_settings(*checkpoint, options.given, path), path)
                 : options.settings;
  Trainer trainer(settings, corpus);
  if (checkpoint) trainer.restore(*checkpoint, path);
  if (options.resume && !checkpoint) {
    fmt::print("{}: no checkpoint yet; the training begins\n", printable(options.out));
  }
  print_about(corpus, trainer);
  if (checkpoint) fmt::print("It goes on from step {}\n", checkpoint->step);
  if (trainer.steps_done() == settings.steps) {
    fmt::print("All {} steps are done; --steps takes it further\n", settings.steps);
  }
  if (const int signal = run(trainer, folder, options)) {
    print_interruption(options, trainer);
    return 128 + signal;
  }
  print_results(trainer, corpus);
  fmt::print("\nwritten: {} {}\n", printable(path), printable(folder.log_path));
  const data::TokenDataset pieces(corpus.train, settings.context);
  support::save_graph(options.graph, nn::named_parameters(trainer.model()),
                      [&] { return loss_of(trainer.model(), pieces[arange(1)]); });
  support::save_figures(
      options.figures, {{"loss", chart_of(trainer.log(), "Loss of the next character")}});
  return 0;
}

}  // namespace heed::char_lm
