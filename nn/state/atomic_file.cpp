#include "nn/state/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "tensor/core/error.h"

namespace heed::nn {
namespace {

namespace fs = std::filesystem;

// The names of new files that are not yet complete.
constexpr std::string_view prefix = ".heed-", suffix = ".tmp";

std::string_view kind(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory: return "a folder";
    case fs::file_type::fifo: return "a pipe";
    case fs::file_type::socket: return "a socket";
    default: return "a device";
  }
}

// What the path leads to: a symbolic link is followed, to a file that may not exist yet.
fs::path followed(fs::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(path, error); ++links) {
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / target;
  }
  return path;
}

}  // namespace

void check_regular(const std::string& where, const fs::path& path) {
  // The system would take what stands before it for the path.
  check(path.native().find('\0') == std::string::npos,
        "{}: a path must not have a zero byte", where);
  std::error_code ignored;  // opening the file will report it again
  const fs::file_type type = fs::status(path, ignored).type();
  const bool is_fine = type == fs::file_type::regular ||
                       type == fs::file_type::not_found || type == fs::file_type::none;
  check(is_fine, "{}: must be a regular file, got {}", where, kind(type));
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

AtomicFile::AtomicFile(const std::string& where, const fs::path& path)
    : AtomicFile(where) {
  check_regular(where, path);
  // The system may refuse to follow a link, as one that somebody left in /tmp.
  struct stat target;
  if (stat(path.c_str(), &target) != 0 && errno != ENOENT) {
    refuse("look at the older file");
  }
  const fs::path file = followed(path);
  name_ = file.filename().string();
  check(!name_.empty(), "{}: must be the path of a file", where);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  // O_PATH: one may make files in a folder that one may not list.
  folder_ = Descriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder_.number() < 0) refuse("open the folder");
  look_at_older();
  create();
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlinkat(folder_.number(), temporary_.c_str(), 0);
}

void AtomicFile::refuse(const char* what) const {
  fail("{}: cannot {}: {}", where_, what, std::generic_category().message(errno));
}

void AtomicFile::look_at_older() {
  struct stat older;
  if (fstatat(folder_.number(), name_.c_str(), &older, 0) != 0) {
    if (errno == ENOENT) return;
    refuse("look at the older file");
  }
  // Who may write into a folder can replace a file in it that is write-protected.
  if (faccessat(folder_.number(), name_.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse("replace the older file");
  }
  older_ = {older.st_uid, older.st_gid, older.st_mode & 0777};
}

// Makes the new file, under a name that no other file, program or thread has. Those who
// may not read the older file must never be able to read the new one.
void AtomicFile::create() {
  static std::atomic<unsigned> count{0};
  struct stat made;
  do {
    std::string name = fmt::format("{}{}-{}{}", prefix, getpid(), count++, suffix);
    file_ =
        Descriptor(openat(folder_.number(), name.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, older_ ? 0600 : 0666));
    if (file_.number() < 0 && errno == EEXIST) continue;
    if (file_.number() < 0) refuse("make a file in the folder");
    temporary_ = std::move(name);  // this cannot throw
    // The lock tells remove_leftovers() that the file is in use. If that has removed the
    // file before it was locked, another is made.
    while (flock(file_.number(), LOCK_EX) != 0 && errno == EINTR) continue;
    if (fstatat(folder_.number(), temporary_.c_str(), &made, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) refuse("make a file in the folder");
      temporary_.clear();
    }
  } while (temporary_.empty());
  if (older_ && (made.st_uid != older_->user || made.st_gid != older_->group) &&
      fchown(file_.number(), older_->user, older_->group) != 0) {
    refuse("keep the owner of the older file");
  }
}

void AtomicFile::write(const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file_.number(), bytes, size);
    if (written < 0) {
      if (errno == EINTR) continue;
      refuse("write");
    }
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  if (older_ && fchmod(file_.number(), older_->mode) != 0) refuse("set the permissions");
  if (fsync(file_.number()) != 0) refuse("write");
  if (renameat(folder_.number(), temporary_.c_str(), folder_.number(), name_.c_str()) !=
      0) {
    refuse("put the new file in its place");
  }
  temporary_.clear();
  if (sync_folder() != 0) {
    fail(
        "{}: the new file is in its place, but a power cut may undo that: cannot write "
        "the folder: {}",
        where_, std::generic_category().message(errno));
  }
}

// The new name is on the disk once the folder is. A folder that may not be read cannot be
// opened for that; then the whole file system is written.
int AtomicFile::sync_folder() const {
  const Descriptor folder(
      openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0) return syncfs(file_.number());
  if (fsync(folder.number()) == 0) return 0;
  return errno == EINVAL ? 0 : -1;  // some file systems have no fsync for a folder
}

void remove_leftovers(const fs::path& folder) {
  std::error_code ignored;  // leftovers do no harm
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    const fs::path path = at->path();
    const std::string name = path.filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) continue;
    const Descriptor file(
        open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    // Nobody holds the lock: whoever made the file has ended.
    if (file.number() >= 0 && flock(file.number(), LOCK_EX | LOCK_NB) == 0) {
      unlink(path.c_str());
    }
  }
}

}  // namespace heed::nn
