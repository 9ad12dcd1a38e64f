// clone() would change what the pointer shares.
// says: visit\(\) lists a part that is not a module
#include <heed.h>

struct Net {
  std::shared_ptr<heed::nn::Linear> out;
  void visit(auto&& f) { f("out", out); }
};

auto parameters_of(Net& net) { return heed::nn::parameters(net); }
