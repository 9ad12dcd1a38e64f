#include "examples/support/listing.h"

#include <limits>

#include "examples/support/program.h"
#include "examples/support/terminal.h"

namespace heed::support {

int run_listing(int argc, char** argv, const std::string& name, const std::string& about,
                const std::function<int(const ListingOptions&)>& body) {
  ListingOptions options;
  CLI::App app(about +
                   "\nExit codes: 0 all is well, 1 a claim does not hold or the "
                   "computation failed,\n2 wrong options.",
               name);
  add_number(app, "--seed", options.seed, std::uint64_t{0},
             std::numeric_limits<std::uint64_t>::max(),
             "Where the random numbers start, as torch.manual_seed(N) has it");
  add_dtype(app, options.dtype);
  add_figures(app, options.figures,
              "Draw the attention weights as heat maps into this folder");
  add_threads(app);
  return run_program(app, argc, argv, [&] {
    make_folder(options.figures);
    return body(options);
  });
}

void show(const ListingOptions& options, const std::string& name,
          const Heatmaps& heatmaps) {
  show_heatmaps(heatmaps);
  save_figures(options.figures, {{name, heatmaps}});
}

}  // namespace heed::support
