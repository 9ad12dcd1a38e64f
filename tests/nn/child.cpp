#include "tests/nn/child.h"

#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "tests/support/folder.h"

namespace heed {
namespace {

void need(bool ok, const char* what) {
  if (!ok) {
    throw std::runtime_error(std::string(what) + ": " +
                             std::generic_category().message(errno));
  }
}

void become(uid_t user) {
  if (geteuid() != 0 || user == 0) return;
  need(setgroups(0, nullptr) == 0, "setgroups");
  need(setresgid(user, user, user) == 0, "setresgid");
  need(setresuid(user, user, user) == 0, "setresuid");
}

boost::test_tools::assertion_result holds(bool condition, const char* message) {
  boost::test_tools::assertion_result result(condition);
  result.message() << message;
  return result;
}

}  // namespace

Child::Child(uid_t user, const std::function<std::string()>& f) {
  int ends[2];
  need(pipe(ends) == 0, "pipe");
  std::fflush(nullptr);  // so that the copy does not print it too
  id_ = fork();
  need(id_ >= 0, "fork");
  if (id_ == 0) {
    std::string text;
    try {
      become(user);
      text = f();
    } catch (const std::exception& error) {
      text = std::string("threw: ") + error.what();
    }
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  pipe_ = ends[0];
}

Child::~Child() {
  if (pipe_ >= 0) result();
}

std::string Child::result() {
  std::string text;
  char part[4096];
  for (ssize_t size; (size = read(pipe_, part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(size));
  }
  close(pipe_);
  pipe_ = -1;
  int status = 0;
  waitpid(id_, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "ended early: " + text;
}

std::string in_child(uid_t user, const std::function<std::string()>& f) {
  return Child(user, f).result();
}

void mount_privately(const std::string& folder, const std::string& options) {
  need(unshare(CLONE_NEWNS) == 0, "unshare");
  need(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "mount /");
  need(mount("tmpfs", folder.c_str(), "tmpfs", 0, options.c_str()) == 0, "mount tmpfs");
}

boost::test_tools::assertion_result is_root(boost::unit_test::test_unit_id) {
  return holds(geteuid() == 0, "only root can give files to others");
}

boost::test_tools::assertion_result may_mount(boost::unit_test::test_unit_id) {
  const support::TemporaryFolder folder;
  const std::string result = in_child(0, [&] {
    mount_privately(folder / "", "size=64k");
    return std::string("mounted");
  });
  return holds(result == "mounted", "only root outside of a container can mount disks");
}

}  // namespace heed
