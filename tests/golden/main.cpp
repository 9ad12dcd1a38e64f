// golden DIR: computes the reference cases of a folder anew, and compares.
#include <iostream>

#include "tests/golden/run.h"

int main(int argc, char** argv) {
  const int code = heed::golden::run({argv + 1, argv + argc}, std::cout, std::cerr);
  return std::cout.flush() ? code : 1;
}
