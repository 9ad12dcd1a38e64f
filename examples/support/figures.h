// The figures of a program: what --figures asks for, and heat maps in the terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "view/figures.h"

namespace heed::support {

// Makes the folder `path`, and those above it, unless it is there. Throws InputError when
// that fails or the folder cannot be written to.
void make_folder(const std::string& path);

// What --figures and --figure-format of a program ask for (add_figures in program.h).
struct FigureOptions {
  std::optional<std::string> folder;
  std::string format = "svg";  // or "png"
};

// Makes the folder, if one is asked for. Called before the program's work, so that a
// folder that cannot be written is reported at once.
void make_folder(const FigureOptions& options);

// A figure, and the name of its file without folder and ending.
struct NamedFigure {
  std::string name;
  viz::Figure figure;
};

// Draws the figures into the folder, if one is asked for, and prints their files, or that
// gnuplot is not installed. Throws InputError when a file cannot be written, and Error as
// viz::picture does.
void save_figures(const FigureOptions& options, const std::vector<NamedFigure>& figures);

// Prints an empty line and the heat maps, or nothing where standard output takes no
// colours: what a program prints into a file stays the same.
void show_heatmaps(const viz::Heatmaps& heatmaps);

}  // namespace heed::support
