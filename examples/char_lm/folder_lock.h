// One program at a time in a folder.
#pragma once

#include <string>

namespace heed::char_lm {

// While it lives, no other FolderLock, of this program or another, can be made for the
// folder. The system takes it away from a program that ends, however it does.
class FolderLock {
 public:
  // Throws InputError when there is one, or the folder cannot be opened.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace heed::char_lm
