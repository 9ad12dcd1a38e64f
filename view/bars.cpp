// Bars for gnuplot.
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "view/axis.h"
#include "view/figures.h"
#include "view/gnuplot.h"
#include "view/text.h"

namespace heed::viz {

Drawing drawing_of(const Bars& bars) {
  check_figure(bars);
  constexpr std::int64_t longest_name = 24;
  const std::size_t groups = bars.names.size(), series = bars.series.size();
  Drawing drawing{.width = 700, .height = 500, .commands = std::string(common_settings)};
  std::string& commands = drawing.commands;
  const auto out = std::back_inserter(commands);
  Axis axis;
  axis.include(0);
  for (const Bars::Series& of : bars.series)
    for (const double number : of.numbers) axis.include(number);
  std::string names;
  for (std::size_t group = 0; group < groups; ++group)
    names += fmt::format("{}{} {}", group == 0 ? "" : ", ",
                         as_tick(shortened(bars.names[group], longest_name)), group);
  fmt::format_to(out,
                 "set title {}\nset xlabel {}\nset ylabel {}\n"
                 "set key below center samplen 1.5 height 0.8 reverse Left\n"
                 "set grid ytics lc rgb '#dddddd' lw 1 dt 1\n"
                 "set xtics {} ({}) scale 0\n"
                 "set xrange [-0.6:{}]\nset yrange [{}:{}]\n"
                 "set xzeroaxis lt -1 lw 1\nset style fill solid noborder\n",
                 as_string(bars.title), as_string(bars.xlabel), as_string(bars.ylabel),
                 groups > 6 ? "rotate by 45 right" : "norotate", names,
                 static_cast<double>(groups) - 0.4, axis.low() < 0 ? axis.low(0.06) : 0,
                 axis.high() > 0 ? axis.high(0.06) : 0);
  // A group is 0.8 wide. What is no finite number has no bar; its name stands there.
  const double width = 0.8 / static_cast<double>(series);
  std::string plots, labels;
  for (std::size_t i = 0; i < series; ++i) {
    fmt::format_to(out, "$series{} << end_of_data\n", i);
    for (std::size_t group = 0; group < groups; ++group) {
      const double number = bars.series[i].numbers[group];
      const double place =
          static_cast<double>(group) - 0.4 + width * (static_cast<double>(i) + 0.5);
      fmt::format_to(out, "{} {:.9g}\n", place, std::isfinite(number) ? number : 0);
      if (!std::isfinite(number))
        labels += fmt::format("set label '{}' at first {}, first 0 center offset 0,0.6\n",
                              number, place);
    }
    fmt::format_to(out, "end_of_data\n");
    plots += fmt::format("{}$series{} using 1:2:({}) with boxes lc rgb {} title {}",
                         i == 0 ? "plot " : ", ", i, 0.94 * width, curve_colour(i),
                         as_string(bars.series[i].title));
  }
  commands += labels + plots + "\n";
  return drawing;
}

}  // namespace heed::viz
