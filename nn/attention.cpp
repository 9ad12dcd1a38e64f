#include "nn/attention.h"

#include "autograd/fused.h"
#include "autograd/views.h"
#include "nn/masked.h"
#include "tensor/attention/attention.h"
#include "tensor/attention/gaussian_attention.h"
#include "tensor/reduce/reductions.h"

namespace heed::nn {
namespace {

// What attention is computed from. The leading dimensions are equal, those of the scores;
// but where values have more they keep theirs, because they take no part in the scores.
struct Expanded {
  Variable query, key, value;
  Mask::OnScores mask;
  DropoutDraw draw;
};

Variable compute_scores(const Score& score, const Variable& query, const Variable& key,
                        const Tensor& pairs) {
  const Variable scores =
      std::visit([&](const auto& f) { return f(query, key, pairs); }, score);
  const Shape expected = append(without_last(query.shape(), 1), {key.size(-2)});
  check(scores.shape() == expected && scores.dtype() == query.dtype(),
        "attention: the score must give (..., n, m) = {} of {}, got {} of {}", expected,
        name(query.dtype()), scores.shape(), name(scores.dtype()));
  return scores;
}

// Attention as its formula says: every score and weight in memory, any score, any mask.
//
// A hidden score is computed like the others, then replaced by -inf, and after the
// softmax its weight is set to 0; so its gradient is 0, and the backward multiplies this
// 0 by numbers of its query and key. If one of them is NaN or infinite, the product is
// NaN: then the scores are computed again, from only the pairs that the mask leaves.
// masked_values (masked.cpp) does the same for hidden values.
Attention composed(const Score& score, const Expanded& x) {
  const auto& [query, key, value, mask, draw] = x;
  Variable scores = compute_scores(score, query, key, {});  // (..., n, m)
  if (mask.may_hide() && !(all_finite(query.value()) && all_finite(key.value()) &&
                           all_finite(scores.value()))) {
    const Tensor pairs = score_pairs(mask, query.size(-2), key.size(-2));
    scores = compute_scores(score, query, key, pairs);
  }
  const Variable weights = masked_weights(scores, mask);  // (..., n, m)
  const Variable dropped = dropout(weights, draw);        // (..., n, m)
  return {masked_values(dropped, value, mask), weights};  // (..., n, dv)
}

// Attention by the kernels of tensor/attention/attention.h. The gradients are derived in
// attention_backward.cpp beside it.
//
// A backward with create_graph differentiates composed() in place of the kernels, on the
// same inputs.
Variable fused(const DotScore& score, const Expanded& x, Tensor* weights) {
  const auto& [query, key, value, mask, draw] = x;
  const double scale = score.factor(query.size(-1), query.dtype());
  const Variable lens = mask.lens, keep = mask.keep, bias = mask.bias, bits = draw.bits;
  const AttentionResult y = scaled_dot_product_attention(
      query.value(), key.value(), value.value(),
      {mask.lens, mask.keep, mask.bias, draw.bits, draw.keep_probability}, scale,
      weights);
  return record_fused(
      draw.bits.defined()
          ? OpInfo{"scaled_dot_product_attention_dropout",
                   "dQ = scale dS K,  dK = scale dSᵀ Q,  dV = (F ∘ P)ᵀ g  with the "
                   "weights P, dropout's factors F, dP = F ∘ (g Vᵀ), "
                   "dS = P ∘ (dP - rowsum(dP ∘ P))"}
          : OpInfo{"scaled_dot_product_attention",
                   "dQ = scale dS K,  dK = scale dSᵀ Q,  dV = Pᵀ g  with the weights P, "
                   "dP = g Vᵀ, dS = P ∘ (dP - rowsum(dP ∘ P))"},
      y.output, inputs(query, key, value, lens, keep, bias, bits),
      save(result, y.largest, y.inverse_sums, y.kept_weights),
      [score, policy = x.mask.empty_rows,
       keep_probability = x.draw.keep_probability](const std::array<Variable, 7>& in) {
        const auto& [query, key, value, lens, keep, bias, bits] = in;
        const Mask::OnScores mask{lens.value(), keep.value(), bias.value(), policy};
        const DropoutDraw draw{bits.value(), keep_probability};
        return composed(score, {query, key, value, mask, draw}).output;
      },
      [scale, keep_probability = x.draw.keep_probability](
          const Tensor& g, const std::array<bool, 7>& wanted,
          const std::array<Tensor, 7>& in, const std::array<Tensor, 4>& saved) {
        const auto& [query, key, value, lens, keep, bias, bits] = in;
        const auto& [output, largest, inverse_sums, weights] = saved;
        const auto [dQ, dK, dV] = scaled_dot_product_attention_backward(
            g, query, key, value, {lens, keep, bias, bits, keep_probability}, scale,
            {output, largest, inverse_sums, weights}, {wanted[0], wanted[1], wanted[2]});
        return std::array<Tensor, 7>{dQ, dK, dV};  // the others are constants
      });
}

// Attention by the kernels of tensor/attention/gaussian_attention.h, of numbers that
// attend to numbers, each query to keys of its own: (..., 1, 1) to (..., m, 1).
Variable fused(const GaussianScore& score, const Expanded& x, Tensor* weights) {
  const auto& [query, key, value, mask, draw] = x;
  const GaussianAttentionResult y =
      gaussian_attention(query.value(), key.value(), value.value(), score.w.value());
  if (weights) *weights = y.weights;
  return record_fused(
      {"gaussian_attention",
       "dQ = -w² Σ ds d,  dK = w² ds d,  dV = g p,  dw = -w Σ ds d²  with d = q - k, "
       "ds = p (g v - g o)"},
      y.output, inputs(query, key, value, score.w),
      save(result, y.weights, y.by_query, y.by_w),
      [](const std::array<Variable, 4>& in) {
        const auto& [query, key, value, w] = in;
        return composed(GaussianScore{w}, {query, key, value, {}, {}}).output;
      },
      [](const Tensor& g, const std::array<bool, 4>& wanted,
         const std::array<Tensor, 4>& in, const std::array<Tensor, 4>& saved) {
        const auto& [query, key, value, w] = in;
        const auto& [output, weights, by_query, by_w] = saved;
        const auto [dq, dk, dv, dw] = gaussian_attention_backward(
            g, query, key, value, w, {output, weights, by_query, by_w},
            {wanted[1], wanted[2]});
        return std::array<Tensor, 4>{dq, dk, dv, dw};
      });
}

Expanded expanded(const Score& score, const Variable& query, const Variable& key,
                  const Variable& value, const Mask& mask, const Dropout& dropout) {
  const auto* const formula = std::get_if<ScoreFormula>(&score);
  check(!formula || *formula, "attention: the score is an empty function");
  check(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2 &&
            (formula || query.size(-1) == key.size(-1)) && key.size(-2) == value.size(-2),
        "attention: query (..., n, d), key (..., m, d) and value (..., m, dv) of two "
        "dimensions or more, got {}, {} and {}",
        query.shape(), key.shape(), value.shape());
  check(query.dtype() == key.dtype() && key.dtype() == value.dtype() &&
            is_floating(query.dtype()),
        "attention: query, key and value must have one floating dtype, got {}, {} and {}",
        name(query.dtype()), name(key.dtype()), name(value.dtype()));
  const auto lead = [](const Variable& x) { return without_last(x.shape(), 2); };
  const char* const what = "attention, all but the last two dimensions";
  const Shape batch = broadcast(what, lead(query), lead(key));
  const bool values_fit = broadcast(what, batch, lead(value)) == batch;
  const auto widened = [&](const Variable& x) {
    if (lead(x) == batch) return x;
    return expand(x, append(batch, {x.size(-2), x.size(-1)}));
  };
  const Shape scores = append(batch, {query.size(-2), key.size(-2)});
  return {widened(query), widened(key), values_fit ? widened(value) : value,
          mask_on(mask, scores, query.dtype()), dropout.draw(scores)};
}

// Whether the kernels can compute this attention, whatever the score. The leading
// dimensions of the values must be those of the scores. If anything may be hidden, all
// numbers must be finite: the kernels multiply what is hidden by 0. They give zeros to a
// query without a key (all keys are hidden, or there are none), so unless the mask asks
// for zeros there must be no such query: only lengths are quick enough to look at.
bool fused_fits(const Expanded& x) {
  const auto& [query, key, value, mask, draw] = x;
  if (without_last(query.shape(), 2) != without_last(value.shape(), 2)) return false;
  if (!mask.may_hide() && key.size(-2) > 0) return true;
  // With EmptyRows::error there is no such query: mask_on() has thrown Error for it.
  const bool empty_rows_fit =
      mask.empty_rows == EmptyRows::zero || mask.empty_rows == EmptyRows::error ||
      (mask.lens.defined() && !mask.keep.defined() && key.size(-2) > 0 &&
       (mask.lens.numel() == 0 || min(mask.lens).item() > 0));
  return empty_rows_fit && all_finite(query.value()) && all_finite(key.value()) &&
         all_finite(value.value());
}

// Whether each query is one number, with keys and values of its own, all of which count.
bool single_numbers(const GaussianScore& score, const Expanded& x) {
  return x.query.size(-2) == 1 && x.query.size(-1) == 1 && x.value.size(-1) == 1 &&
         score.w.numel() == 1 && !x.mask.may_hide() && !x.mask.bias.defined() &&
         !x.draw.bits.defined();
}

}  // namespace

Variable masked_softmax(const Variable& scores, const Mask& mask) {
  check(is_floating(scores.dtype()), "masked_softmax: scores must be floating, got {}",
        name(scores.dtype()));
  return masked_weights(scores, mask_on(mask, scores.shape(), scores.dtype()));
}

Variable masked_softmax(const Variable& scores, const Tensor& valid_lens) {
  return masked_softmax(scores, Mask::valid_lens(valid_lens));
}

Attention attention(const Score& score, const Variable& query, const Variable& key,
                    const Variable& value, const Mask& mask, const Dropout& dropout) {
  return composed(score, expanded(score, query, key, value, mask, dropout));
}

Attention attention(const Variable& query, const Variable& key, const Variable& value,
                    const Mask& mask, const Dropout& dropout) {
  return attention(DotScore{}, query, key, value, mask, dropout);
}

Variable attend(const Score& score, const Variable& query, const Variable& key,
                const Variable& value, const Mask& mask, const Dropout& dropout,
                Tensor* weights) {
  const Expanded x = expanded(score, query, key, value, mask, dropout);
  if (fused_fits(x)) {
    if (const auto* dot = std::get_if<DotScore>(&score)) return fused(*dot, x, weights);
    const auto* const gaussian = std::get_if<GaussianScore>(&score);
    if (gaussian && single_numbers(*gaussian, x)) return fused(*gaussian, x, weights);
  }
  const Attention result = composed(score, x);
  if (weights) *weights = result.weights.value();
  return result.output;
}

Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value, const Mask& mask,
                                      const Dropout& dropout) {
  return attend(DotScore{}, query, key, value, mask, dropout);
}

Variable scaled_dot_product_attention(const Variable& query, const Variable& key,
                                      const Variable& value, const Mask& mask,
                                      const ScaledDotProductOptions& options) {
  return attend(DotScore{.scale = options.scale}, query, key, value,
                options.is_causal ? mask & Mask::causal(CausalAlign::top_left) : mask,
                Dropout(options.dropout_p));
}

}  // namespace heed::nn
