// Bars as text.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "view/figure_text.h"
#include "view/text.h"

namespace heed::viz {
namespace {

std::string repeated(std::string_view text, std::int64_t times) {
  std::string out;
  for (std::int64_t i = 0; i < times; ++i) out += text;
  return out;
}

// A bar between the places `zero` and `end`, from 0 to 1, in just `width` columns. A bar
// to the right ends at an eighth of a column, one to the left at a half, since Unicode
// has no other blocks.
std::string bar(double zero, double end, std::int64_t width) {
  const std::int64_t origin = std::lround(zero * static_cast<double>(width));
  const double length = (end - zero) * static_cast<double>(width);
  if (length >= 0) {
    constexpr std::string_view parts[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    const std::int64_t eighths =
        std::clamp<std::int64_t>(std::lround(8 * length), 0, 8 * (width - origin));
    const std::int64_t full = eighths / 8, part = eighths % 8;
    return repeated(" ", origin) + repeated("\u2588", full) + std::string(parts[part]) +
           repeated(" ", width - origin - full - (part > 0 ? 1 : 0));
  }
  const std::int64_t halves =
      std::clamp<std::int64_t>(std::lround(-2 * length), 0, 2 * origin);
  const std::int64_t full = halves / 2, part = halves % 2;
  return repeated(" ", origin - full - part) + repeated("\u2590", part) +
         repeated("\u2588", full) + repeated(" ", width - origin);
}

}  // namespace

std::string text_of(const Bars& bars, const TextOptions& options) {
  check_figure(bars);
  const std::int64_t width = std::max(options.width, 20);
  // Without titles, the names alone tell the bars apart.
  const bool one = bars.series.size() == 1 && bars.series[0].title.empty();
  Axis axis;
  axis.include(0);
  std::int64_t title_width = 0, number_width = 0;
  for (const Bars::Series& series : bars.series) {
    if (!one) title_width = std::max(title_width, text_width(series.title));
    for (const double number : series.numbers) {
      axis.include(number);
      number_width = std::max(number_width, text_width(fmt::format("{:.4g}", number)));
    }
  }
  if (one)
    for (const std::string& name : bars.names)
      title_width = std::max(title_width, text_width(name));
  title_width = std::min(title_width, width / 3);
  const std::int64_t bar_width =
      std::max<std::int64_t>(width - title_width - number_width - 2, 1);
  const double zero = axis.has_width() ? axis.place(0) : 0;

  std::string out;
  if (!bars.title.empty()) out += shortened(bars.title, width) + "\n";
  for (std::size_t group = 0; group < bars.names.size(); ++group) {
    if (!one) out += shortened(bars.names[group], width) + "\n";
    for (std::size_t i = 0; i < bars.series.size(); ++i) {
      const Bars::Series& series = bars.series[i];
      const double number = series.numbers[group];
      const double end =
          std::isfinite(number) && axis.has_width() ? axis.place(number) : zero;
      out += right_aligned(one ? bars.names[group] : series.title, title_width) + " " +
             curve_code(i, options.colours) + bar(zero, end, bar_width) +
             std::string(end_code(options.colours)) + " " + fmt::format("{:.4g}", number);
      end_line(out);
    }
  }
  append_labels(out, bars.xlabel, bars.ylabel, width);
  return out;
}

}  // namespace heed::viz
