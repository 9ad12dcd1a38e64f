// Clipping gradients, between backward() and step(): one batch with a very large gradient
// could undo many steps, so the gradient is shortened, or each of its elements is.
#pragma once

#include <vector>

#include "autograd/variable.h"

namespace heed::optim {

// Scales the gradients of the parameters, all by one factor, so that their norm is at
// most max_norm, and returns the norm that they had: the square root of the sum of the
// squares of all their elements. The factor is max_norm / (norm + 1e-6), as PyTorch's;
// parameters without a gradient do not count. A NaN makes the norm and all gradients NaN;
// an infinity makes the norm infinite, itself NaN and the finite gradients 0. Throws
// Error unless max_norm is positive.
// (Pascanu, Mikolov and Bengio, 2013)
double clip_grad_norm_(const std::vector<Variable>& parameters, double max_norm);
// Brings every element of the parameters' gradients between -clip_value and clip_value;
// a NaN stays. Throws Error unless clip_value is positive.
void clip_grad_value_(const std::vector<Variable>& parameters, double clip_value);

}  // namespace heed::optim
