#include "examples/training/interruption.h"

#include <csignal>
#include <initializer_list>

#include "tensor/core/text.h"

namespace heed::training {
namespace {

volatile std::sig_atomic_t noted = 0;

constexpr auto signals = {SIGINT, SIGTERM};

void set_handlers(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  // A signal that comes while another one is being noted waits, and is then the second.
  sigemptyset(&action.sa_mask);
  for (const int signal : signals) sigaddset(&action.sa_mask, signal);
  for (const int signal : signals) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // A signal that is ignored stays ignored: nohup starts programs in this way.
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void note(int signal) {
  noted = signal;
  set_handlers(SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  noted = 0;
  set_handlers(note);
}

Interruption::~Interruption() { set_handlers(SIG_DFL); }

int Interruption::signal() const { return noted; }

std::string shell_word(const std::string& text) {
  const bool is_printable = printable(text) == text;
  std::string word;
  for (const char c : text) {
    if (is_printable) {
      word += c == '\'' ? "'\\''" : std::string(1, c);
    } else {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
  }
  return (is_printable ? "'" : "$'") + printable(word) + "'";
}

}  // namespace heed::training
