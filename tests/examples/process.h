// A program that runs beside the test, and can be interrupted.
#pragma once

#include <string>

#include <sys/types.h>

#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace heed::examples {

class Process {
 public:
  // Starts a program of the examples' folder with `arguments` as in a shell; `before` is
  // a command of the shell for it (ulimit). Throws std::runtime_error when it cannot.
  Process(const std::string& program, const std::string& arguments,
          const std::string& before = ":");
  // Kills what is still running.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal);
  // Waits for its end. The code is that of a shell: 128 + the signal that ended it.
  Outcome wait();

 private:
  support::TemporaryFolder output_;
  pid_t id_ = -1;
};

}  // namespace heed::examples
