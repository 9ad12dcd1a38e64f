// Checking derivatives against differences of values: for heed's ops and for your own.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/variable.h"

namespace heed {

// A function of the list of its inputs. gradcheck() also takes functions of one to three
// Variables.
using Function = std::function<Variable(const std::vector<Variable>&)>;

namespace detail {

// Throws Error unless a function of `wanted` Variables gets as many inputs.
void check_count(std::size_t wanted, std::size_t inputs);

template <class F, std::size_t... i>
Function of_list(F f, std::index_sequence<i...>) {
  return [f = std::move(f)](const std::vector<Variable>& in) mutable -> Variable {
    check_count(sizeof...(i), in.size());
    return f(in[i]...);
  };
}

// A function of one, two or three Variables as a function of their list.
template <class F>
Function of_list(F f) {
  using V = const Variable&;
  if constexpr (std::invocable<F&, V>) {
    return of_list(std::move(f), std::make_index_sequence<1>());
  } else if constexpr (std::invocable<F&, V, V>) {
    return of_list(std::move(f), std::make_index_sequence<2>());
  } else {
    static_assert(std::invocable<F&, V, V, V>,
                  "heed: the function must take one to three Variables, or a "
                  "const std::vector<Variable>&");
    return of_list(std::move(f), std::make_index_sequence<3>());
  }
}

}  // namespace detail

struct GradcheckOptions {
  std::string op = "function";  // its name in the report
  // The step of the differences, times max(1, |element|). PyTorch's default is 1e-6, of
  // differences of two values; these are of four, so a longer step is more exact.
  double eps = 1e-3;
  // |analytic - numeric| must be at most atol + rtol |numeric|.
  double atol = 1e-6;
  double rtol = 1e-6;
  std::uint64_t seed = 0;  // of the weights of the result's elements
};

// What a check found, of the element whose |analytic - numeric| exceeds its tolerance
// most, or comes nearest to it. `worst` is that error divided by the largest of 1 and
// both values.
struct GradcheckReport {
  bool ok = true;
  std::string op;
  double worst = 0;
  int input = 0;             // which input
  std::int64_t element = 0;  // which element of it, in row-major order
  double numeric = 0;
  double analytic = 0;
  bool suspected_kink = false;  // the one-sided differences disagree with each other

  explicit operator bool() const { return ok; }
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
// The same for a function that takes its inputs one by one: gradcheck(f, {x, y}).
template <class F>
requires(!std::convertible_to<F, Function>) GradcheckReport
    gradcheck(F f, const std::vector<Tensor>& inputs,
              const GradcheckOptions& options = {}) {
  return gradcheck(detail::of_list(std::move(f)), inputs, options);
}

// The same for the derivatives of the derivatives: gradcheck of the function that returns
// f's gradients for random weights, by the inputs and by the weights. The tolerances
// default to 1e-5.
GradcheckReport gradgradcheck(const Function& f, const std::vector<Tensor>& inputs,
                              GradcheckOptions options = {.atol = 1e-5, .rtol = 1e-5});
template <class F>
requires(!std::convertible_to<F, Function>) GradcheckReport
    gradgradcheck(F f, const std::vector<Tensor>& inputs,
                  GradcheckOptions options = {.atol = 1e-5, .rtol = 1e-5}) {
  return gradgradcheck(detail::of_list(std::move(f)), inputs, std::move(options));
}

}  // namespace heed
