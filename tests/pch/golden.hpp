// As tests.hpp, for the files that replay PyTorch's cases.
#include "heed.h"
