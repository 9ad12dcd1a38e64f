// Dropout: setting elements to zero at random while training.
// (Srivastava et al., 2014)
#pragma once

#include <string>

#include "autograd/variable.h"
#include "tensor/random.h"

namespace heed::nn {

// In training, each element of x is 0 with probability p, otherwise divided by 1 - p so
// that its expectation stays. Otherwise, for p = 0 and for an empty x, x itself comes
// back and nothing is drawn. The mask is PyTorch's for the same generator state. Throws
// Error unless p is from 0 to 1.
Variable dropout(const Variable& x, double p, bool training,
                 Generator& generator = default_generator());

// The layer: it remembers p and whether it is in training.
struct Dropout {
  double p;
  bool training = true;

  // Throws Error unless p is from 0 to 1.
  explicit Dropout(double p = 0.5);
  Variable operator()(const Variable& x) const { return dropout(x, p, training); }

  void visit(auto&&) {}
  std::string summary() const;
};

}  // namespace heed::nn
