// Heat maps in the terminal.
#pragma once

#include <string>

#include "examples/support/figures.h"

namespace heed::support {

// How a terminal takes colours: 256 fixed ones, or any.
enum class Colours { none, palette, any };

// What standard output takes: none if it is not a terminal or the environment says so
// (NO_COLOR not empty; TERM dumb or unset); any if COLORTERM is truecolor or 24bit.
Colours terminal_colours();

// The columns of the terminal at a file descriptor, such as STDOUT_FILENO; 80 when the
// system does not know.
int terminal_width(int descriptor);

// The heat maps as lines of coloured half blocks, at most `width` columns wide: panels of
// a row side by side, or below one another where there is no room for them; matrices too
// large even for that are averaged down. Below them the names of the axes and the colour
// scale, which take 40 columns and more. Names of rows and columns are shown where there
// is room. An empty string for Colours::none. Throws Error when the figure is ill-formed.
std::string coloured_text(const Heatmaps& heatmaps, Colours colours, int width);

// Prints an empty line and coloured_text() for standard output, or nothing if that takes
// no colours.
void show_heatmaps(const Heatmaps& heatmaps);

}  // namespace heed::support
