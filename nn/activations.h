// The activation functions as layers without parameters, for Sequential.
#pragma once

#include <string>

#include "autograd/elementwise.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "nn/functional.h"

namespace heed::nn {

// Each computes the function of its name, of tensor/elementwise/elementwise.h,
// tensor/reduce/softmax.h, tensor/core/views.h or nn/functional.h.
// x itself
struct Identity {
  Variable operator()(const Variable& x) const { return x; }
  void visit(auto&&) {}
};
struct ReLU {
  Variable operator()(const Variable& x) const { return relu(x); }
  void visit(auto&&) {}
};
struct LeakyReLU {
  double negative_slope = 0.01;
  Variable operator()(const Variable& x) const { return leaky_relu(x, negative_slope); }
  void visit(auto&&) {}
  std::string summary() const;
};
struct ELU {
  double alpha = 1;
  Variable operator()(const Variable& x) const { return elu(x, alpha); }
  void visit(auto&&) {}
  std::string summary() const;
};
struct SELU {
  Variable operator()(const Variable& x) const { return selu(x); }
  void visit(auto&&) {}
};
struct CELU {
  double alpha = 1;
  Variable operator()(const Variable& x) const { return celu(x, alpha); }
  void visit(auto&&) {}
  std::string summary() const;
};
struct GELU {
  Gelu form = Gelu::exact;
  Variable operator()(const Variable& x) const { return gelu(x, form); }
  void visit(auto&&) {}
  std::string summary() const;
};
struct SiLU {
  Variable operator()(const Variable& x) const { return silu(x); }
  void visit(auto&&) {}
};
struct Mish {
  Variable operator()(const Variable& x) const { return mish(x); }
  void visit(auto&&) {}
};
struct Hardtanh {
  double min_val = -1, max_val = 1;
  Variable operator()(const Variable& x) const { return hardtanh(x, min_val, max_val); }
  void visit(auto&&) {}
  std::string summary() const;
};
struct ReLU6 {
  Variable operator()(const Variable& x) const { return relu6(x); }
  void visit(auto&&) {}
};
struct Hardsigmoid {
  Variable operator()(const Variable& x) const { return hardsigmoid(x); }
  void visit(auto&&) {}
};
struct Hardswish {
  Variable operator()(const Variable& x) const { return hardswish(x); }
  void visit(auto&&) {}
};
struct Softsign {
  Variable operator()(const Variable& x) const { return softsign(x); }
  void visit(auto&&) {}
};
struct GLU {
  int dim = -1;
  Variable operator()(const Variable& x) const { return glu(x, dim); }
  void visit(auto&&) {}
  std::string summary() const;
};
// log(1 + exp(beta x)) / beta
struct Softplus {
  double beta = 1;
  Variable operator()(const Variable& x) const { return softplus(beta * x) / beta; }
  void visit(auto&&) {}
  std::string summary() const;
};
struct Sigmoid {
  Variable operator()(const Variable& x) const { return sigmoid(x); }
  void visit(auto&&) {}
};
struct Tanh {
  Variable operator()(const Variable& x) const { return tanh(x); }
  void visit(auto&&) {}
};
struct Softmax {
  int dim = -1;
  Variable operator()(const Variable& x) const { return softmax(x, dim); }
  void visit(auto&&) {}
  std::string summary() const;
};
struct LogSoftmax {
  int dim = -1;
  Variable operator()(const Variable& x) const { return log_softmax(x, dim); }
  void visit(auto&&) {}
  std::string summary() const;
};
// (batch, ...) -> (batch, all others)
struct Flatten {
  int start_dim = 1, end_dim = -1;
  Variable operator()(const Variable& x) const { return flatten(x, start_dim, end_dim); }
  void visit(auto&&) {}
  std::string summary() const;
};

}  // namespace heed::nn
