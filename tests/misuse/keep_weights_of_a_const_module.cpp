// keep_weights() changes the module.
// says: keep_weights\(\) changes the layers of the model, and this one is const
#include <heed.h>

void f(const heed::nn::DotProductAttention& layer) { heed::nn::keep_weights(layer); }
