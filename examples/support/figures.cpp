#include "examples/support/figures.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "examples/support/input_error.h"
#include "nn/state/atomic_file.h"
#include "tensor/core/text.h"
#include "view/terminal.h"

namespace heed::support {

void make_folder(const std::string& path) {
  if (path.empty()) input_error("the name of the folder is empty");
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && access(path.c_str(), W_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) input_error("{}: the folder cannot be written: {}", path, error.message());
}

void make_folder(const FigureOptions& options) {
  if (options.folder) make_folder(*options.folder);
}

void save_figures(const FigureOptions& options, const std::vector<NamedFigure>& figures) {
  if (!options.folder) return;
  std::string paths;
  for (const NamedFigure& named : figures) {
    const std::string path =
        fmt::format("{}/{}.{}", *options.folder, named.name, options.format);
    const auto bytes = viz::picture(named.figure, options.format);
    if (!bytes) {
      fmt::print("\ngnuplot is not installed: no figures are drawn\n");
      return;
    }
    // The user named the folder: if it cannot be written, that is an InputError.
    from_user([&] {
      nn::AtomicFile file(path, path);
      file.write(bytes->data(), bytes->size());
      file.commit();
    });
    paths += " " + printable(path);
  }
  fmt::print("\nfigures:{}\n", paths);
}

void show_heatmaps(const viz::Heatmaps& heatmaps) {
  if (viz::terminal_colours(STDOUT_FILENO) == viz::Colours::none) return;
  fmt::print("\n");
  viz::show(heatmaps);
}

}  // namespace heed::support
