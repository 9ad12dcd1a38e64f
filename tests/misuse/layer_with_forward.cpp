// A layer whose computation is called forward, as in PyTorch.
// says: what is forward.. in PyTorch is Variable operator
#include <heed.h>

struct Net {
  heed::nn::Linear hidden{2, 2};
  heed::Variable forward(const heed::Variable& x) { return hidden(x); }
  void visit(auto&& f) { f("hidden", hidden); }
};

void f(heed::nn::Sequential& net) { net = heed::nn::Sequential{Net()}; }
