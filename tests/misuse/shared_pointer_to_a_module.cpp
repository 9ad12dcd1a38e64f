// clone() would change what the pointer shares.
// says: neither a module nor a part of one
#include <heed.h>

struct Net {
  std::shared_ptr<heed::nn::Linear> out;
  void visit(auto&& f) { f("out", out); }
};

auto parameters_of(Net& net) { return heed::nn::parameters(net); }
