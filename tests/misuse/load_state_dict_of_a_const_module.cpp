// load_state_dict() changes the module.
// says: what switches a module between train\(\) and eval\(\), .* this one is const
#include <heed.h>

void f(const heed::nn::Linear& net, const heed::nn::StateDict& state) {
  heed::nn::load_state_dict(net, state);
}
