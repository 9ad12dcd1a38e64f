// What a case draws after its seed, as its recipe says:
//
//   torch.manual_seed(seed); x = randn; then W_q, W_k, W_v;
//   torch.manual_seed(dropout_seed) just before the forward pass
//
// Semicolons separate the steps, in their order: the seed; inputs and their distribution;
// last the seed of the dropout, which the forward pass sets. Any other step stands for
// the module, whose constructor draws its parameters. An input has the shape of the
// stored one, or of attr.NAME_shape.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/golden/case.h"

namespace heed::golden {

// How far float64 normals may be off: they pass through the C library's log, sin and cos.
// Everything else that is drawn is exact.
inline constexpr Tolerance library{1e-14, 2e-15};

// An input, and how near it must be to the stored one.
struct Drawn {
  Tensor value;
  Tolerance tolerance;
};
using DrawnInputs = std::map<std::string, Drawn>;

// Follows the recipe of the case, and returns the inputs it draws. Calls make_module()
// where the module is drawn: at the end, if no step says where. Throws CaseError for an
// input whose distribution does not read.
DrawnInputs follow_recipe(const Case& c, const std::function<void()>& make_module);

// The arguments of the call of `function` in `text`: "uniform_(-0.1, 0.3)" has two.
// Throws CaseError when there is no such call.
std::vector<std::string> call_arguments(const std::string& text,
                                        const std::string& function);

}  // namespace heed::golden
