#include "view/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "tensor/core/error.h"
#include "view/live.h"
#include "view/terminal.h"
#include "view/text.h"

namespace heed::viz {
namespace {

constexpr double refresh = 0.1;  // seconds between two rewritings

ProgressOptions with_defaults(ProgressOptions options) {
  if (!options.clock) options.clock = seconds_now;
  if (!options.write) options.write = write_to_stderr;
  if (!options.width) options.width = [] { return terminal_width(STDERR_FILENO); };
  return options;
}

}  // namespace

ProgressOptions progress_on_stderr(std::string unit, double units_a_step) {
  return {.unit = std::move(unit),
          .units_a_step = units_a_step,
          .in_place = is_rewritable(STDERR_FILENO)};
}

Progress::Progress(std::int64_t total, ProgressOptions options)
    : total_(total),
      step_(options.done),
      options_(with_defaults(std::move(options))),
      start_(options_.clock()),
      last_(start_) {
  check(total_ >= 1, "progress: there must be a step to do, got {}", total_);
  check(options_.units_a_step > 0, "progress: a step must be more than 0 {}, got {}",
        options_.unit, options_.units_a_step);
  check(options_.lines >= 1, "progress: there must be a line to print, got {}",
        options_.lines);
  check(0 <= step_ && step_ <= total_, "progress: from 0 to {} steps may be done, got {}",
        total_, step_);
  parts_ = options_.lines * step_ / total_;
}

Progress::~Progress() {
  if (line_width_ > 0) options_.write("\n");
}

void Progress::show(std::int64_t step, double loss, std::string_view more) {
  check(step_ < step && step <= total_,
        "progress: the step must be from {} to {}, got {}", step_ + 1, total_, step);
  step_ = step;
  const double now = options_.clock();
  const bool is_last = step == total_;
  if (now - start_ < options_.delay) return;
  if (!options_.in_place) {
    const std::int64_t parts = options_.lines * step / total_;
    if (!is_last && parts == parts_) return;
    parts_ = parts;
    options_.write(text(step, loss, more, now - start_) + "\n");
    return;
  }
  if (!is_last && now - last_ < refresh) return;
  last_ = now;
  // A line that fills the terminal would wrap, and could not be rewritten.
  const std::string line =
      shortened(text(step, loss, more, now - start_), options_.width() - 1);
  const std::int64_t width = text_width(line);
  const auto blanks =
      static_cast<std::size_t>(std::max<std::int64_t>(line_width_ - width, 0));
  options_.write("\r" + line + std::string(blanks, ' ') + (is_last ? "\n" : ""));
  line_width_ = is_last ? 0 : width;
}

void Progress::clear() {
  if (line_width_ == 0) return;
  options_.write("\r" + std::string(static_cast<std::size_t>(line_width_), ' ') + "\r");
  line_width_ = 0;
}

std::string Progress::text(std::int64_t step, double loss, std::string_view more,
                           double seconds) const {
  std::string line =
      fmt::format("{} {}/{}, loss {:.4f}", options_.step, step, total_, loss);
  if (!more.empty()) line += fmt::format(", {}", more);
  if (seconds <= 0) return line;
  const double steps_a_second = static_cast<double>(step - options_.done) / seconds;
  const double units = steps_a_second * options_.units_a_step;
  line += units < 100 ? fmt::format(", {:.3g} {}/s", units, options_.unit)
                      : fmt::format(", {:.0f} {}/s", units, options_.unit);
  const bool is_last = step == total_;
  const double left = static_cast<double>(total_ - step) / steps_a_second;
  return line + ", " + duration(is_last ? seconds : left) +
         (is_last ? " in all" : " left");
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 1.0)));
  if (whole < 60) return fmt::format("{} s", whole);
  const std::int64_t minutes = whole / 60;
  if (minutes < 60) return fmt::format("{} min {} s", minutes, whole % 60);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace heed::viz
