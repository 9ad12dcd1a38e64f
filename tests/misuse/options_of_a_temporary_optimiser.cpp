// A reference to the options would outlive the optimiser.
// says: discards qualifiers|not viable|is an rvalue|passing|no matching
#include <vector>

#include <heed.h>

double& f(const std::vector<heed::Variable>& parameters) {
  return heed::optim::SGD(parameters, {.lr = 0.1}).options().lr;
}
