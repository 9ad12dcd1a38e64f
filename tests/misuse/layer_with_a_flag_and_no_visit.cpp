// A `training` flag does not make a struct of layers a part without visit().
// says: neither a module nor a function, so that its parameters would not be found
#include <heed.h>

struct Block {
  heed::nn::Linear layer{2, 2};
  bool training = true;
  heed::Variable operator()(const heed::Variable& x) { return layer(x); }
};

heed::nn::Sequential net{Block(), heed::nn::Tanh()};
