#include "examples/char_lm/interruption.h"

#include <csignal>
#include <initializer_list>

namespace heed::char_lm {
namespace {

volatile std::sig_atomic_t noted = 0;

void note(int signal) { noted = signal; }

void set_handlers(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_RESETHAND;  // for one signal
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

}  // namespace

Interruption::Interruption() {
  noted = 0;
  set_handlers(note);
}

Interruption::~Interruption() { set_handlers(SIG_DFL); }

int Interruption::signal() const { return noted; }

}  // namespace heed::char_lm
