// The layers of a Sequential have types of their own.
// says: net.at<nn::Linear>\(0\), not net\[0\]
#include <heed.h>

void f(heed::nn::Sequential& net) { net[0]; }
