// A struct of layers that lists none of them.
// says: A module is a struct that lists its parts
#include <heed.h>

struct Net {
  heed::nn::Linear layer{2, 2};
};

auto f(const Net& net) { return heed::nn::parameters(net); }
