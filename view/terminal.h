// Figures as text, in the terminal or anywhere else.
#pragma once

#include <string>

#include "view/figures.h"

namespace heed::viz {

// How a terminal takes colours: 256 fixed ones, or any.
enum class Colours { none, palette, any };

// What the terminal at a file descriptor, such as STDOUT_FILENO, takes: none if there is
// no terminal or the environment says so (NO_COLOR not empty; TERM dumb or unset); any if
// COLORTERM is truecolor or 24bit.
Colours terminal_colours(int descriptor);

// Whether text that is there can be replaced: there is a terminal, and TERM is neither
// dumb nor unset.
bool is_rewritable(int descriptor);

// The columns and lines of the terminal at a file descriptor; 80 and 24 when the system
// does not know.
int terminal_width(int descriptor);
int terminal_height(int descriptor);

// The figure as lines of at most `width` columns, from 20 on; the colour scale of heat
// maps takes up to 40. Without colours the characters alone tell the first six curves
// apart. Throws Error when the figure is ill-formed.
//
// Heat maps: coloured half blocks, or digits from 1 to 9 for tenths of the scale and a
// point for the lowest tenth. The panels of a row stand side by side, or below one
// another where there is no room for them; matrices too large even for that are averaged
// down: a NaN or infinity then fills its cell. Names of rows and columns are shown where
// there is room.
//
// Line charts: braille characters of two by four dots, or a mark for each curve; `height`
// is the number of lines between the axes. A style tells lines from points.
//
// Bars: horizontal ones, each with its number behind it.
std::string to_text(const Figure& figure, Colours colours, int width, int height = 15);

// Prints to_text() for standard output.
void show(const Figure& figure);

}  // namespace heed::viz
