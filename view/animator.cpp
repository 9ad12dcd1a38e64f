#include "view/animator.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "tensor/core/error.h"
#include "tensor/core/text.h"
#include "view/gnuplot_window.h"
#include "view/live.h"
#include "view/terminal.h"
#include "view/text.h"

namespace heed::viz {

void Animator::Schedule::ran(double begin, double end) {
  constexpr double rest = 50;  // times as long as the work took
  due = end + std::max(interval, rest * (end - begin));
}

Animator::Animator(Lines chart, AnimatorOptions options)
    : chart_(std::move(chart)), options_(std::move(options)) {
  check_figure(chart_);
  check(options_.file_interval >= 0,
        "animator: the interval of the file must not be negative, got {}",
        options_.file_interval);
  file_schedule_.interval = options_.file_interval;
  if (!options_.clock) options_.clock = seconds_now;
  const Screen screen = options_.screen;
  if (screen == Screen::window || screen == Screen::any) {
    try {
      window_ = std::make_unique<Window>();
    } catch (const Error& error) {
      obstacles_.push_back(fmt::format("no window: {}", error.what()));
    }
  }
  if (screen == Screen::terminal || (screen == Screen::any && !window_)) {
    in_terminal_ = is_rewritable(STDERR_FILENO);
    if (!in_terminal_) {
      obstacles_.push_back(isatty(STDERR_FILENO) != 0
                               ? "by TERM this terminal cannot draw over its lines"
                               : "standard error is no terminal");
    }
  }
  if (!options_.file.empty()) {
    // An empty chart, so that a file that cannot be written is reported at once.
    has_file_ = save_figure(options_.file, chart_);
    if (!has_file_) obstacles_.push_back("no picture: gnuplot is not installed");
  }
}

std::string Animator::place() const {
  std::vector<std::string> places;
  if (window_) places.push_back("a window");
  if (in_terminal_) places.push_back("the terminal");
  if (has_file_) places.push_back(printable(options_.file));
  std::string text =
      places.empty() ? "nowhere" : fmt::format("in {}", fmt::join(places, " and "));
  if (!obstacles_.empty()) text += fmt::format(" ({})", fmt::join(obstacles_, "; "));
  return text;
}

Animator::~Animator() {
  try {
    finish();
  } catch (...) {
  }
}

void Animator::add(double x, std::initializer_list<std::optional<double>> y) {
  check(y.size() == chart_.curves.size(),
        "animator: add() needs a y for each of the {} curves, got {}",
        chart_.curves.size(), y.size());
  auto curve = chart_.curves.begin();
  for (const std::optional<double>& number : y) {
    if (number) {
      curve->x.push_back(x);
      curve->y.push_back(*number);
    }
    ++curve;
  }
  is_drawn_ = false;
  const double now = options_.clock();
  if (screen_schedule_.is_due(now)) timed(screen_schedule_, &Animator::draw_screen);
  if (has_file_ && file_schedule_.is_due(now))
    timed(file_schedule_, &Animator::draw_file);
}

void Animator::timed(Schedule& schedule, void (Animator::*draw)()) {
  const double begin = options_.clock();
  try {
    (this->*draw)();
  } catch (const Error& error) {
    problem_ = error.what();
  }
  schedule.ran(begin, options_.clock());
}

void Animator::draw_screen() {
  if (window_) draw_in_window(&Window::draw);
  if (in_terminal_) draw_terminal();
}

void Animator::draw_in_window(void (Window::*draw)(const Drawing&)) {
  const Drawing drawing = drawing_of(chart_);
  try {
    (*window_.*draw)(drawing);
  } catch (const Error& error) {
    window_.reset();
    in_terminal_ = options_.screen == Screen::any && is_rewritable(STDERR_FILENO);
    obstacles_.push_back(fmt::format("no window: {}", error.what()));
    throw;
  }
}

void Animator::draw_terminal() {
  // A line that fills the terminal may wrap.
  const int width = std::max(terminal_width(STDERR_FILENO) - 1, 1);
  const int height = terminal_height(STDERR_FILENO);
  constexpr int others = 8;  // lines: title, labels, axis, legend, status
  std::string text;
  try {
    text = to_text(chart_, terminal_colours(STDERR_FILENO), width,
                   std::clamp(height - others, 3, 15));
  } catch (const Error& error) {
    problem_ = error.what();
  }
  std::vector<std::string> lines, below;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  for (const std::string* line : {&problem_, &status_})
    if (!line->empty()) below.push_back(shortened(*line, width));
  // What has left the top of the terminal cannot be replaced: rather less of the legend.
  const int room = std::max(height - 1 - static_cast<int>(below.size()), 0);
  lines.resize(std::min(lines.size(), static_cast<std::size_t>(room)));
  lines.insert(lines.end(), below.begin(), below.end());

  // Where the terminal has another width now, the lines above may be broken anew: they
  // stay.
  std::string out;
  if (lines_ > 0 && width == width_) out += fmt::format("\x1b[{}A\r", lines_);
  for (const std::string& line : lines) out += "\x1b[2K" + line + "\n";
  lines_ = static_cast<int>(lines.size());
  width_ = width;
  write_to_stderr(out + "\x1b[J");
}

void Animator::draw_file() { (void)save_figure(options_.file, chart_); }

void Animator::clear() {
  if (lines_ > 0) write_to_stderr(fmt::format("\x1b[{}A\r\x1b[J", lines_));
  lines_ = 0;
  is_drawn_ = false;
}

void Animator::set_status(std::string_view text) {
  std::string line(text);
  std::erase_if(line, [](char c) { return c == '\r' || c == '\n'; });
  line.erase(line.find_last_not_of(' ') + 1);
  if (line.empty()) return;
  status_ = line;
  is_drawn_ = false;
}

void Animator::finish() {
  if (is_drawn_) return;
  is_drawn_ = true;
  if (window_) {
    try {
      draw_in_window(&Window::draw_last);
    } catch (const Error& error) {
      problem_ = error.what();
    }
  }
  if (in_terminal_)
    draw_terminal();
  else if (!window_ && options_.last_state)
    write_to_stderr(to_text(chart_, Colours::none, 80));
  lines_ = 0;
  if (has_file_) draw_file();
}

ProgressOptions progress_below(Animator& animator, std::string unit,
                               double units_a_step) {
  ProgressOptions options = progress_on_stderr(std::move(unit), units_a_step);
  if (animator.is_in_terminal())
    options.write = [&animator](std::string_view text) { animator.set_status(text); };
  return options;
}

}  // namespace heed::viz
