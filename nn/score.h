// Scores: how well a key fits a query, before softmax makes weights of them. A score is
// a struct with its parameters, if it has any, and a formula:
//
//   score(query, key, pairs):  (..., n, d), (..., m, d)  ->  (..., n, m)
//
// with equal leading dimensions; shapes that do not fit throw Error. Usually `pairs` is
// undefined, and all pairs count. But where a mask hides something, and a number is NaN
// or infinite, attention calls the formula again with the pairs that the mask leaves:
// `pairs`, bool, broadcasts to (..., n, m). Then a pair that is left out must add nothing
// to any gradient, even if its query or key is NaN; its score may be anything. For x
// (..., n, m, d), where(unsqueeze(pairs, -1), x, 0) selects; for dot products DotScore
// does.
#pragma once

#include <functional>
#include <optional>
#include <variant>

#include "autograd/variable.h"

namespace heed::nn {

// s = scale q·k                                       (Vaswani et al., 2017)
//
// The factor is `scale`, or 1 / temperature; 1/√d if neither is given. A dot product of d
// numbers of variance 1 has the variance d; divided by √d its size no longer depends on
// d, and softmax does not give nearly everything to one key.
struct DotScore {
  std::optional<double> scale = {};
  std::optional<double> temperature = {};

  // The factor for queries of d features. Throws Error when both a scale and a
  // temperature are given, or one is not a positive number of the dtype.
  double factor(std::int64_t d, DType dtype) const;
  // Throws Error as factor() does.
  Variable operator()(const Variable& query, const Variable& key,
                      const Tensor& pairs = {}) const;
};

// s = Σ_c w_c tanh(q_c + k_c), w (d)                  (Bahdanau, Cho and Bengio, 2015)
struct AdditiveScore {
  Variable w;

  // Throws Error when w does not fit.
  Variable operator()(const Variable& query, const Variable& key,
                      const Tensor& pairs = {}) const;
};

// s = -‖(q - k) w‖² / 2, w of one element             (Nadaraya, 1964; Watson, 1964)
//
// Its softmax is a Gaussian kernel of width 1 / w, normalised.
struct GaussianScore {
  Variable w;

  // Takes memory for the differences, (..., n, m, d). Throws Error unless w has one
  // element.
  Variable operator()(const Variable& query, const Variable& key,
                      const Tensor& pairs = {}) const;
};

// s = -scale ‖q - k‖; scale is 1/√d if none is given. The nearest key has the largest
// weight, as with a Gaussian, but far ones count for more.
struct DistanceScore {
  std::optional<double> scale = {};

  // Takes memory for the differences, (..., n, m, d). Throws Error when the scale is not
  // a positive number of the dtype.
  Variable operator()(const Variable& query, const Variable& key,
                      const Tensor& pairs = {}) const;
};

// Any score above, or a formula of your own. Attention with DotScore has kernels of its
// own, and so has attention with GaussianScore of single numbers; nn/GUIDE.md tells when
// they are used. Every other score, AdditiveScore and DistanceScore too, becomes a
// ScoreFormula, which attention composes with softmax and values. A formula captures its
// parameters: a copy of a Variable shares its value, so training changes them. Its scores
// must be (..., n, m), of the query's dtype.
using ScoreFormula =
    std::function<Variable(const Variable&, const Variable&, const Tensor&)>;
using Score = std::variant<DotScore, GaussianScore, ScoreFormula>;

}  // namespace heed::nn
