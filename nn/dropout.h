// Dropout: setting elements to zero at random while training.
// (Srivastava et al., 2014)
#pragma once

#include <string>

#include "autograd/variable.h"
#include "tensor/random/random.h"

namespace heed::nn {

// In training, each element of x is 0 with probability p, otherwise divided by 1 - p so
// that its expectation stays. Outside training, for p = 0 and for an empty x, x itself is
// returned and nothing is drawn. The elements are drawn in the order of their indices, as
// PyTorch does for a contiguous x. (For another x, such as a sequence-first activation in
// its transformers, newer versions of PyTorch draw in the order of memory.) Throws Error
// unless p is from 0 to 1.
Variable dropout(const Variable& x, double p = 0.5, bool training = true,
                 Generator& generator = default_generator());

// The draw of a dropout, made before the elements that it is for exist.
struct DropoutDraw {
  Tensor bits;                  // of bernoulli_bits; undefined: nothing is dropped
  double keep_probability = 1;  // the elements that are kept are divided by it
};
// x (..., n) after such a draw: what dropout() would have returned.
Variable dropout(const Variable& x, const DropoutDraw& draw);

// The layer: it remembers p and whether it is in training.
struct Dropout {
  double p;
  bool training = true;

  // Throws Error unless p is from 0 to 1.
  explicit Dropout(double p = 0.5);
  Variable operator()(const Variable& x) const { return dropout(x, p, training); }
  // The draw for an x of this shape, from the default generator.
  DropoutDraw draw(const Shape& shape) const;

  void visit(auto&&) {}
  std::string summary() const;
};

}  // namespace heed::nn

namespace heed {
using nn::dropout;
}  // namespace heed
