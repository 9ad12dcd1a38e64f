#include "nn/score.h"

#include <algorithm>
#include <cmath>

#include "autograd/additive_scores.h"
#include "autograd/elementwise.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/views.h"
#include "nn/masked.h"

namespace heed::nn {
namespace {

// The factor. Throws Error, showing the user's `given`, unless it is a positive `dtype`.
double positive(std::string_view what, double given, double factor, DType dtype) {
  const double used = dtype == float32 ? static_cast<float>(factor) : factor;
  check(used > 0 && std::isfinite(used),
        "attention: the {} must be a positive {}, got {}", what, name(dtype), given);
  return factor;
}

double inverse_root(std::int64_t d) {
  return 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(d, 1)));
}

// q_i - k_j of the pairs, 0 of the others: (..., n, m, d).
Variable differences(const char* score, const Variable& query, const Variable& key,
                     const Tensor& pairs) {
  check(query.size(-1) == key.size(-1),
        "{}: query (..., n, d) and key (..., m, d), got {} and {}", score, query.shape(),
        key.shape());
  const Variable d = unsqueeze(query, -2) - unsqueeze(key, -3);
  return pairs.defined() ? where(unsqueeze(pairs, -1), d, 0) : d;
}

}  // namespace

double DotScore::factor(std::int64_t d, DType dtype) const {
  check(!scale || !temperature, "attention: a scale or a temperature, got both");
  if (scale) return positive("scale", *scale, *scale, dtype);
  if (temperature) return positive("temperature", *temperature, 1 / *temperature, dtype);
  return inverse_root(d);
}

Variable DotScore::operator()(const Variable& query, const Variable& key,
                              const Tensor& pairs) const {
  return factor(query.size(-1), query.dtype()) *
         (pairs.defined() ? pair_products(query, key, pairs)
                          : matmul(query, transpose(key, -2, -1)));
}

Variable AdditiveScore::operator()(const Variable& query, const Variable& key,
                                   const Tensor& pairs) const {
  // A fused op; its formula in ops is composed_additive_scores in
  // autograd/additive_scores.cpp.
  return additive_scores(query, key, w, pairs);
}

Variable GaussianScore::operator()(const Variable& query, const Variable& key,
                                   const Tensor& pairs) const {
  check(w.numel() == 1, "GaussianScore: w must have one element, got {}", w.shape());
  const Variable d = differences("GaussianScore", query, key, pairs) * reshape(w, {});
  return -0.5 * sum(square(d), -1);
}

Variable DistanceScore::operator()(const Variable& query, const Variable& key,
                                   const Tensor& pairs) const {
  const double factor = scale ? positive("scale", *scale, *scale, query.dtype())
                              : inverse_root(query.size(-1));
  return -factor * norm(differences("DistanceScore", query, key, pairs), {-1});
}

}  // namespace heed::nn
