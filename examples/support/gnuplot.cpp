#include "examples/support/gnuplot.h"

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

#include "examples/support/input_error.h"
#include "tensor/error.h"

namespace heed::support {
namespace {

std::string system_message(int error) { return std::generic_category().message(error); }

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string terminal(std::string_view path, const Drawing& drawing) {
  if (path.ends_with(".svg"))
    return fmt::format(
        "set terminal svg noenhanced size {},{} font 'sans-serif,14' "
        "background 'white'\n",
        drawing.width, drawing.height);
  if (!path.ends_with(".png"))
    input_error("{}: the name of a figure must end in .svg or .png", path);
  // Some builds of gnuplot lack the better of the two. Twice the pixels, and all else
  // scaled with them, keep the print sharp.
  constexpr std::string_view options =
      "noenhanced font 'sans,21' linewidth 2 pointscale 2";
  return fmt::format(
      "if (strstrt(GPVAL_TERMINALS, ' pngcairo ')) {{\n"
      "  set terminal pngcairo size {0},{1} {2}\n"
      "}} else {{\n"
      "  set terminal png truecolor size {0},{1} {2}\n"
      "}}\n",
      2 * drawing.width, 2 * drawing.height, options);
}

// Runs gnuplot with the two files as its standard input and output. Returns the errno of
// starting it, 0 if it ran, and sets `status` to its exit status.
int run_gnuplot(std::FILE* script, std::FILE* picture, int& status) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
  // -d: what the user's own settings file says does not change our figures.
  char name[] = "gnuplot", defaults[] = "-d";
  char* const arguments[] = {name, defaults, nullptr};
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, name, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return error;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

// gnuplot puts heat maps into an SVG as small bitmaps, which a viewer would blur while it
// enlarges them; cells are to stay cells.
void keep_pixels_sharp(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  std::string svg = text.str();
  const std::size_t end = svg.rfind("</svg>");
  if (end == svg.npos || svg.find("<image") == svg.npos) return;
  svg.insert(end, "<style>image { image-rendering: optimizeSpeed; "
                  "image-rendering: pixelated }</style>\n");
  std::ofstream(path, std::ios::binary) << svg;
}

}  // namespace

std::string as_string(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    const bool control = static_cast<unsigned char>(c) < ' ';
    out += control ? ' ' : c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

double tick_step(double extent, double most) {
  const double least = extent / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1, 2, 5})
    // As in 0.3 / 3, a rounding error is not to cost a tick.
    if (least <= digit * power * (1 + 1e-9)) return digit * power;
  return 10 * power;
}

bool draw(const std::string& path, const Drawing& drawing) {
  const std::string script = terminal(path, drawing) + drawing.commands;
  // The script goes through a file without a name: nothing to remove, and a gnuplot that
  // stops early cannot break a pipe.
  const File input(std::tmpfile());
  check(input != nullptr, "figure: no temporary file can be made: {}",
        system_message(errno));
  check(std::fwrite(script.data(), 1, script.size(), input.get()) == script.size() &&
            std::fflush(input.get()) == 0,
        "figure: the script cannot be written: {}", system_message(errno));
  std::rewind(input.get());

  // The picture takes its name when it is whole.
  const std::string part = path + ".part";
  File picture(std::fopen(part.c_str(), "wb"));
  if (!picture) input_error("{}: cannot be written: {}", path, system_message(errno));
  int status = 0;
  const int error = run_gnuplot(input.get(), picture.get(), status);
  picture.reset();
  if (error == 0 && status == 0) {
    if (path.ends_with(".svg")) keep_pixels_sharp(part);
    if (std::rename(part.c_str(), path.c_str()) == 0) return true;
  }
  const int rename_error = errno;
  std::remove(part.c_str());
  if (error == ENOENT) return false;
  check(error == 0, "figure: gnuplot cannot be run: {}", system_message(error));
  check(status == 0, "figure: gnuplot failed to draw {}", path);
  input_error("{}: cannot be written: {}", path, system_message(rename_error));
}

}  // namespace heed::support
