#include "nn/functional.h"

#include <algorithm>
#include <limits>

#include "autograd/elementwise.h"
#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/layer_norm.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/views.h"

namespace heed::nn {
namespace {

// The dimensions to normalise over. Throws Error, naming the function, unless the shape
// ends with `normalized`.
Dims last_dims(const char* op, const Shape& shape, const Shape& normalized) {
  check(normalized.rank() > 0, "{}: there must be a size to normalise over, got ()", op);
  const int lead = shape.rank() - normalized.rank();
  bool fits = lead >= 0;
  Dims last;
  for (int i = 0; fits && i < normalized.rank(); ++i) {
    fits = shape[lead + i] == normalized[i];
    last.push_back(lead + i);
  }
  check(fits, "{}: the last sizes of the input must be {}, got {}", op, normalized,
        shape);
  return last;
}

// Along the joined last dimensions; weight and bias may be undefined.
Variable norm_joined(const Variable& x, const Shape& normalized, const Variable& weight,
                     const Variable& bias, double eps) {
  const std::int64_t lead = last_dims("layer_norm", x.shape(), normalized)[0];
  if (normalized.rank() == 1) return heed::layer_norm(x, weight, bias, eps);
  const Variable rows = flatten(x, lead);  // (..., joined)
  const auto joined = [](const Variable& p) { return p.defined() ? flatten(p) : p; };
  return reshape(heed::layer_norm(rows, joined(weight), joined(bias), eps), x.shape());
}

// `names` are the parameters that the function takes.
void check_parameter(const char* op, const char* names, const Variable& parameter,
                     const Shape& normalized_shape) {
  check(parameter.shape() == normalized_shape, "{}: {} must have the shape {}, got {}",
        op, names, normalized_shape, parameter.shape());
}

void check_ids(const Tensor& ids, std::int64_t rows) {
  check(ids.dtype() == int64, "embedding: ids must be int64, got {}", name(ids.dtype()));
  for (const std::int64_t id : ids.to_vector<std::int64_t>()) {
    check(0 <= id && id < rows, "embedding: ids must be from 0 to {}, got {}", rows - 1,
          id);
  }
}

}  // namespace

Variable layer_norm(const Variable& x, const Shape& normalized_shape, double eps) {
  return norm_joined(x, normalized_shape, {}, {}, eps);
}

Variable layer_norm(const Variable& x, const Shape& normalized_shape,
                    const Variable& weight, double eps) {
  check_parameter("layer_norm", "weight and bias", weight, normalized_shape);
  return norm_joined(x, normalized_shape, weight, {}, eps);
}

Variable layer_norm(const Variable& x, const Shape& normalized_shape,
                    const Variable& weight, const Variable& bias, double eps) {
  check_parameter("layer_norm", "weight and bias", weight, normalized_shape);
  check_parameter("layer_norm", "weight and bias", bias, normalized_shape);
  return norm_joined(x, normalized_shape, weight, bias, eps);
}

Variable rms_norm(const Variable& x, const Shape& normalized_shape,
                  std::optional<double> eps) {
  const Dims last = last_dims("rms_norm", x.shape(), normalized_shape);
  const double smallest = dispatch_floating("rms_norm", x.dtype(), []<class T>() {
    return static_cast<double>(std::numeric_limits<T>::epsilon());
  });
  return x * rsqrt(mean(square(x), last, true) + eps.value_or(smallest));
}

Variable rms_norm(const Variable& x, const Shape& normalized_shape,
                  const Variable& weight, std::optional<double> eps) {
  check_parameter("rms_norm", "weight", weight, normalized_shape);
  return rms_norm(x, normalized_shape, eps) * weight;
}

Variable embedding(const Tensor& ids, const Variable& weight,
                   std::optional<std::int64_t> padding_idx) {
  check(weight.dim() == 2, "embedding: the weight must have the shape (n, width), got {}",
        weight.shape());
  check(!padding_idx || (0 <= *padding_idx && *padding_idx < weight.size(0)),
        "embedding: padding_idx must be from 0 to {}, got {}", weight.size(0) - 1,
        padding_idx.value_or(0));
  check_ids(ids, weight.size(0));
  Variable rows = reshape(index_select(weight, 0, flatten(ids)),
                          append(ids.shape(), {weight.size(1)}));
  if (!padding_idx) return rows;
  // The padding's rows are the same numbers, but constants: no gradient reaches them.
  const Tensor padding = ids == *padding_idx;
  return where(unsqueeze(padding, -1), rows.detach(), rows);
}

Variable gumbel_softmax(const Variable& logits, double tau, bool hard, Dim dim,
                        Generator& generator) {
  check(tau > 0, "gumbel_softmax: tau must be positive, got {}", tau);
  Tensor race = empty(logits.shape(), logits.dtype());
  exponential_(race, 1, generator);
  const Variable soft = softmax((logits - log(race)) / tau, dim);
  if (!hard) return soft;
  const Tensor winner = argmax(soft.value(), dim, true);
  const Tensor one_hot = scatter(zeros_like(soft.value()), dim, winner, 1);
  return one_hot - soft.detach() + soft;
}

namespace {

template <class X>
X padded(std::span<const X> sequences, const PadSequenceOptions& options) {
  check(!sequences.empty(), "pad_sequence: there are no sequences");
  std::int64_t longest = 0;
  for (const X& x : sequences) {
    const auto rest = [](const X& x) {
      check(x.dim() >= 1, "pad_sequence: a sequence must have a dimension, got a scalar");
      Shape shape = x.shape();
      shape.erase(0);
      return shape;
    };
    check(rest(x) == rest(sequences[0]),
          "pad_sequence: the sequences must have equal sizes except the first, got {} "
          "and {}",
          sequences[0].shape(), x.shape());
    longest = std::max(longest, x.size(0));
  }
  std::vector<X> all;
  for (const X& x : sequences) {
    std::vector<std::int64_t> pads(2 * static_cast<std::size_t>(x.dim()));
    pads.back() = longest - x.size(0);  // the end of the first dimension
    all.push_back(pad(x, pads, options.padding_value));
  }
  return stack(all, options.batch_first ? 0 : 1);
}

}  // namespace

Tensor pad_sequence(std::span<const Tensor> sequences,
                    const PadSequenceOptions& options) {
  return padded(sequences, options);
}
Tensor pad_sequence(std::initializer_list<Tensor> sequences,
                    const PadSequenceOptions& options) {
  return padded(std::span<const Tensor>(sequences.begin(), sequences.size()), options);
}
Variable pad_sequence(std::span<const Variable> sequences,
                      const PadSequenceOptions& options) {
  return padded(sequences, options);
}
Variable pad_sequence(std::initializer_list<Variable> sequences,
                      const PadSequenceOptions& options) {
  return padded(std::span<const Variable>(sequences.begin(), sequences.size()), options);
}

}  // namespace heed::nn
