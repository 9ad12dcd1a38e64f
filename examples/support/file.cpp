#include "examples/support/file.h"

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <system_error>

#include "examples/support/input_error.h"

namespace heed::support {

std::string read_file(const std::string& path, std::string_view needed,
                      std::size_t longest) {
  if (path.empty()) input_error("the name of the file is empty");
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    input_error("{}: is a folder; {} is needed", path, needed);
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    input_error("{}: cannot be opened: {}", path, std::generic_category().message(errno));
  }
  std::string text(1 << 16, '\0');
  std::size_t size = 0;
  while (file.read(text.data() + size, static_cast<std::streamsize>(text.size() - size)),
         file.gcount() > 0) {
    size += static_cast<std::size_t>(file.gcount());
    if (size > longest) input_error("{}: more than {} MiB", path, longest >> 20);
    if (size == text.size()) text.resize(2 * size);
  }
  if (file.bad()) input_error("{}: cannot be read", path);
  text.resize(size);
  return text;
}

}  // namespace heed::support
