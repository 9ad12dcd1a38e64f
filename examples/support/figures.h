// The figures of a program: what --figures asks for, and heat maps in the terminal.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "view/animator.h"
#include "view/figures.h"
#include "view/progress.h"

namespace heed::support {

// Makes the folder `path`, and those above it, unless it is there. Throws InputError when
// that fails or the folder cannot be written to.
void make_folder(const std::string& path);

// Throws InputError, which names the option, when the file that it asks for could not be
// written.
void check_file(const std::string& option, const std::optional<std::string>& file);

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

// The chart of --live, which is drawn while the program trains: in a window or the
// terminal, and into the file live.svg, or .png, of the folder of --figures. None unless
// `wanted`. Prints on standard error where it is drawn. Throws InputError when the file
// cannot be written.
std::unique_ptr<viz::Animator> live_chart(bool wanted, viz::Lines chart,
                                          const FigureOptions& figures);

// Draws all of it. Throws InputError when the file cannot be written.
void finish(viz::Animator& live);

// Options for progress on standard error, below the live chart if there is one.
viz::ProgressOptions progress_beside(viz::Animator* live, std::string unit,
                                     double units_a_step = 1);

// Prints an empty line and the heat maps, or nothing where standard output takes no
// colours: what a program prints into a file stays the same.
void show_heatmaps(const viz::Heatmaps& heatmaps);

}  // namespace heed::support
