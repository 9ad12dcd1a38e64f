// A part that visit() cannot walk would be left out.
// says: neither a module nor a part of one
#include <heed.h>

struct Net {
  heed::nn::Linear out{2, 1};
  int steps = 3;
  void visit(auto&& f) {
    f("out", out);
    f("steps", steps);
  }
};

auto parameters_of(Net& net) { return heed::nn::parameters(net); }
