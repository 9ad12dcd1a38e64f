// load_state() changes the module.
// says: what switches a module between train\(\) and eval\(\), .* this one is const
#include <heed.h>

void f(const heed::nn::Linear& net) { heed::nn::load_state(net, "net.safetensors"); }
