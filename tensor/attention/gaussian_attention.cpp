#include "tensor/attention/gaussian_attention.h"

#include "tensor/attention/gaussian_kernels.h"
#include "tensor/core/parallel.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/kernels/level.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

// The shape of `key` (..., m, 1) with other sizes at its end.
Shape shape_with(const Tensor& key, std::int64_t rows, std::int64_t columns) {
  return append(without_last(key.shape(), 2), {rows, columns});
}

void check_operands(const char* op, const Tensor& query, const Tensor& key,
                    const Tensor& value, const Tensor& w) {
  check(key.dim() >= 2 && key.size(-1) == 1 && query.shape() == shape_with(key, 1, 1) &&
            value.shape() == key.shape() && w.numel() == 1,
        "{}: query (..., 1, 1), key (..., m, 1), value (..., m, 1) and a w of one "
        "element, got {}, {}, {} and {}",
        op, query.shape(), key.shape(), value.shape(), w.shape());
  for (const Tensor* x : {&query, &value, &w}) check_same_dtype(op, key, *x);
}

// The operands as the kernels read them.
template <class T>
struct Dense {
  Tensor query, key, value;
  T w;

  Dense(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& w)
      : query(query.contiguous()),
        key(key.contiguous()),
        value(value.contiguous()),
        w(*w.data<T>()) {}

  kernels::GaussianOperands<T> rows(std::int64_t begin, std::int64_t end) const {
    const std::int64_t m = key.size(-2), at = begin * m;
    return {end - begin,          m, query.data<T>() + begin, key.data<T>() + at,
            value.data<T>() + at, w};
  }
};

}  // namespace

GaussianAttentionResult gaussian_attention(const Tensor& query, const Tensor& key,
                                           const Tensor& value, const Tensor& w) {
  const char* const op = "gaussian_attention";
  check_operands(op, query, key, value, w);
  const std::int64_t m = key.size(-2);
  GaussianAttentionResult result{
      empty(query.shape(), key.dtype()), empty(shape_with(key, 1, m), key.dtype()),
      empty(query.shape(), key.dtype()), empty(query.shape(), key.dtype())};
  dispatch_floating(op, key.dtype(), [&]<class T>() {
    const Dense<T> x(query, key, value, w);
    T *const p = result.weights.mutable_data<T>(),
             *const o = result.output.mutable_data<T>(),
             *const by_query = result.by_query.mutable_data<T>(),
             *const by_w = result.by_w.mutable_data<T>();
    parallel_for(query.numel(), exp_cost * m, [&](std::int64_t begin, std::int64_t end) {
      kernels::get<kernels::GaussianKernels<T>>().attention(
          x.rows(begin, end), {p + begin * m, o + begin, by_query + begin, by_w + begin});
    });
  });
  return result;
}

GaussianAttentionGradients gaussian_attention_backward(
    const Tensor& g, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& w, const GaussianAttentionResult& result,
    const std::array<bool, 2>& wanted) {
  const char* const op = "gaussian_attention_backward";
  check_operands(op, query, key, value, w);
  check(g.shape() == query.shape() && result.output.shape() == query.shape() &&
            result.by_query.shape() == query.shape() &&
            result.by_w.shape() == query.shape() &&
            result.weights.shape() == shape_with(key, 1, key.size(-2)),
        "{}: the gradient, the output and its derivatives must have the shape {}, the "
        "weights {}, got {}, {}, {}, {} and {}",
        op, query.shape(), shape_with(key, 1, key.size(-2)), g.shape(),
        result.output.shape(), result.by_query.shape(), result.by_w.shape(),
        result.weights.shape());
  for (const Tensor* x :
       {&g, &result.output, &result.weights, &result.by_query, &result.by_w}) {
    check_same_dtype(op, key, *x);
  }
  const std::int64_t m = key.size(-2);
  GaussianAttentionGradients gradients{
      g * result.by_query, {}, {}, reshape(sum(g * result.by_w), w.shape())};
  if (wanted[0]) gradients.key = empty(key.shape(), key.dtype());
  if (wanted[1]) gradients.value = empty(key.shape(), key.dtype());
  if (!wanted[0] && !wanted[1]) return gradients;
  dispatch_floating(op, key.dtype(), [&]<class T>() {
    const Dense<T> x(query, key, value, w);
    const Tensor p = result.weights.contiguous(), o = result.output.contiguous();
    const Tensor dense_g = g.contiguous();
    const T *const from_p = p.data<T>(), *const from_o = o.data<T>(),
                   *const from_g = dense_g.data<T>();
    T* const dk = wanted[0] ? gradients.key.mutable_data<T>() : nullptr;
    T* const dv = wanted[1] ? gradients.value.mutable_data<T>() : nullptr;
    // Each key takes some four operations.
    parallel_for(query.numel(), 4 * m, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * m;
      kernels::get<kernels::GaussianKernels<T>>().gradients(
          x.rows(begin, end), {from_p + at, from_o + begin, from_g + begin},
          {dk ? dk + at : nullptr, dv ? dv + at : nullptr});
    });
  });
  return gradients;
}

}  // namespace heed
