// An optimiser is no module.
// says: an optimiser has members state_dict\(\) and load_state_dict\(\)
#include <heed.h>

void f(const heed::optim::SGD& optimiser) { heed::nn::state_dict(optimiser); }
