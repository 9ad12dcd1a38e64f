// Reverse mode in words and numbers.
#pragma once

#include <string>

#include "autograd/variable.h"

namespace heed {

// A backward pass from `y`, node by node in the order of the pass, as text of several
// lines: the op, the formula of its derivative, the gradient g of its result, and what it
// gives to each input: few elements as they are, more as their norm (the root of the sum
// of squares). Says where gradients met and were added, and where one was summed because
// the op had broadcast its input. `names`, such as nn::named_parameters(model), names
// leaves. Keeps the graph and touches no grad(). Throws Error as backward() does.
std::string explain(const Variable& y, const NamedVariables& names = {});

}  // namespace heed
