#include "nn/loss.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "autograd/elementwise.h"
#include "autograd/indexing.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "nn/functional.h"
#include "tensor/core/factories.h"

namespace heed::nn {
namespace {

Variable reduce(const Variable& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::mean: return mean(losses);
    case Reduction::sum: return sum(losses);
    case Reduction::batchmean:
      fail("a loss: the reduction batchmean is for kl_div alone");
    case Reduction::none: break;
  }
  return losses;
}

void check_alike(const char* op, const Variable& a, const Variable& b,
                 const char* names = "prediction and target") {
  check_same_dtype(op, a.value(), b.value());
  check(a.shape() == b.shape(), "{}: {} must have equal shapes, got {} and {}", op, names,
        a.shape(), b.shape());
}

// Throws Error, with the first element that is wrong, unless `holds` is true everywhere.
void check_elements(const char* op, const char* must, const Tensor& x,
                    const Tensor& holds) {
  if (all(holds).item() == 1) return;
  const Tensor wrong = masked_select(x, logical_not(holds));
  fail("{}: {}, got {}", op, must, wrong[0].item());
}

// Targets beside scores: which dimension holds the classes, and which targets count.
struct Classes {
  int dim;
  Tensor ignored;  // bool, of the targets' shape
  Tensor target;   // with 0 where ignored, so that every one can be looked up
  Tensor weight;   // of each class; undefined if all are 1

  Classes(const char* op, const Variable& scores, const Tensor& targets,
          std::int64_t ignore_index, const Tensor& weight)
      : dim(scores.dim() == 1 ? 0 : 1), weight(weight) {
    check(scores.dim() >= 1, "{}: the scores need a dimension of classes, got {}", op,
          scores.shape());
    check_floating(op, scores.dtype());
    Shape expected = scores.shape();
    expected.erase(dim);
    check(targets.dtype() == int64, "{}: the targets must be classes, int64, got {}", op,
          name(targets.dtype()));
    check(targets.shape() == expected, "{}: the targets must have the shape {}, got {}{}",
          op, expected, targets.shape(),
          [&] { return hint(scores.shape(), targets.shape()); });
    if (weight.defined()) {
      check_same_dtype(op, scores.value(), weight);
      check(weight.shape() == Shape{scores.size(dim)},
            "{}: weight must have the shape {}, a number for each class, got {}", op,
            Shape{scores.size(dim)}, weight.shape());
    }
    ignored = targets == from_vector(std::vector<std::int64_t>{ignore_index}, {});
    target = masked_fill(targets, ignored, 0);
    const std::int64_t classes = scores.size(dim);
    if (target.numel() == 0) return;
    check(classes > 0, "{}: the scores must have a class, got {}", op, scores.shape());
    const double least = min(target).item(), most = max(target).item();
    check(least >= 0 && most < static_cast<double>(classes),
          "{}: the targets must be from 0 to {}, got {}", op, classes - 1,
          least < 0 ? least : most);
  }

  // The score of each target: scores without the classes' dimension.
  Variable pick(const Variable& scores) const {
    return squeeze(gather(scores, dim, unsqueeze(target, dim)), dim);
  }

  // -log_p of each target, times the weight of its class.
  Variable losses(const Variable& log_p) const {
    const Variable each = -pick(log_p);
    return weight.defined() ? each * weights() : each;
  }

  // The mean over all classes of what losses() would be for that class.
  Variable mean_losses(const Variable& log_p) const {
    if (!weight.defined()) return -mean(log_p, dim);
    Shape beside(log_p.shape());
    for (int i = 0; i < beside.rank(); ++i) beside[i] = i == dim ? weight.numel() : 1;
    return -mean(log_p * reshape(weight, beside), dim);
  }

  // The losses with 0 for ignored targets, which the mean does not count either.
  Variable reduce(const Variable& losses, Reduction reduction) const {
    const Variable counted = masked_fill(losses, ignored, 0);
    if (reduction != Reduction::mean) return nn::reduce(counted, reduction);
    const Tensor shares =
        weight.defined() ? masked_fill(weights(), ignored, 0) : logical_not(ignored);
    return heed::sum(counted) / heed::sum(shares).item();
  }

 private:
  // What to write for the scores of texts, (batch, length, classes).
  static std::string hint(const Shape& scores, const Shape& targets) {
    if (scores.rank() < 3 || targets.rank() != scores.rank() - 1) return {};
    for (int i = 0; i < targets.rank(); ++i) {
      if (targets[i] != scores[i]) return {};
    }
    return fmt::format(
        "; the classes are dimension 1 of the scores {}; reshape({{-1, {}}}) of them and "
        "flatten() of the targets would fit",
        scores, scores[-1]);
  }

