#include "examples/support/figures.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "examples/support/input_error.h"
#include "nn/state/atomic_file.h"
#include "tensor/core/text.h"
#include "view/terminal.h"

namespace heed::support {

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error && !std::filesystem::is_directory(path, error) && !error)
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && access(path.c_str(), W_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) input_error("{}: the folder cannot be written: {}", path, error.message());
}

void check_file(const std::string& option, const std::optional<std::string>& file) {
  if (!file) return;
  from_user(
      [&] { const nn::AtomicFile attempt(option + ": " + printable(*file), *file); });
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

std::unique_ptr<viz::Animator> live_chart(bool wanted, viz::Lines chart,
                                          const FigureOptions& figures) {
  if (!wanted) return nullptr;
  viz::AnimatorOptions options;
  if (figures.folder)
    options.file = fmt::format("{}/live.{}", *figures.folder, figures.format);
  auto live = from_user(
      [&] { return std::make_unique<viz::Animator>(std::move(chart), options); });
  std::fflush(stdout);  // so that the message comes after the output
  fmt::print(stderr, "live chart: {}\n", live->place());
  return live;
}

void finish(viz::Animator& live) {
  from_user([&] { live.finish(); });
}

viz::ProgressOptions progress_beside(viz::Animator* live, std::string unit,
                                     double units_a_step) {
  return live ? viz::progress_below(*live, std::move(unit), units_a_step)
              : viz::progress_on_stderr(std::move(unit), units_a_step);
}

void show_heatmaps(const viz::Heatmaps& heatmaps) {
  if (viz::terminal_colours(STDOUT_FILENO) == viz::Colours::none) return;
  fmt::print("\n");
  viz::show(heatmaps);
}

}  // namespace heed::support
