// Files that a user names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::support {

// The bytes of the file `path`; `needed` says, for messages, what it should be. Throws
// InputError when it cannot be read, is a folder, or has more than `longest` bytes, which
// are whole MiB: a device may have no end.
std::string read_file(const std::string& path, std::string_view needed,
                      std::size_t longest = std::size_t{256} << 20);

}  // namespace heed::support
