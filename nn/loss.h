// Losses. All throw Error when the shapes or dtypes do not fit: nothing is broadcast
// silently. The mean or the sum of the losses has the shape ().
#pragma once

#include "autograd/variable.h"

namespace heed::nn {

// What becomes of the losses of the elements.
// batchmean, the sum over the first size, is kl_div's alone.
enum class Reduction { none, mean, sum, batchmean };

// A Reduction alone, or {.reduction = Reduction::sum} as for the other losses.
struct LossOptions {
  Reduction reduction = Reduction::mean;
};

// (prediction - target)²: the two have one shape, and with `none` so has the result.
Variable mse_loss(const Variable& prediction, const Variable& target,
                  LossOptions options = {});
inline Variable mse_loss(const Variable& prediction, const Variable& target,
                         Reduction reduction) {
  return mse_loss(prediction, target, LossOptions{reduction});
}
// |prediction - target|, likewise.
Variable l1_loss(const Variable& prediction, const Variable& target,
                 LossOptions options = {});
inline Variable l1_loss(const Variable& prediction, const Variable& target,
                        Reduction reduction) {
  return l1_loss(prediction, target, LossOptions{reduction});
}

// d²/2 for |d| <= delta, else delta (|d| - delta/2), d = prediction - target; shapes as
// above. Throws Error unless delta is positive and finite.     (Huber, 1964)
struct HuberOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1;
};
Variable huber_loss(const Variable& prediction, const Variable& target,
                    HuberOptions options = {});

// d²/(2 beta) for |d| < beta, else |d| - beta/2: huber_loss / beta, and l1_loss for a
// beta of 0, or one that the dtype rounds to 0. Throws Error unless beta is finite, in
// the dtype too, and not negative.     (Girshick, 2015)
struct SmoothL1Options {
  Reduction reduction = Reduction::mean;
  double beta = 1;
};
Variable smooth_l1_loss(const Variable& prediction, const Variable& target,
                        SmoothL1Options options = {});

// -(t log p + (1 - t) log(1 - p)) for probabilities p and targets t of one shape and
// dtype; the logarithms are at least -100, as in PyTorch. With logits the function below
// is exact where σ rounds p to 0 or 1. Throws Error for a p or t that is not from 0 to 1.
Variable binary_cross_entropy(const Variable& p, const Variable& target,
                              LossOptions options = {});
inline Variable binary_cross_entropy(const Variable& p, const Variable& target,
                                     Reduction reduction) {
  return binary_cross_entropy(p, target, LossOptions{reduction});
}

// -(pos_weight t log σ(x) + (1 - t) log(1 - σ(x))) for logits x and targets t of one
// shape; t is a probability, of x's dtype. pos_weight broadcasts to the shape.
struct BceOptions {
  Reduction reduction = Reduction::mean;
  Tensor pos_weight = {};  // undefined: 1
};
Variable binary_cross_entropy_with_logits(const Variable& logits, const Variable& target,
                                          const BceOptions& options = {});

struct NllOptions {
  // A factor of the losses of each class (classes), of their dtype; undefined: 1. The
  // mean divides by the sum of the factors.
  Tensor weight = {};
  // Targets of this value count neither in the loss nor in the mean's divisor.
  std::int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
};

// -log_probabilities[target], for log-probabilities of the shape (classes), (n, classes)
// or (n, classes, ...), and int64 targets of the same shape without `classes`.
// Throws Error for a target that is neither a class nor ignored, and for a weight that
// does not fit.
Variable nll_loss(const Variable& log_probabilities, const Tensor& target,
                  const NllOptions& options = {});

struct CrossEntropyOptions {
  Tensor weight = {};  // these three as in NllOptions
  std::int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
  // This much of each target's probability is spread evenly over all classes.
  // (Szegedy et al., 2016)
  double label_smoothing = 0;
};

// nll_loss of log_softmax(logits) over the classes. Shapes as nll_loss has them. Throws
// Error unless label_smoothing is from 0 to 1.
Variable cross_entropy(const Variable& logits, const Tensor& target,
                       const CrossEntropyOptions& options = {});

