// Parts of a test in a process of their own: another user, another program, other mounts.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include <boost/test/unit_test.hpp>

namespace heed {

constexpr uid_t nobody = 65534;

// A process that begins as a copy of this one, does something, and tells how it went.
class Child {
 public:
  // Runs f as `user`, if this is root, otherwise as the user of this process, whom
  // permissions bind as well. Throws std::runtime_error when it cannot.
  Child(uid_t user, const std::function<std::string()>& f);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits for the end. What f has returned, or "threw: " and the message.
  std::string result();

 private:
  pid_t id_ = -1;
  int pipe_ = -1;
};

// The result of such a process, after its end.
std::string in_child(uid_t user, const std::function<std::string()>& f);

// A file system of its own, in memory, that this process alone sees. Throws
// std::runtime_error when it may not.
void mount_privately(const std::string& folder, const std::string& options);

// Preconditions of test cases: where they do not hold, Boost.Test tells what it skips.
boost::test_tools::assertion_result is_root(boost::unit_test::test_unit_id);
boost::test_tools::assertion_result may_mount(boost::unit_test::test_unit_id);

}  // namespace heed