  // The weight of each target's class.
  Tensor weights() const {
    return reshape(index_select(weight, 0, flatten(target)), target.shape());
  }
};

}  // namespace

Variable mse_loss(const Variable& prediction, const Variable& target,
                  LossOptions options) {
  check_alike("mse_loss", prediction, target);
  return reduce(square(prediction - target), options.reduction);
}

Variable l1_loss(const Variable& prediction, const Variable& target,
                 LossOptions options) {
  check_alike("l1_loss", prediction, target);
  return reduce(abs(prediction - target), options.reduction);
}

Variable huber_loss(const Variable& prediction, const Variable& target,
                    HuberOptions options) {
  check_alike("huber_loss", prediction, target);
  const double delta = options.delta;
  check(delta > 0 && std::isfinite(delta),
        "huber_loss: delta must be positive and finite, got {}", delta);
  check_floating("huber_loss", prediction.dtype());
  // d² / 2 where c = d, and delta (|d| - delta / 2) where c = ±delta. So no branch that
  // is not taken can overflow.
  const Variable d = prediction - target, c = clamp(d, -delta, delta);
  return reduce(c * (d - c / 2), options.reduction);
}

Variable smooth_l1_loss(const Variable& prediction, const Variable& target,
                        SmoothL1Options options) {
  check_alike("smooth_l1_loss", prediction, target);
  check(options.beta >= 0 && std::isfinite(options.beta),
        "smooth_l1_loss: beta must be finite and not negative, got {}", options.beta);
  check_floating("smooth_l1_loss", prediction.dtype());
  const double beta = dispatch(prediction.dtype(), [&]<class T>() {
    return static_cast<double>(fitting<T>("smooth_l1_loss: beta", options.beta));
  });
  if (beta == 0) return l1_loss(prediction, target, options.reduction);
  // d² / (2 beta) where c = d / beta, and |d| - beta / 2 where c = ±1. Nothing is divided
  // by beta but d, so a tiny or huge beta neither overflows nor loses the gradient.
  const Variable d = prediction - target, c = clamp(d / beta, -1, 1);
  return reduce(c * (d - c * (beta / 2)), options.reduction);
}

Variable binary_cross_entropy(const Variable& p, const Variable& target,
                              LossOptions options) {
  check_alike("binary_cross_entropy", p, target);
  check_floating("binary_cross_entropy", p.dtype());
  check_elements("binary_cross_entropy",
                 "the probabilities must be from 0 to 1 (for logits take "
                 "binary_cross_entropy_with_logits)",
                 p.value(), (p.value() >= 0) & (p.value() <= 1));
  check_elements("binary_cross_entropy", "the targets must be from 0 to 1",
                 target.value(), (target.value() >= 0) & (target.value() <= 1));
  const auto least = [](const auto& log_p) { return clamp(log_p, -100, std::nullopt); };
  const auto losses = [&](const auto& p, const auto& t) {
    return (t - 1) * least(log1p(-p)) - t * least(log(p));
  };
  // The rules are written out, because the derivative of log at 0 is infinite; p (1 - p)
  // is at least 1e-12, as in PyTorch.
  return reduce(
      record(
          {"binary_cross_entropy", "dp = g (p - t) / (p (1 - p)),  dt = g log((1-p)/p)"},
          losses(p.value(), target.value()),
          rule(p, save(p, target),
               [](auto& g, auto& p, auto& t) {
                 return g * (p - t) / clamp(p * (1 - p), 1e-12, std::nullopt);
               }),
          rule(target, save(p),
               [least](auto& g, auto& p) {
                 return g * (least(log1p(-p)) - least(log(p)));
               })),
      options.reduction);
}

Variable binary_cross_entropy_with_logits(const Variable& logits, const Variable& target,
                                          const BceOptions& options) {
  check_alike("binary_cross_entropy_with_logits", logits, target);
  check_floating("binary_cross_entropy_with_logits", logits.dtype());
  const bool weighted = options.pos_weight.defined();
  const Tensor w = weighted ? options.pos_weight : ones({}, logits.dtype());
  check(broadcasts_to(w.shape(), logits.shape()),
        "binary_cross_entropy_with_logits: pos_weight must broadcast to the logits {}, "
        "got {}",
        logits.shape(), w.shape());
  // 1 - σ(x) is σ(-x): for targets from 0 to 1 the loss is a sum of two terms that are
  // not negative, so that nothing cancels. The rules are written out because the
  // derivative by t is a difference, which near x = 0 would cancel: without weight it is
  // -x.
  const auto losses = [&w](const Tensor& x, const Tensor& t) {
    return (t - 1) * logsigmoid(-x) - w * t * logsigmoid(x);
  };
  return reduce(
      record({"binary_cross_entropy_with_logits",
              "dx = g ((1-t) σ(x) - w t σ(-x)),  dt = g (log σ(-x) - w log σ(x))"},
             losses(logits.value(), target.value()),
             rule(logits, save(logits, target, w),
                  [](auto& g, auto& x, auto& t, auto& w) {
                    return g * ((1 - t) * sigmoid(x) - w * t * sigmoid(-x));
                  }),
             rule(target, save(logits, w),
                  [weighted](auto& g, auto& x, auto& w) {
                    return weighted ? g * (logsigmoid(-x) - w * logsigmoid(x)) : -g * x;
                  })),
      options.reduction);
}

