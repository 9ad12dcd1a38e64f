#include "examples/char_lm/train.h"

#include <cerrno>  // program_invocation_name
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "examples/char_lm/folder_lock.h"
#include "examples/char_lm/interruption.h"
#include "examples/char_lm/training.h"
#include "examples/support/input_error.h"
#include "examples/support/progress.h"
#include "nn/state/atomic_file.h"
#include "tensor/core/text.h"
#include "tensor/core/threads.h"
#include "tensor/kernels/build_info.h"

namespace heed::char_lm {
namespace {

namespace fs = std::filesystem;
using namespace heed::support;

std::string log_path(const std::string& folder) { return folder + "/log.csv"; }

// A file that cannot be looked at cannot be written either, which is reported then.
bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The checkpoint to go on from; none if the training begins.
std::optional<Checkpoint> checkpoint_of(const TrainOptions& options) {
  const std::string path = checkpoint_path(options.out), log = log_path(options.out);
  if (exists(path)) {
    if (!options.resume) {
      input_error(
          "{}: is there already; go on from it with --resume, or choose another "
          "--out",
          path);
    }
    return load(path);
  }
  // The checkpoint comes first: this is the log of something else.
  if (exists(log)) {
    input_error("{}: is there already, without a checkpoint; choose another --out", log);
  }
  if (options.resume) {
    fmt::print("{}: no checkpoint yet; the training begins\n", printable(options.out));
  }
  return {};
}

// The settings of a training that goes on: those of the checkpoint, but perhaps for the
// number of steps.
Settings resumed_settings(const TrainOptions& options, const Checkpoint& checkpoint) {
  const std::string path = checkpoint_path(options.out);
  const std::map<std::string, std::string> before = to_strings(checkpoint.settings);
  for (const auto& [name, text] : options.given) {
    if (name != "steps" && text != before.at(name)) {
      input_error(
          "--{}: {} has begun with {}, got {}; leave the option out, or choose "
          "another --out",
          name, path, before.at(name), text);
    }
  }
  Settings settings = checkpoint.settings;
  if (options.given.contains("steps")) settings.steps = options.settings.steps;
  if (settings.steps < checkpoint.step) {
    input_error("--steps: {} has done {} steps already, got {}", path, checkpoint.step,
                settings.steps);
  }
  return settings;
}

void print_about(const Corpus& corpus, Training& training) {
  std::int64_t numbers = 0;
  for (const Variable& parameter : nn::parameters(training.model())) {
    numbers += parameter.numel();
  }
  const Settings& s = training.settings();
  fmt::print(
      "{}\n"
      "{}: {} characters, {} different ones; {} to learn, {} to check with\n"
      "A model of {} numbers: layers {}, heads {}, width {}, context {}\n",
      build_info(), printable(corpus.source), corpus.size(), corpus.vocabulary.size(),
      corpus.train.numel(), corpus.validation.numel(), numbers, s.layers, s.heads,
      s.width, s.context);
}

// Trains to the end, or until a signal comes, which is returned, and saves. `is_saved`:
// whether the checkpoint on the disk holds all of the training.
int run(Training& training, const TrainOptions& options, bool is_saved) {
  const std::int64_t steps = training.settings().steps;
  const std::string path = checkpoint_path(options.out);
  const Interruption interruption;
  const auto save_step = [&] {
    if (!is_saved) save(path, training.checkpoint());
    is_saved = true;
  };
  save_step();
  write_to_file(log_path(options.out), training.log());
  ProgressOptions shown = progress_on_stderr(
      "tokens",
      static_cast<double>(training.settings().batch * training.settings().context));
  shown.done = training.steps_done();
  Progress progress(steps, shown);
  for (;;) {
    if (training.evaluation_is_due()) {
      append_to_file(log_path(options.out), training.evaluate());
      is_saved = false;
    }
    const std::int64_t step = training.steps_done();
    const int signal = interruption.signal();
    if (signal != 0 || step == steps || step % options.checkpoint_every == 0) save_step();
    if (signal != 0 || step == steps) return signal;
    const double loss = training.advance();
    is_saved = false;
    const LogRow& last = training.log().back();
    progress.show(
        step + 1, loss,
        fmt::format("validation {:.4f} at {}", last.validation_loss, last.step));
  }
}

// As a word of the shell. One that is not printable is written with escapes, which bash
// and its kin read in $'...'.
std::string quoted(const std::string& text) {
  const bool is_printable = printable(text) == text;
  std::string word;
  for (const char c : text) {
    if (is_printable) {
      word += c == '\'' ? "'\\''" : std::string(1, c);
    } else {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
  }
  return (is_printable ? "'" : "$'") + printable(word) + "'";
}

void print_interruption(const TrainOptions& options, const Training& training) {
  const std::string text = options.text ? " --text " + quoted(*options.text) : "";
  std::fflush(stdout);  // what was said before comes first
  fmt::print(stderr,
             "char_lm: interrupted; saved after step {} of {}. To go on:\n"
             "  {} train --resume --out {}{}\n",
             training.steps_done(), training.settings().steps,
             quoted(program_invocation_name), quoted(options.out), text);
}

void print_results(Training& training, const Corpus& corpus) {
  fmt::print("\n{:>8} {:>14} {:>16}\n", "step", "training loss", "validation loss");
  for (const LogRow& row : training.log()) {
    fmt::print("{:8} {:14.4f} {:16.4f}\n", row.step, row.train_loss, row.validation_loss);
  }
  const double loss = whole_loss(training.model(), corpus.validation);
  fmt::print(
      "\nOver all of the part to check with, each of its {} predictable characters "
      "once:\n"
      "validation loss {:.4f}, {:.4f} bits a character\n",
      corpus.validation.numel() - 1, loss, loss / std::numbers::ln2);
}

}  // namespace

std::string checkpoint_path(const std::string& folder) {
  return folder + "/checkpoint.safetensors";
}

int train(const TrainOptions& options) {
  if (options.resume && !exists(options.out)) {
    input_error("{}: there is no such folder to go on from", options.out);
  }
  const Corpus corpus = read_corpus(options.text);
  // Before there is a folder that nobody needs.
  if (!exists(checkpoint_path(options.out))) check_settings(options.settings);
  make_folder(options.out);
  make_folder(options.figures);
  // A file beyond the limit on sizes (ulimit -f) is then reported as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  const FolderLock lock(options.out);
  nn::remove_leftovers(options.out);
  const std::optional<Checkpoint> checkpoint = checkpoint_of(options);
  const Settings settings =
      checkpoint ? resumed_settings(options, *checkpoint) : options.settings;
  Training training(settings, corpus);
  if (checkpoint) training.restore(*checkpoint, checkpoint_path(options.out));
  print_about(corpus, training);
  if (checkpoint) fmt::print("It goes on from step {}\n", checkpoint->step);
  if (training.steps_done() == settings.steps) {
    fmt::print("All {} steps are done; --steps takes it further\n", settings.steps);
  }
  // The checkpoint holds the number of steps, which may have changed.
  const bool is_saved = checkpoint && checkpoint->settings.steps == settings.steps;
  if (const int signal = run(training, options, is_saved)) {
    print_interruption(options, training);
    return 128 + signal;
  }
  print_results(training, corpus);
  fmt::print("\nwritten: {} {}\n", printable(checkpoint_path(options.out)),
             printable(log_path(options.out)));
  save_figures(options.figures, {{"loss", chart_of(training.log())}});
  return 0;
}

}  // namespace heed::char_lm
