// Derivatives of functions as torch.autograd and torch.autograd.functional give them.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// backward() of the sum of several values of one element, such as losses that share a
// part of the model. Throws Error as that does, and for no values.
void backward(const std::vector<Variable>& values, BackwardOptions options = {});

// The derivatives of all elements of f(x) by all elements of x: the shape of f(x), then
// that of x. One backward for each element of f(x). Under NoGrad too. Throws Error when
// x is not floating, and as backward() does.
Tensor jacobian(const std::function<Variable(const Variable&)>& f, const Tensor& x);

// The second derivatives of f(x), which has one element: x's shape twice. Throws Error
// when f(x) has more, and as jacobian() does.
Tensor hessian(const std::function<Variable(const Variable&)>& f, const Tensor& x);

}  // namespace heed