Variable kl_div(const Variable& input, const Variable& target, KlDivOptions options) {
  check_alike("kl_div", input, target);
  check_floating("kl_div", input.dtype());
  // 1 in the place of a target of 0: its logarithm is multiplied by 0.
  const auto log_of = [](const Variable& t) {
    return log(masked_fill(t, t.value() == 0, 1));
  };
  const Variable losses = options.log_target ? exp(target) * (target - input)
                                             : target * (log_of(target) - input);
  if (options.reduction != Reduction::batchmean) return reduce(losses, options.reduction);
  check(losses.dim() >= 1, "kl_div: batchmean needs a dimension of examples");
  return sum(losses) / static_cast<double>(losses.size(0));
}

Variable triplet_margin_loss(const Variable& anchor, const Variable& positive,
                             const Variable& negative, TripletMarginOptions options) {
  const char* const op = "triplet_margin_loss";
  check_alike(op, anchor, positive, "anchor and positive");
  check_alike(op, anchor, negative, "anchor and negative");
  check(options.margin > 0, "{}: margin must be positive, got {}", op, options.margin);
  const auto distance = [&](const Variable& x) {
    return pairwise_distance(anchor, x, options.p, options.eps);
  };
  return reduce(relu(options.margin + distance(positive) - distance(negative)),
                options.reduction);
}

Variable margin_ranking_loss(const Variable& input1, const Variable& input2,
                             const Variable& target, MarginOptions options) {
  const char* const op = "margin_ranking_loss";
  check_alike(op, input1, input2, "input1 and input2");
  if (is_floating(target.dtype())) {
    check_same_dtype(op, input1.value(), target.value());
  }
  check(target.shape() == input1.shape(),
        "{}: the targets must have the shape {}, got {}", op, input1.shape(),
        target.shape());
  return reduce(relu(-target * (input1 - input2) + options.margin), options.reduction);
}

Variable cosine_embedding_loss(const Variable& input1, const Variable& input2,
                               const Variable& target, MarginOptions options) {
  const char* const op = "cosine_embedding_loss";
  check_alike(op, input1, input2, "input1 and input2");
  check(input1.dim() == 1 || input1.dim() == 2,
        "{}: the inputs must be (n, d) or (d), got {}", op, input1.shape());
  Shape rows = input1.shape();
  rows.erase(rows.rank() - 1);
  check(target.shape() == rows, "{}: the targets must have the shape {}, got {}", op,
        rows, target.shape());
  const Tensor alike = target.value() == 1;
  check_elements(op, "the targets must be 1 or -1", target.value(),
                 alike | (target.value() == -1));
  // 1e-12 where PyTorch has it: its numbers, and finite derivatives for rows of zeros.
  const auto squares = [](const Variable& x) { return sum(square(x), -1) + 1e-12; };
  const Variable cosine =
      sum(input1 * input2, -1) / sqrt(squares(input1) * squares(input2));
  return reduce(where(alike, 1 - cosine, relu(cosine - options.margin)),
                options.reduction);
}

Variable nll_loss(const Variable& log_probabilities, const Tensor& target,
                  const NllOptions& options) {
  const Classes classes("nll_loss", log_probabilities, target, options.ignore_index,
                        options.weight);
  return classes.reduce(classes.losses(log_probabilities), options.reduction);
}

Variable cross_entropy(const Variable& logits, const Tensor& target,
                       const CrossEntropyOptions& options) {
  const double smoothing = options.label_smoothing;
  check(0 <= smoothing && smoothing <= 1,
        "cross_entropy: label_smoothing must be from 0 to 1, got {}", smoothing);
  const Classes classes("cross_entropy", logits, target, options.ignore_index,
                        options.weight);
  const Variable log_p = log_softmax(logits, classes.dim);
  const Variable loss = classes.reduce(classes.losses(log_p), options.reduction);
  if (smoothing == 0) return loss;
  const Variable smooth = classes.reduce(classes.mean_losses(log_p), options.reduction);
  return (1 - smoothing) * loss + smoothing * smooth;
}

}  // namespace heed::nn
