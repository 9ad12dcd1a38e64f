#include "view/figures.h"

#include <cmath>

#include "nn/state/atomic_file.h"
#include "tensor/core/error.h"
#include "tensor/core/text.h"
#include "view/gnuplot.h"

namespace heed::viz {

void check_figure(const Lines& lines) {
  check(!lines.curves.empty(), "figure: a chart needs a curve");
  for (const Curve& curve : lines.curves) {
    check(curve.x.size() == curve.y.size(),
          "figure: a curve needs as many x as y, got {} and {}", curve.x.size(),
          curve.y.size());
    check(0 <= curve.smoothing && curve.smoothing < 1,
          "figure: the smoothing must be from 0 to below 1, got {}", curve.smoothing);
  }
}

void check_figure(const Bars& bars) {
  check(!bars.names.empty() && !bars.series.empty(),
        "figure: bars need a name and a series, got {} and {}", bars.names.size(),
        bars.series.size());
  for (const Bars::Series& series : bars.series)
    check(series.numbers.size() == bars.names.size(),
          "figure: a series needs a number for each of the {} names, got {}",
          bars.names.size(), series.numbers.size());
}

Drawing drawing_of(const Figure& figure) {
  return std::visit([](const auto& kind) { return drawing_of(kind); }, figure);
}

std::optional<std::string> picture(const Figure& figure, std::string_view format) {
  return picture(drawing_of(figure), format);
}

bool save_figure(const std::string& path, const Figure& figure) {
  check(path.ends_with(".svg") || path.ends_with(".png"),
        "{}: the name of a figure must end in .svg or .png",
        [&] { return printable(path); });
  const Drawing drawing = drawing_of(figure);
  // Before gnuplot runs: a file that cannot be written is reported at once.
  nn::AtomicFile file(printable(path), path);
  const auto bytes = picture(drawing, std::string_view(path).substr(path.size() - 3));
  if (!bytes) return false;
  file.write(bytes->data(), bytes->size());
  file.commit();
  return true;
}

std::vector<double> smoothed(std::span<const double> y, double weight) {
  check(0 <= weight && weight < 1,
        "smoothed: the weight must be from 0 to below 1, got {}", weight);
  std::vector<double> out;
  double mean = 0, power = 1;  // power: weight^i
  for (const double number : y) {
    if (!std::isfinite(number)) {
      out.push_back(number);
      continue;
    }
    mean = weight * mean + (1 - weight) * number;
    power *= weight;
    out.push_back(mean / (1 - power));
  }
  return out;
}

}  // namespace heed::viz
