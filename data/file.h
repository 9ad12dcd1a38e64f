// Files that a user names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::data {

// The bytes of the file `path`, unpacked if it is a gzip file; `needed` says, for
// messages, what it should be. Throws Error when it cannot be read, is a folder, is a
// gzip file that is cut off or damaged, or has more than `longest` bytes, which are whole
// MiB: a device may have no end.
std::string read_file(const std::string& path, std::string_view needed = "a file",
                      std::size_t longest = std::size_t{256} << 20);

}  // namespace heed::data
