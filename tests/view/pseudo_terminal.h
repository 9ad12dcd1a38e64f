// A terminal in place of standard output or standard error.
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include <boost/test/unit_test.hpp>

namespace heed::viz {

// Whether this system makes terminals: a root without /dev/pts does not.
inline boost::test_tools::assertion_result terminals_are_there(
    boost::unit_test::test_unit_id) {
  int reader, terminal;
  if (openpty(&reader, &terminal, nullptr, nullptr, nullptr) != 0) return false;
  close(reader);
  close(terminal);
  return true;
}

// While it lives, the descriptor is a terminal of so many columns and lines.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(int descriptor, unsigned short columns = 60,
                          unsigned short lines = 24)
      : descriptor_(descriptor) {
    winsize size{.ws_row = lines, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    BOOST_TEST_REQUIRE(openpty(&reader_, &terminal_, nullptr, nullptr, &size) == 0);
    std::fflush(nullptr);
    before_ = dup(descriptor);
    dup2(terminal_, descriptor);
  }
  ~PseudoTerminal() {
    std::fflush(nullptr);
    dup2(before_, descriptor_);
    for (const int descriptor : {before_, terminal_, reader_}) close(descriptor);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  // What the terminal has been sent since the last call, without the carriage returns
  // that it puts before each end of a line. It may arrive in pieces, so a mark is sent
  // after it.
  std::string sent() const {
    std::fflush(nullptr);
    const std::string mark = "(end)";
    (void)!write(terminal_, mark.data(), mark.size());
    std::string text;
    char part[4096];
    for (ssize_t n; !text.ends_with(mark) && (n = read(reader_, part, sizeof part)) > 0;)
      text.append(part, static_cast<std::size_t>(n));
    text.resize(text.size() - mark.size());
    for (std::size_t at; (at = text.find("\r\n")) != text.npos;) text.erase(at, 1);
    return text;
  }

 private:
  int descriptor_, reader_ = -1, terminal_ = -1, before_ = -1;
};

// While it lives, the descriptor is this file.
class IntoFile {
 public:
  IntoFile(int descriptor, const std::string& path) : descriptor_(descriptor) {
    std::fflush(nullptr);
    before_ = dup(descriptor);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    BOOST_TEST_REQUIRE((before_ >= 0 && file >= 0));
    dup2(file, descriptor);
    close(file);
  }
  ~IntoFile() {
    std::fflush(nullptr);
    dup2(before_, descriptor_);
    close(before_);
  }
  IntoFile(const IntoFile&) = delete;
  IntoFile& operator=(const IntoFile&) = delete;

 private:
  int descriptor_, before_ = -1;
};

}  // namespace heed::viz
