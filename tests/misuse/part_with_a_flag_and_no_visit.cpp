// A `training` flag does not make a struct of layers a part without visit().
// says: neither a module nor a part of one
#include <heed.h>

struct Block {
  heed::nn::Linear layer{2, 2};
  bool training = true;
};
struct Net {
  Block block;
  void visit(auto&& f) { f("block", block); }
};

auto parameters_of(Net& net) { return heed::nn::parameters(net); }
