// The chart of a training that is drawn while it runs, as d2l.Animator of "Dive into Deep
// Learning" draws it in a notebook.
//
//   viz::Animator animator({.xlabel = "epoch", .curves = {{"training"}, {"test"}}});
//   for (int epoch = 1; epoch <= 10; ++epoch) {
//     ...
//     animator.add(epoch, {training_loss, test_loss});
//   }
//   animator.finish();
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/figures.h"
#include "view/progress.h"

namespace heed::viz {

struct Drawing;
class Window;

// The terminal is standard error, where it can be rewritten; the window is gnuplot's,
// where there is a display. `any` is a window or else the terminal.
enum class Screen { none, terminal, window, any };

struct AnimatorOptions {
  Screen screen = Screen::any;
  // A picture too, .svg or .png, which is replaced no more often than every so many
  // seconds.
  std::string file = {};
  double file_interval = 5;
  // Without a screen, finish() prints the chart on standard error.
  bool last_state = false;
  // The time in seconds; the true time if there is none.
  std::function<double()> clock = {};
};

// Drawing on the screen takes 2 % of the time at most, and so does the picture: what
// takes a millisecond to draw is drawn twenty times a second at most, and what takes long
// less often. A training is not ended because its chart cannot be drawn: only the
// constructor and finish() throw Error for that.
class Animator {
 public:
  // `chart` has curves without points: their titles are the legend, and it says which
  // axes are logarithmic, which curves belong to the second y axis, which are smoothed.
  // Throws Error when the file cannot be written or the chart has no curve.
  explicit Animator(Lines chart, AnimatorOptions options = {});
  // As finish(), but throws nothing.
  ~Animator();
  Animator(const Animator&) = delete;
  Animator& operator=(const Animator&) = delete;

  // A point for each curve; std::nullopt for those that have none at this x, and NaN for
  // a gap. Draws if it is time to. Throws Error unless there is a y for each curve.
  void add(double x, std::initializer_list<std::optional<double>> y);

  // Draws all that was added; what is printed next stands below it. Throws Error when the
  // picture cannot be written.
  void finish();

  // Takes the chart off the terminal until the next add() that draws, so that the program
  // can print a line, which then stands above it.
  void clear();

  // A line below the chart in the terminal, from the next time on that it is drawn.
  // Carriage returns and ends of lines in it are left out, and an empty text changes
  // nothing.
  void set_status(std::string_view text);

  // The curves with all their points.
  const Lines& chart() const { return chart_; }
  // Where the chart is drawn, and why not elsewhere: "in the terminal (no window: DISPLAY
  // is not set)".
  std::string place() const;
  bool is_in_terminal() const { return in_terminal_; }

 private:
  // When something that takes a while may be done again.
  struct Schedule {
    double interval = 0, due = 0;
    bool is_due(double now) const { return now >= due; }
    void ran(double begin, double end);
  };

  void draw_screen();
  // Throws Error; the chart goes on in the terminal when the window is lost.
  void draw_in_window(void (Window::*draw)(const Drawing&));
  void draw_terminal();
  void draw_file();  // throws Error
  void timed(Schedule& schedule, void (Animator::*draw)());

  Lines chart_;
  AnimatorOptions options_;
  std::vector<std::string> obstacles_;  // why the chart is not in other places
  std::string status_, problem_;
  std::unique_ptr<Window> window_;
  bool in_terminal_ = false, has_file_ = false, is_drawn_ = true;
  int lines_ = 0, width_ = 0;  // of what is in the terminal
  Schedule screen_schedule_{0.05}, file_schedule_;
};

// Options for a line of progress below the chart, if that is in the terminal, and
// otherwise those of progress_on_stderr(). The Animator must outlive the Progress.
ProgressOptions progress_below(Animator& animator, std::string unit,
                               double units_a_step = 1);

}  // namespace heed::viz
