#include "tests/tree/tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace heed::tree {

namespace fs = std::filesystem;

namespace {

const fs::path root = HEED_SOURCE_ROOT;

File read(const fs::path& path) {
  std::ifstream stream(path);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {fs::relative(path, root).generic_string(), split(text)};
}

}  // namespace

std::vector<Line> split(const std::string& text) {
  std::vector<Line> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back({static_cast<int>(lines.size()) + 1, line});
  }
  return lines;
}

std::vector<File> read_tree(const std::set<std::string>& extensions) {
  std::vector<fs::path> paths;
  const auto add = [&](const fs::path& path) {
    if (extensions.contains(path.extension())) paths.push_back(path);
  };
  for (const auto& entry : fs::directory_iterator(root)) add(entry.path());
  for (const char* top : {"tensor", "autograd", "nn", "optim", "data", "view", "examples",
                          "gallery", "tests", "benchmarks"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      add(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<File> files;
  for (const fs::path& path : paths) files.push_back(read(path));
  return files;
}

std::size_t columns(const std::string& line) {
  std::size_t count = 0;
  for (unsigned char byte : line) count += (byte & 0xC0) != 0x80;
  return count;
}

std::vector<Include> includes(const File& file) {
  std::vector<Include> found;
  for (const Line& line : file.lines) {
    const std::string& text = line.text;
    const std::size_t sign = text.find_first_not_of(' ');
    if (sign == std::string::npos || text[sign] != '#') continue;
    const std::size_t word = text.find_first_not_of(' ', sign + 1);
    if (word == std::string::npos || !text.substr(word).starts_with("include")) continue;
    const std::size_t open = text.find_first_of("<\"", word);
    if (open == std::string::npos) continue;
    const bool angled = text[open] == '<';
    const std::size_t close = text.find(angled ? '>' : '"', open + 1);
    found.push_back({line.number, text.substr(open + 1, close - open - 1), angled});
  }
  return found;
}

bool is_in_tree(const std::string& path) { return fs::exists(root / path); }

std::string folder(const std::string& path) {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool is_header(const std::string& path) { return path.ends_with(".h"); }

const std::set<std::string>& public_headers() {
  static const std::set<std::string> headers = [] {
    std::set<std::string> found = {"heed.h"};
    for (const Include& include : includes(read(root / "heed.h"))) {
      found.insert(include.name);
    }
    return found;
  }();
  return headers;
}

std::set<std::string> listed_files(const std::string& folder,
                                   const std::string& extension) {
  std::set<std::string> found;
  for (const Line& line : read(root / folder / "meson.build").lines) {
    std::istringstream pieces(line.text);
    bool quoted = false;
    for (std::string piece; std::getline(pieces, piece, '\''); quoted = !quoted) {
      if (quoted && piece.ends_with(extension)) found.insert(folder + "/" + piece);
    }
  }
  return found;
}

std::string findings(const std::vector<File>& files,
                     std::vector<std::string> (*rule)(const File&)) {
  std::string text;
  for (const File& file : files) {
    for (const std::string& finding : rule(file)) text += "\n" + finding;
  }
  return text;
}

}  // namespace heed::tree
