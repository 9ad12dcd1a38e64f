// A visit() that a Sequential cannot call would leave the parameters out.
// says: neither a module nor a function, so that its parameters would not be found
#include <heed.h>

class Block {
 public:
  heed::Variable operator()(const heed::Variable& x) { return layer(x); }

 private:
  heed::nn::Linear layer{2, 2};
  void visit(auto&& f) { f("layer", layer); }
};

heed::nn::Sequential net{Block(), heed::nn::Tanh()};
