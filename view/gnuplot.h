// Running gnuplot, and what its scripts are written with.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/figures.h"

namespace heed::viz {

// Commands for gnuplot, and the size of the picture in pixels.
struct Drawing {
  int width = 640, height = 440;
  std::string commands;
};

// The commands for a figure; they set neither terminal nor output. Throws Error when it
// is ill-formed.
Drawing drawing_of(const Heatmaps& heatmaps);
Drawing drawing_of(const Lines& lines);
Drawing drawing_of(const Bars& bars);
Drawing drawing_of(const Figure& figure);

// picture(figure, format) of figures.h is picture(drawing_of(figure), format).
std::optional<std::string> picture(const Drawing& drawing, std::string_view format);

// Starts gnuplot, with options of its command line, and these descriptors as its standard
// input, output and error. Returns the errno of starting it: 0, or ENOENT where gnuplot
// is not installed. Sets `process` to its id.
int start_gnuplot(const std::array<int, 3>& streams, std::vector<std::string> options,
                  pid_t& process);

// What every script begins with.
inline constexpr std::string_view common_settings =
    "set encoding utf8\n"
    "set tics out nomirror\n"
    "set border lw 1\n";

// printable(text) as a string of gnuplot's (tensor/core/text.h). All ASCII signs but
// letters and blanks are written as their numbers, so that none ends the string, begins a
// command (backquotes) or names a macro.
std::string as_string(std::string_view text);
// The same for the name of a tick, in which gnuplot would replace %f by a number.
std::string as_tick(std::string_view name);
}  // namespace heed::viz
