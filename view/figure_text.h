// The kinds of figures as text; terminal.h has what users call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "view/axis.h"
#include "view/figures.h"
#include "view/terminal.h"

namespace heed::viz {

struct TextOptions {
  Colours colours = Colours::none;
  int width = 80, height = 15;
};

std::string text_of(const Heatmaps& heatmaps, const TextOptions& options);
std::string text_of(const Lines& lines, const TextOptions& options);
std::string text_of(const Bars& bars, const TextOptions& options);

// What begins text in the colour of curve or series i, and what ends it.
std::string curve_code(std::size_t i, Colours colours);
std::string_view end_code(Colours colours);

// A line that names the axes: "down: queries; across: keys"; nothing without a name.
void append_labels(std::string& out, const std::string& down, const std::string& across,
                   std::int64_t width);

// Ends the last line of `out`, without the blanks at its end.
void end_line(std::string& out);

}  // namespace heed::viz
