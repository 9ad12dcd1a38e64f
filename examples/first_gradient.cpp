#include <cstdio>
#include <string_view>

#include <fmt/core.h>
#include <heed.h>

int main(int argc, char** argv) {
  heed::Variable x(heed::linspace(0, 1, 3), true);  // true: a gradient is wanted
  heed::Variable y = sum(tanh(x));
  if (argc > 1 && std::string_view(argv[1]) == "--explain") {
    fmt::print("{}\n", explain(y, {{"x", x}}));
  }
  y.backward();
  fmt::print("x      {}\n", x);
  fmt::print("y      {}\n", y);
  fmt::print("dy/dx  {}\n", x.grad());      // 1 - tanh(x)^2
  return std::fflush(stdout) == 0 ? 0 : 1;  // 1: it could not be printed
}
