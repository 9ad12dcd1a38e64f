#include "view/gnuplot_window.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tensor/core/error.h"
#include "tensor/core/text.h"
#include "view/live.h"

namespace heed::viz {
namespace {

constexpr double patience = 5;  // seconds for gnuplot to start or to draw

// What gnuplot answers after each picture. All else that it says is a complaint.
constexpr std::string_view drawn = "drawn\n";

bool has_display() {
  for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* const display = std::getenv(name);
    if (display != nullptr && *display != '\0') return true;
  }
  return false;
}

std::string first_line(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  return printable(text.substr(0, text.find('\n')));
}

}  // namespace

// A socket is gnuplot's standard input, and its standard error, which tells when a
// picture is drawn and what went wrong. Unlike a pipe, a socket need not kill a program
// that writes to a gnuplot that is no longer there.
Window::Window() {
  check(has_display(), "DISPLAY is not set");
  int ends[2];
  check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
        "no socket can be made");
  socket_ = ends[0];
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int error = start_gnuplot({ends[1], nowhere, ends[1]}, {"-persist"}, process_);
  ::close(nowhere);
  ::close(ends[1]);
  try {
    check(error != ENOENT, "gnuplot is not installed");
    if (error != 0)
      fail("gnuplot cannot be run: {}", std::generic_category().message(error));
    send("print GPVAL_TERMINALS\n");
    const std::string answered = answer(patience);
    check(!answered.empty(), "gnuplot does not answer");
    const std::string terminals = " " + answered;
    std::string_view chosen;
    for (const std::string_view name : {"qt", "wxt", "x11"})
      if (chosen.empty() && terminals.find(fmt::format(" {} ", name)) != terminals.npos)
        chosen = name;
    check(!chosen.empty(),
          "this gnuplot has no windows (Debian's gnuplot-qt and gnuplot-x11 have them)");
    send(fmt::format("set terminal {} size 700,500 noenhanced noraise title 'heed'\n",
                     chosen));
    draw_last({.commands = "set xrange [0:1]\nset yrange [0:1]\nplot NaN notitle\n"});
  } catch (...) {
    close();
    throw;
  }
}

Window::~Window() { close(); }

void Window::close() {
  if (socket_ < 0) return;
  ::close(socket_);
  socket_ = -1;
  // With its input at an end, gnuplot itself ends; a process of its own has the window.
  const double end = seconds_now() + patience;
  while (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == 0 && seconds_now() < end)
    usleep(1000);
}

void Window::draw(const Drawing& drawing) {
  if (!is_drawn(0)) return;
  is_busy_ = true;
  // The empty line is for the terminal x11, which may swallow the character that follows
  // a plot.
  send("reset\n" + drawing.commands + "\n\nprint 'drawn'\n");
}

void Window::draw_last(const Drawing& drawing) {
  if (!is_drawn(patience)) return;
  draw(drawing);
  (void)is_drawn(patience);
}

void Window::send(const std::string& script) {
  unsent_ += script;
  const ssize_t size =
      ::send(socket_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (size > 0) unsent_.erase(0, static_cast<std::size_t>(size));
  check(size >= 0 || errno == EAGAIN || errno == EINTR, "gnuplot has ended");
}

bool Window::is_drawn(double seconds) {
  const double end = seconds_now() + seconds;
  while (is_busy_) {
    if (!unsent_.empty()) send("");
    // What could not be sent at once is sent in pieces, as gnuplot reads.
    const double left = end - seconds_now();
    const std::string text = answer(unsent_.empty() ? left : std::min(left, 0.01));
    if (text == drawn)
      is_busy_ = false;
    else if (!text.empty())
      fail("gnuplot: {}", first_line(text));
    else if (left <= 0)
      return false;
  }
  return true;
}

std::string Window::answer(double seconds) {
  const double end = seconds_now() + seconds;
  for (;;) {
    const double left = std::max(end - seconds_now(), 0.0);
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(1000 * left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return "";
    char part[4096];
    const ssize_t size = recv(socket_, part, sizeof part, MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size > 0) heard_.append(part, static_cast<std::size_t>(size));
    if (heard_.ends_with('\n') || (size <= 0 && !heard_.empty()))
      return std::exchange(heard_, "");
    check(size > 0, "gnuplot has ended");
  }
}

}  // namespace heed::viz
