// How far a training has come: on a terminal one line that is rewritten, elsewhere a line
// every so often.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heed::viz {

struct ProgressOptions {
  // What the total counts.
  std::string step = "step";
  // What the rate counts, and how many of them a step is: examples, tokens.
  std::string unit = "steps";
  double units_a_step = 1;
  // The steps that were done before the time began to run, by a program that was
  // interrupted.
  std::int64_t done = 0;
  // So many seconds pass before anything is told: short work needs no progress.
  double delay = 0;
  // How many lines are printed where none is rewritten.
  std::int64_t lines = 10;
  // Rewrites one line, cut off at width() columns: users change the width of a terminal.
  bool in_place = false;
  std::function<int()> width = {};
  // The time in seconds, and where the text goes. Where these and width() are empty: the
  // true time, standard error, and its terminal's width.
  std::function<double()> clock = {};
  std::function<void(std::string_view)> write = {};
};

// Options for standard error, with the true time: the results, on standard output, stay
// the same whenever they are computed.
ProgressOptions progress_on_stderr(std::string unit, double units_a_step = 1);

// step 2000/10000, loss 0.1234, accuracy 98.5 %, 54321 examples/s, 12 s left
class Progress {
 public:
  // The time begins to run. Throws Error unless total, units_a_step and lines are
  // positive, and done is from 0 to total.
  Progress(std::int64_t total, ProgressOptions options);
  // Ends the line, if one is being rewritten: what follows, such as the message of an
  // error, stands below it.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Tells that `step` of the steps are done, and what there is to say after the loss,
  // such as "accuracy 98.5 %". Prints if it is time to: on a terminal ten times a second,
  // elsewhere after each of `lines` equal parts of the steps; and after the last step.
  // Throws Error unless the steps rise from done + 1 to the total.
  void show(std::int64_t step, double loss, std::string_view more = {});

  // Takes the line off the terminal, so that the program can print one in its place.
  void clear();

 private:
  std::string text(std::int64_t step, double loss, std::string_view more,
                   double seconds) const;

  std::int64_t total_, step_ = 0;
  ProgressOptions options_;
  double start_, last_;          // when it began, and when it last rewrote the line
  std::int64_t line_width_ = 0;  // of the line that is being rewritten; 0 for none
  std::int64_t parts_ = 0;       // of the steps for which a line has been printed
};

// A time in words: "7 s", "3 min 20 s", "1 h 5 min". At least a second.
std::string duration(double seconds);

}  // namespace heed::viz
