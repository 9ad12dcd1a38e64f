// Running gnuplot.
#pragma once

#include <string>

namespace heed::support {

// Commands for gnuplot, and the size of the picture in pixels.
struct Drawing {
  int width = 640, height = 440;
  std::string commands;
};

// As save_figure (figures.h), from gnuplot commands that set neither terminal nor output.
bool draw(const std::string& path, const Drawing& drawing);

}  // namespace heed::support
