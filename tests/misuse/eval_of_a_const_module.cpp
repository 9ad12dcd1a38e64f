// eval() changes the module.
// says: what switches a module between train\(\) and eval\(\), .* this one is const
#include <heed.h>

void f(const heed::nn::Dropout& layer) { heed::nn::eval(layer); }
