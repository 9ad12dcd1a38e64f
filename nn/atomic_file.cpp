#include "nn/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "tensor/error.h"

namespace heed::nn {
namespace {

namespace fs = std::filesystem;

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
  std::error_code ignored;  // whoever opens the file hears it again
  const fs::file_type type = fs::status(path, ignored).type();
  check(type == fs::file_type::regular || type == fs::file_type::not_found ||
            type == fs::file_type::none,
        "{}: must be a regular file, got {}", where, kind(type));
}

bool Descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0;
}

AtomicFile::AtomicFile(const std::string& where, const fs::path& path) : where_(where) {
  check_regular(where, path);
  const fs::path file = followed(path);
  name_ = file.filename().string();
  check(!name_.empty(), "{}: must be the path of a file", where);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  folder_ = Descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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
  // A folder lets files be replaced that may not be written.
  if (faccessat(folder_.number(), name_.c_str(), W_OK, AT_EACCESS) != 0) {
    refuse("replace the older file");
  }
  mode_ = older.st_mode & 0777;
}

// Makes the new file, under a name that no other file, program or thread has. At no time
// may anyone read it who may not read the older one.
void AtomicFile::create() {
  static std::atomic<unsigned> count{0};
  do {
    std::string name = fmt::format(".heed-{}-{}.tmp", getpid(), count++);
    file_ =
        Descriptor(openat(folder_.number(), name.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_.value_or(0666)));
    if (file_.number() >= 0) temporary_ = std::move(name);  // which takes no memory
  } while (file_.number() < 0 && errno == EEXIST);
  if (file_.number() < 0) refuse("make a file in the folder");
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
  if (mode_ && fchmod(file_.number(), *mode_) != 0) refuse("set the permissions");
  if (fsync(file_.number()) != 0 || !file_.close()) refuse("write");
  if (renameat(folder_.number(), temporary_.c_str(), folder_.number(), name_.c_str()) !=
      0) {
    refuse("replace the older file");
  }
  temporary_.clear();
  // The name is on the disk when the folder is. Some file systems have no fsync for one.
  if (fsync(folder_.number()) != 0 && errno != EINVAL) refuse("write the folder");
}

}  // namespace heed::nn
