// A dropout in the place of a size.
// says: no matching
#include <heed.h>

heed::nn::MultiHeadAttention net(8, 2, 0.1);
