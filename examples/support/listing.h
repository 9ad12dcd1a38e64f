// The frame of a program that repeats a listing of the tutorials.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "examples/support/figures.h"
#include "tensor/core/tensor.h"

namespace heed::support {

// What such a program lets its user choose.
struct ListingOptions {
  std::uint64_t seed = 0;
  DType dtype = float32;
  FigureOptions figures;
  bool live = false;
  std::optional<std::string> html;   // the file of the attention page
  std::optional<std::string> graph;  // and of the graph
};

// Which further options a program has: --live if it trains, --html if it writes a page,
// and --graph if it says of what.
struct ListingHas {
  bool live = false, html = false;
  std::string graph = "";
};

// The main() of such a program: reads --seed, --dtype, --figures, --threads and the
// options that it has, and returns the exit code of `body`; otherwise as CommandLine::run
// (program.h). --help prints `about`.
int run_listing(int argc, char** argv, const std::string& name, const std::string& about,
                const std::function<int(const ListingOptions&)>& body,
                ListingHas has = {});

// Shows the heat maps where output goes to a terminal, and draws them into the file
// `name` of the folder that --figures names, if it does.
void show(const ListingOptions& options, const std::string& name,
          const viz::Heatmaps& heatmaps);

// Prints a matrix (n, n), such as the attention weights of n tokens, with the n names at
// its sides: exact zeros as 0, other numbers as `written` formats them.
void print_table(const Tensor& matrix, const std::vector<std::string>& names,
                 const std::function<std::string(double)>& written);

}  // namespace heed::support
