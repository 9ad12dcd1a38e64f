// Checking derivatives against differences of values: for heed's ops and for your own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// A function of Variables:
//   [](const std::vector<Variable>& in) { return f(in[0]); }
using Function = std::function<Variable(const std::vector<Variable>&)>;

struct GradcheckOptions {
  std::string op = "function";  // its name in the report
  double step = 1e-3;           // of the differences, times max(1, |element|)
  double tolerance = 1e-6;      // on |analytic - numeric| / max(1, |analytic|, |numeric|)
  std::uint64_t seed = 0;       // of the weights of the result's elements
};

// What a check found. `worst` is the largest error; the rest says where it is.
struct GradcheckReport {
  bool ok = true;
  std::string op;
  double worst = 0;
  int input = 0;             // which input
  std::int64_t element = 0;  // which element of it, in row-major order
  double numeric = 0;
  double analytic = 0;
  bool suspected_kink = false;  // the one-sided differences disagree with each other

  // One line: "tanh: ok, worst error 2.1e-10" or the op, input, element and both values.
  std::string text() const;
};

// Compares the derivatives of f by every float64 input with central differences, four
// values each (their error is of fourth order). The result may have any shape: it is
// summed with random weights, so that errors which a plain sum would hide show.
// Inputs of other dtypes are constants. f must be a pure function of its inputs.
// Throws Error when an input is float32 (differences would not be exact enough) or there
// is no float64 input.
GradcheckReport gradcheck(const Function& f, const std::vector<Tensor>& inputs,
                          const GradcheckOptions& options = {});

// The same for the derivatives of the derivatives: gradcheck of the function that returns
// f's gradients for random weights, by the inputs and by the weights. The tolerance
// defaults to 1e-5.
GradcheckReport gradgradcheck(const Function& f, const std::vector<Tensor>& inputs,
                              GradcheckOptions options = {.tolerance = 1e-5});

}  // namespace heed
