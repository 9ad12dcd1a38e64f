#include "examples/support/listing.h"

#include <limits>

#include <fmt/core.h>

#include "examples/support/graph.h"
#include "examples/support/html.h"
#include "examples/support/program.h"

namespace heed::support {

int run_listing(int argc, char** argv, const std::string& name, const std::string& about,
                const std::function<int(const ListingOptions&)>& body, ListingHas has) {
  ListingOptions options;
  CommandLine app(about +
                      "\nExit codes: 0 all is well, 1 a claim does not hold or the "
                      "computation failed,\n2 wrong options.",
                  name);
  app.add_number("--seed", options.seed, std::uint64_t{0},
                 std::numeric_limits<std::uint64_t>::max(),
                 "Where the random numbers start, as torch.manual_seed(N) has it");
  app.add_dtype(options.dtype);
  app.add_figures(options.figures,
                  "Draw the attention weights as heat maps into this folder");
  if (has.live) app.add_live(options.live);
  if (has.html) add_html(app, options.html);
  if (!has.graph.empty()) add_graph(app, options.graph, has.graph);
  app.add_threads();
  return app.run(argc, argv, [&] {
    check_html(options.html);
    check_graph(options.graph);
    make_folder(options.figures);
    return body(options);
  });
}

void show(const ListingOptions& options, const std::string& name,
          const viz::Heatmaps& heatmaps) {
  show_heatmaps(heatmaps);
  save_figures(options.figures, {{name, heatmaps}});
}

void print_table(const Tensor& matrix, const std::vector<std::string>& names,
                 const std::function<std::string(double)>& written) {
  const auto n = static_cast<std::int64_t>(names.size());
  fmt::print("{:8}", "");
  for (const std::string& name : names) fmt::print("{:>8}", name);
  for (std::int64_t i = 0; i < n; ++i) {
    fmt::print("\n{:>8}", names[static_cast<std::size_t>(i)]);
    for (std::int64_t j = 0; j < n; ++j) {
      const double number = matrix.at({i, j});
      fmt::print("{:>8}", number == 0 ? "0" : written(number));
    }
  }
  fmt::print("\n");
}

}  // namespace heed::support
