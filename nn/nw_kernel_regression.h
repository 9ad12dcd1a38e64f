// Nadaraya-Watson kernel regression with a kernel whose width is learned: attention in
// its simplest form.   (Nadaraya, 1964; Watson, 1964)
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// f(x) = Σ_i softmax_i(-((x - x_i) w)² / 2) y_i
//
// The query x attends to the keys x_i: the nearer a key, the more its value y_i counts.
// softmax makes the Gaussian kernel's weights sum to one; the one parameter w, drawn
// uniformly from [0, 1), is the inverse of the kernel's width.
struct NWKernelRegression {
  Variable w;                // (1)
  Tensor attention_weights;  // (queries, keys), of the last call

  explicit NWKernelRegression(DType dtype = float32);

  // queries (n), keys (n, m) and values (n, m): each query has m keys and values of its
  // own. Returns (n). Throws Error when the shapes do not fit.
  Variable operator()(const Variable& queries, const Variable& keys,
                      const Variable& values);

  void visit(auto&& f) { f("w", w); }
};

}  // namespace heed::nn
