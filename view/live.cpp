#include "view/live.h"

#include <chrono>
#include <cstdio>

namespace heed::viz {

double seconds_now() {
  using namespace std::chrono;
  return duration_cast<std::chrono::duration<double>>(
             steady_clock::now().time_since_epoch())
      .count();
}

void write_to_stderr(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace heed::viz
