// A reference to the state would outlive the optimiser.
// says: deleted
#include <vector>

#include <heed.h>

void f(const std::vector<heed::Variable>& parameters) {
  heed::optim::SGD(parameters, {.lr = 0.1}).state(parameters[0]);
}
