// The files of heed's source tree, for tests of the text itself.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace heed::tree {

// One line of a text, with its number counted from 1.
struct Line {
  int number;
  std::string text;
};

// A C++ file: its path from the source root, "tensor/core/shape.h", and its lines.
struct File {
  std::string path;
  std::vector<Line> lines;
};

// One #include: of <name> if angled, of "name" if not.
struct Include {
  int line;
  std::string name;
  bool angled;
};

// The lines of `text`, without their ends.
std::vector<Line> split(const std::string& text);

// All .h and .cpp files of the layers and the programs, heed.h included, by path.
// Throws std::runtime_error when there are none.
std::vector<File> read_tree();

std::vector<Include> includes(const File& file);

// The first folder of a path, "tensor" of "tensor/kernels/level.h"; "" of "heed.h".
std::string folder(const std::string& path);

bool is_header(const std::string& path);

// What a user may include: heed.h, and what it includes.
const std::set<std::string>& public_headers();

// The headers that a layer's meson.build lists, which are those that it installs.
std::set<std::string> installed_headers(const std::string& layer);

// The messages of all findings, one a line, for a BOOST_TEST that shows them.
std::string join(const std::vector<std::string>& findings);

}  // namespace heed::tree
