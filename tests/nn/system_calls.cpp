#include "tests/nn/system_calls.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace heed {
namespace {

SystemCalls* watching = nullptr;

std::string called(const std::string& name) {
  return name.starts_with(".heed-") && name.ends_with(".tmp") ? "new" : name;
}

// An open file, "new 22 bytes", with the size that the system knows.
std::string described(int file) {
  struct stat status;
  if (fstat(file, &status) != 0) return "nothing";
  if (S_ISDIR(status.st_mode)) return "folder";
  const auto path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file));
  return fmt::format("{} {} bytes", called(path.filename().string()), status.st_size);
}

// A call whose only argument is an open file.
int on_file(const std::string& name, long number, int file) {
  if (watching && watching->refuses(name + " " + described(file))) return -1;
  return static_cast<int>(syscall(number, file));
}

}  // namespace

SystemCalls::SystemCalls(std::string refused, int error)
    : refused_(std::move(refused)), error_(error) {
  watching = this;
}

SystemCalls::~SystemCalls() { watching = nullptr; }

bool SystemCalls::refuses(const std::string& call) {
  made_.push_back(call);
  if (refused_.empty() || !call.starts_with(refused_)) return false;
  errno = error_;
  return true;
}

}  // namespace heed

extern "C" {

int fsync(int file) { return heed::on_file("fsync", SYS_fsync, file); }

int syncfs(int file) noexcept { return heed::on_file("syncfs", SYS_syncfs, file); }

int flock(int file, int operation) noexcept {
  if (heed::watching && heed::watching->before_lock) heed::watching->before_lock();
  return static_cast<int>(syscall(SYS_flock, file, operation));
}

int fchmod(int file, mode_t mode) noexcept {
  if (heed::watching && heed::watching->refuses("fchmod")) return -1;
  return static_cast<int>(syscall(SYS_fchmod, file, mode));
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  using heed::called;
  const std::string call = fmt::format("rename {} {}", called(from), called(to));
  if (heed::watching && heed::watching->refuses(call)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, from_folder, from, to_folder, to, 0));
}

}  // extern "C"
