// The folder of a run: its checkpoint and its log, for one program at a time.
#pragma once

#include <optional>
#include <string>

#include "examples/training/checkpoint.h"
#include "nn/state/atomic_file.h"

namespace heed::training {

std::string checkpoint_path(const std::string& folder);
bool has_checkpoint(const std::string& folder);

// While it is open nobody else, of this process or another, can lock the folder. The
// system takes the lock away from a program that ends, however it does. Throws InputError
// when somebody else has it, or the folder cannot be opened.
nn::Descriptor lock_folder(const std::string& folder, const std::string& program);

struct RunFolder {
  // A run that is resumed goes on from the folder's checkpoint, if there is one yet. For
  // a new run the folder is made if needed, and must hold neither checkpoint nor log.
  // Files that killed runs have left half written are removed. Throws InputError when the
  // folder is not so or is locked, or when it or the checkpoint cannot be used.
  RunFolder(const std::string& folder, const Format& format, bool resume);

  std::string checkpoint_path, log_path;
  nn::Descriptor lock;
  std::optional<Checkpoint> checkpoint;  // what the run goes on from; none if it begins
};

}  // namespace heed::training
