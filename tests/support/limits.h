// Resources that run out, for this program and those that it starts.
#pragma once

#include <sys/resource.h>

#include <csignal>

#include <boost/test/unit_test.hpp>

namespace heed::support {

// While it lives, the system refuses more than `most` of a resource, such as RLIMIT_AS.
class Limit {
 public:
  Limit(int resource, rlim_t most) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit limit{most, before_.rlim_max};
    BOOST_TEST(setrlimit(resource, &limit) == 0);
  }
  ~Limit() { setrlimit(resource_, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  int resource_;
  rlimit before_;
};

// A disk without room: no file may grow beyond `bytes`.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes)
      : handler_(std::signal(SIGXFSZ, SIG_IGN)), limit_(RLIMIT_FSIZE, bytes) {}
  ~FileLimit() { std::signal(SIGXFSZ, handler_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  void (*handler_)(int);
  Limit limit_;
};

}  // namespace heed::support
