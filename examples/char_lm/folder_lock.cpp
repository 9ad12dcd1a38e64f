#include "examples/char_lm/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "examples/support/input_error.h"

namespace heed::char_lm {

FolderLock::FolderLock(const std::string& folder)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // Some file systems have no locks: then there is none.
  if (descriptor_ >= 0 &&
      (flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)) {
    return;
  }
  const int error = errno;
  if (descriptor_ >= 0) close(descriptor_);
  if (error == EWOULDBLOCK) {
    support::input_error("{}: another char_lm is training into this folder", folder);
  }
  support::input_error("{}: cannot be opened: {}", folder,
                       std::generic_category().message(error));
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace heed::char_lm
