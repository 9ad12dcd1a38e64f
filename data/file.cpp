#include "data/file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <type_traits>

#include <zlib.h>

#include "tensor/core/error.h"

namespace heed::data {

// gzread() gives a file that is not a gzip file as it is.
std::string read_file(const std::string& path, std::string_view needed,
                      std::size_t longest) {
  check(!path.empty(), "the name of the file is empty");
  std::error_code ignored;
  check(!std::filesystem::is_directory(path, ignored), "{}: is a folder; {} is needed",
        path, needed);
  errno = 0;
  const std::unique_ptr<std::remove_pointer_t<gzFile>, int (*)(gzFile)> file(
      gzopen(path.c_str(), "rb"), gzclose_r);
  if (!file) {
    fail("{}: cannot be opened: {}", path, std::generic_category().message(errno));
  }
  std::string bytes(1 << 16, '\0');
  std::size_t size = 0;
  for (;;) {
    constexpr std::size_t most = 1 << 30;  // that one call takes
    const std::size_t free = std::min(bytes.size() - size, most);
    const int count =
        gzread(file.get(), bytes.data() + size, static_cast<unsigned>(free));
    int error = Z_OK;
    const char* message = gzerror(file.get(), &error);
    if (count < 0 || error == Z_BUF_ERROR) {  // Z_BUF_ERROR: the file is cut off
      fail("{}: cannot be read: {}", path,
           error == Z_ERRNO ? std::generic_category().message(errno) : message);
    }
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    check(size <= longest, "{}: more than {} MiB", path, longest >> 20);
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace heed::data
