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

// All files of these extensions, in the root and in the folders of the layers and the
// programs, by path. Throws std::runtime_error when one cannot be read.
std::vector<File> read_tree(const std::set<std::string>& extensions = {".h", ".cpp"});

// Whether there is a file or folder of this path, seen from the root.
bool is_in_tree(const std::string& path);

// The number of characters of a line of UTF-8.
std::size_t columns(const std::string& line);

std::vector<Include> includes(const File& file);

// The first folder of a path, "tensor" of "tensor/kernels/level.h"; "" of "heed.h".
std::string folder(const std::string& path);

bool is_header(const std::string& path);

// What a user may include: heed.h, and what it includes.
const std::set<std::string>& public_headers();

// The files with this extension that a folder's meson.build names, by path.
std::set<std::string> listed_files(const std::string& folder,
                                   const std::string& extension);

// What is wrong with the files by a rule that gives messages, one per line.
std::string findings(const std::vector<File>& files,
                     std::vector<std::string> (*rule)(const File&));

}  // namespace heed::tree