// target (log target - input), of log-probabilities `input`: the Kullback-Leibler
// divergence, if summed over the classes. PyTorch's arguments, and its mean over all
// elements as the default; Reduction::batchmean is the mean over the first dimension. A
// target of 0 has the loss 0.
struct KlDivOptions {
  Reduction reduction = Reduction::mean;
  bool log_target = false;  // the targets are logarithms too
};
Variable kl_div(const Variable& input, const Variable& target, KlDivOptions options = {});

// max(0, margin + |anchor - positive| - |anchor - negative|), with pairwise_distance() of
// the rows: (n, d), all three, to (n). Throws Error unless margin and p are positive.
// (Schroff et al., 2015)
struct TripletMarginOptions {
  double margin = 1;
  double p = 2;
  double eps = 1e-6;
  Reduction reduction = Reduction::mean;
};
Variable triplet_margin_loss(const Variable& anchor, const Variable& positive,
                             const Variable& negative, TripletMarginOptions options = {});

struct MarginOptions {
  double margin = 0;
  Reduction reduction = Reduction::mean;
};
// max(0, margin - target (input1 - input2)), of one shape: a target of 1 says that input1
// shall be the larger one, -1 that input2 shall.
Variable margin_ranking_loss(const Variable& input1, const Variable& input2,
                             const Variable& target, MarginOptions options = {});
// For rows (n, d) and targets (n): 1 - c where the target is 1, and max(0, c - margin)
// where it is -1, c being the cosine of their angle. Throws Error for other targets.
Variable cosine_embedding_loss(const Variable& input1, const Variable& input2,
                               const Variable& target, MarginOptions options = {});

// The losses as layers: nn::CrossEntropyLoss loss{{.label_smoothing = 0.1}};
struct MSELoss {
  LossOptions options = {};
  Variable operator()(const Variable& prediction, const Variable& target) const {
    return mse_loss(prediction, target, options);
  }
};
struct L1Loss {
  LossOptions options = {};
  Variable operator()(const Variable& prediction, const Variable& target) const {
    return l1_loss(prediction, target, options);
  }
};
struct HuberLoss {
  HuberOptions options = {};
  Variable operator()(const Variable& prediction, const Variable& target) const {
    return huber_loss(prediction, target, options);
  }
};
struct SmoothL1Loss {
  SmoothL1Options options = {};
  Variable operator()(const Variable& prediction, const Variable& target) const {
    return smooth_l1_loss(prediction, target, options);
  }
};
struct KLDivLoss {
  KlDivOptions options = {};
  Variable operator()(const Variable& input, const Variable& target) const {
    return kl_div(input, target, options);
  }
};
struct TripletMarginLoss {
  TripletMarginOptions options = {};
  Variable operator()(const Variable& anchor, const Variable& positive,
                      const Variable& negative) const {
    return triplet_margin_loss(anchor, positive, negative, options);
  }
};
struct MarginRankingLoss {
  MarginOptions options = {};
  Variable operator()(const Variable& input1, const Variable& input2,
                      const Variable& target) const {
    return margin_ranking_loss(input1, input2, target, options);
  }
};
struct CosineEmbeddingLoss {
  MarginOptions options = {};
  Variable operator()(const Variable& input1, const Variable& input2,
                      const Variable& target) const {
    return cosine_embedding_loss(input1, input2, target, options);
  }
};
struct BCELoss {
  LossOptions options = {};
  Variable operator()(const Variable& p, const Variable& target) const {
    return binary_cross_entropy(p, target, options);
  }
};
struct BCEWithLogitsLoss {
  BceOptions options = {};
  Variable operator()(const Variable& logits, const Variable& target) const {
    return binary_cross_entropy_with_logits(logits, target, options);
  }
};
struct NLLLoss {
  NllOptions options = {};
  Variable operator()(const Variable& log_probabilities, const Tensor& target) const {
    return nll_loss(log_probabilities, target, options);
  }
};
struct CrossEntropyLoss {
  CrossEntropyOptions options = {};
  Variable operator()(const Variable& logits, const Tensor& target) const {
    return cross_entropy(logits, target, options);
  }
};

}  // namespace heed::nn
