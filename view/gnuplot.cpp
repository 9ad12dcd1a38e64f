#include "view/gnuplot.h"

#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tensor/core/error.h"
#include "tensor/core/text.h"

namespace heed::viz {
namespace {

std::string system_message(int error) { return std::generic_category().message(error); }

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string terminal(std::string_view format, const Drawing& drawing) {
  if (format == "svg")
    return fmt::format(
        "set terminal svg noenhanced size {},{} font 'sans-serif,14' "
        "background 'white'\n",
        drawing.width, drawing.height);
  check(format == "png", "figure: the format must be svg or png, got {}",
        [&] { return shown(format); });
  // Some builds of gnuplot lack pngcairo, which draws better. Twice the pixels, with all
  // else scaled with them, keep text sharp.
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
// starting it or of waiting for it, 0 if it ran, and sets `status` as waitpid() does.
int run_gnuplot(std::FILE* script, std::FILE* picture, int& status) {
  pid_t process = 0;
  const int error =
      start_gnuplot({fileno(script), fileno(picture), STDERR_FILENO}, {}, process);
  if (error != 0) return error;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

// What is in a file, from its beginning.
std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string bytes;
  char part[1 << 16];
  while (const std::size_t size = std::fread(part, 1, sizeof part, file)) {
    bytes.append(part, size);
  }
  check(std::ferror(file) == 0, "figure: the picture cannot be read");
  return bytes;
}

// gnuplot puts heat maps into an SVG as small bitmaps, which a viewer would blur when it
// enlarges them; the cells must keep their edges.
std::string with_sharp_pixels(std::string svg) {
  const std::size_t end = svg.rfind("</svg>");
  if (end != svg.npos && svg.find("<image") != svg.npos) {
    svg.insert(end,
               "<style>image { image-rendering: optimizeSpeed; "
               "image-rendering: pixelated }</style>\n");
  }
  return svg;
}

File temporary_file() {
  File file(std::tmpfile());
  if (!file) fail("figure: no temporary file can be made: {}", system_message(errno));
  return file;
}

}  // namespace

int start_gnuplot(const std::array<int, 3>& streams, std::vector<std::string> options,
                  pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int stream = 0; stream < 3; ++stream)
    posix_spawn_file_actions_adddup2(&actions, streams[static_cast<std::size_t>(stream)],
                                     stream);
  // A group of its own: Ctrl-C is for this program, which may want to finish its chart.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  // -d: what the user's own settings file says does not change our figures.
  std::string name = "gnuplot", defaults = "-d";
  std::vector<char*> arguments = {name.data(), defaults.data()};
  for (std::string& option : options) arguments.push_back(option.data());
  arguments.push_back(nullptr);
  // In a locale without UTF-8 gnuplot complains of signs that it does not even draw.
  char utf8[] = "LC_ALL=C.UTF-8";
  std::vector<char*> environment = {utf8};
  for (char** entry = environ; *entry; ++entry) {
    if (!std::string_view(*entry).starts_with("LC_ALL=")) environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  const int error = posix_spawnp(&process, name.c_str(), &actions, &attributes,
                                 arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string as_string(std::string_view text) {
  // Digits too: gnuplot takes all that follow a number for a part of it.
  std::string out = "\"";
  for (const char c : printable(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) != 0 || byte >= 0x80 || c == ' ')
      out += c;
    else
      out += fmt::format("\\{:03o}", byte);
  }
  return out + "\"";
}

std::string as_tick(std::string_view name) {
  std::string out;
  for (const char c : name) out += c == '%' ? "%%" : std::string(1, c);
  return as_string(out);
}

std::optional<std::string> picture(const Drawing& drawing, std::string_view format) {
  const std::string script = terminal(format, drawing) + drawing.commands;
  // Script and picture go through files without a name: nothing to remove, and a gnuplot
  // that stops early cannot break a pipe.
  const File input = temporary_file(), output = temporary_file();
  if (std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    fail("figure: the script cannot be written: {}", system_message(errno));
  }
  std::rewind(input.get());
  int status = 0;
  const int error = run_gnuplot(input.get(), output.get(), status);
  if (error == ENOENT) return std::nullopt;
  if (error != 0) fail("figure: gnuplot cannot be run: {}", system_message(error));
  check(status == 0, "figure: gnuplot failed to draw it");
  std::string bytes = contents(output.get());
  // gnuplot does not report it when the disk is full.
  if (bytes.find(format == "svg" ? "</svg>" : "IEND") == bytes.npos) {
    fail(
        "figure: the picture is cut off after {} bytes; is there room for temporary "
        "files?",
        bytes.size());
  }
  return format == "svg" ? with_sharp_pixels(std::move(bytes)) : bytes;
}

}  // namespace heed::viz
