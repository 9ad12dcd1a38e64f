// A window in which gnuplot draws while the program computes.
#pragma once

#include <sys/types.h>

#include <string>

#include "view/gnuplot.h"

namespace heed::viz {

class Window {
 public:
  // Opens it, which takes up to a second, or ten if gnuplot does not answer. Throws
  // Error, whose message says why there is no window: no display, no gnuplot, or one that
  // does not answer or has no windows.
  Window();
  // The window stays until the user closes it.
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Replaces the picture, unless gnuplot is still busy with the last one. Throws Error
  // when the window is lost.
  void draw(const Drawing& drawing);
  // Waits until gnuplot is no longer busy, replaces the picture and waits until it is
  // drawn; all that a few seconds at most, after which the picture may be an older one.
  void draw_last(const Drawing& drawing);

 private:
  void send(const std::string& script);
  // Reads answers until the last picture is drawn, but so many seconds at most; returns
  // whether it is.
  bool is_drawn(double seconds);
  // What gnuplot says within so many seconds, in whole lines; may be nothing.
  std::string answer(double seconds);
  void close();

  int socket_ = -1;
  pid_t process_ = 0;
  std::string unsent_;  // of a script
  std::string heard_;   // of a line that gnuplot has begun
  bool is_busy_ = false;
};

}  // namespace heed::viz
