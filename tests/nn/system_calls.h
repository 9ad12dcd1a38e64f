// The system calls that write a file, recorded and, where a test wants it, refused.
//
// The tests' program defines fsync() and the others itself; the library's calls come to
// these, because a program's functions are found before those of the C library.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace heed {

// While it lives, made() gets a line for each call: "fsync new 22 bytes", "rename new f",
// "fsync folder". A file .heed-*.tmp is called new, a folder folder. There may be one at
// a time, and no other thread may make such calls.
class SystemCalls {
 public:
  SystemCalls() : SystemCalls("", 0) {}
  // The calls that begin with `refused` fail, with this errno.
  SystemCalls(std::string refused, int error);
  ~SystemCalls();
  SystemCalls(const SystemCalls&) = delete;
  SystemCalls& operator=(const SystemCalls&) = delete;

  const std::vector<std::string>& made() const { return made_; }
  // Called before a file is locked.
  std::function<void()> before_lock;
  // Notes a call. Returns whether it is to fail, and sets errno then.
  bool refuses(const std::string& call);

 private:
  std::string refused_;
  int error_;
  std::vector<std::string> made_;
};

}  // namespace heed
