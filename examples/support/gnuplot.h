// Running gnuplot, and what its scripts are written with.
#pragma once

#include <string>
#include <string_view>

namespace heed::support {

// Commands for gnuplot, and the size of the picture in pixels.
struct Drawing {
  int width = 640, height = 440;
  std::string commands;
};

// As save_figure (figures.h), from gnuplot commands that set neither terminal nor output.
bool draw(const std::string& path, const Drawing& drawing);

// What every script begins with.
inline constexpr std::string_view common_settings =
    "set encoding utf8\n"
    "set tics out nomirror\n"
    "set border lw 1\n";

// printable(text) as a string of gnuplot's (tensor/core/text.h).
std::string as_string(std::string_view text);

// The least of 1, 2, 5, 10, 20, ... and of 0.5, 0.2, 0.1, ... at which ticks divide
// `extent` into at most `most` parts.
double tick_step(double extent, double most);

}  // namespace heed::support
