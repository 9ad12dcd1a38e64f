// The layers of a Sequential have types of their own.
// says: net.get<0>\(\), not net\[0\]
#include <heed.h>

void f(heed::nn::Sequential<heed::nn::Linear, heed::nn::Tanh>& net) { net[0]; }
