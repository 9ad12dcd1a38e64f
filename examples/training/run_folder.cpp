#include "examples/training/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "examples/support/figures.h"
#include "examples/support/input_error.h"

namespace heed::training {
namespace {

using support::input_error;

// A file that cannot be looked at cannot be written either, which is reported then.
bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

std::string checkpoint_path(const std::string& folder) {
  return folder + "/checkpoint.safetensors";
}

bool has_checkpoint(const std::string& folder) { return exists(checkpoint_path(folder)); }

nn::Descriptor lock_folder(const std::string& folder, const std::string& program) {
  nn::Descriptor lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.number() < 0) {
    input_error("{}: cannot be opened: {}", folder,
                std::generic_category().message(errno));
  }
  // Some file systems have no locks: then there is none.
  if (flock(lock.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    input_error("{}: another {} is training into this folder", folder, program);
  }
  return lock;
}

RunFolder::RunFolder(const std::string& folder, const Format& format, bool resume)
    : checkpoint_path(training::checkpoint_path(folder)), log_path(folder + "/log.csv") {
  if (resume && !exists(folder)) {
    input_error("{}: there is no such folder to go on from", folder);
  }
  support::make_folder(folder);
  lock = lock_folder(folder, format.program);
  nn::remove_leftovers(folder);
  if (exists(checkpoint_path)) {
    if (!resume) {
      input_error(
          "{}: is there already; go on from it with --resume, or choose another --out",
          checkpoint_path);
    }
    checkpoint = load(checkpoint_path, format);
  } else if (exists(log_path)) {
    // A run writes its checkpoint before its log: this log is not a run's.
    input_error("{}: is there already, without a checkpoint; choose another --out",
                log_path);
  }
}

}  // namespace heed::training
