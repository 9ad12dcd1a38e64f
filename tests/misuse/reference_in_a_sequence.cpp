// A reference to a layer would not be walked: its parameters would not train.
// says: give a Sequential the layer itself
#include <heed.h>

void f(heed::nn::Linear& layer) { heed::nn::Sequential net{std::ref(layer)}; }
