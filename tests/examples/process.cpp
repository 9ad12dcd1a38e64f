#include "tests/examples/process.h"

#include <csignal>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace heed::examples {

Process::Process(const std::string& program, const std::string& arguments,
                 const std::string& before) {
  // exec: the program replaces the shell and keeps its process id.
  const std::string line = before + "; exec " + command(program, arguments, output_);
  id_ = fork();
  if (id_ < 0) throw std::runtime_error("no process can be started");
  if (id_ > 0) return;
  // Shells let programs that run in the background ignore SIGINT.
  std::signal(SIGINT, SIG_DFL);
  execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
  _exit(127);
}

Process::~Process() {
  if (id_ < 0) return;
  send(SIGKILL);
  waitpid(id_, nullptr, 0);
}

void Process::send(int signal) { kill(id_, signal); }

Outcome Process::wait() {
  int status = 0;
  waitpid(id_, &status, 0);
  id_ = -1;
  const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return {code, contents(output_ / "out"), contents(output_ / "err")};
}

}  // namespace heed::examples
