#include "tensor/gaussian_weights.h"

#include "tensor/reduce.h"
#include "tensor/reductions.h"
#include "tensor/views.h"

namespace heed {
namespace {

void check_operands(const char* op, const Tensor& queries, const Tensor& keys,
                    const Tensor& w) {
  check(queries.dim() == 1 && keys.dim() == 2 && keys.size(0) == queries.size(0) &&
            w.numel() == 1,
        "{}: queries (n), keys (n, m) and a w of one element, got {}, {} and {}", op,
        queries.shape(), keys.shape(), w.shape());
  check_same_dtype(op, queries, keys);
  check_same_dtype(op, queries, w);
}

// For parallel_for over the rows; an exp takes about the time of four plain operations.
std::int64_t grain(const Tensor& keys) {
  return parallel_grain / (4 * std::max<std::int64_t>(keys.size(1), 1)) + 1;
}

}  // namespace

Tensor gaussian_weights(const Tensor& queries, const Tensor& keys, const Tensor& w) {
  check_operands("gaussian_weights", queries, keys, w);
  return dispatch_floating("gaussian_weights", keys.dtype(), [&]<class T>() {
    const Tensor dense_q = queries.contiguous(), dense_k = keys.contiguous();
    Tensor y = empty(keys.shape(), keys.dtype());
    const T *const q = dense_q.data<T>(), *const k = dense_k.data<T>();
    const T factor = *w.data<T>();
    T* const to = y.mutable_data<T>();
    const std::int64_t m = keys.size(1);
    parallel_for(keys.size(0), grain(keys), [&](std::int64_t begin, std::int64_t end) {
      floating_rows<T>().gaussian_weights(end - begin, m, q + begin, k + begin * m,
                                          factor, to + begin * m);
    });
    return y;
  });
}

GaussianWeightsGradients gaussian_weights_backward(const Tensor& g, const Tensor& y,
                                                   const Tensor& queries,
                                                   const Tensor& keys, const Tensor& w,
                                                   bool with_keys) {
  const char* const op = "gaussian_weights_backward";
  check_operands(op, queries, keys, w);
  check(g.shape() == keys.shape() && y.shape() == keys.shape(),
        "{}: the gradient and the weights must have the shape {}, got {} and {}", op,
        keys.shape(), g.shape(), y.shape());
  check_same_dtype(op, g, keys);
  check_same_dtype(op, y, keys);
  const DType dtype = keys.dtype();
  const std::int64_t n = keys.size(0), m = keys.size(1);
  Tensor dq = empty({n}, dtype), dw = empty({n}, dtype);  // dw of each row alone
  Tensor dk = with_keys ? empty(keys.shape(), dtype) : Tensor();
  dispatch_floating(op, dtype, [&]<class T>() {
    const Tensor dense_q = queries.contiguous(), dense_k = keys.contiguous();
    const Tensor dense_y = y.contiguous(), dense_g = g.contiguous();
    const T *const from_q = dense_q.data<T>(), *const from_k = dense_k.data<T>();
    const T *const from_y = dense_y.data<T>(), *const from_g = dense_g.data<T>();
    const T factor = *w.data<T>();
    T *const to_q = dq.mutable_data<T>(), *const to_w = dw.mutable_data<T>();
    T* const to_k = with_keys ? dk.mutable_data<T>() : nullptr;
    parallel_for(n, grain(keys), [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin * m;
      floating_rows<T>().gaussian_gradients(
          {end - begin, m, from_q + begin, from_k + at, factor, from_y + at, from_g + at,
           to_q + begin, to_k ? to_k + at : nullptr, to_w + begin});
    });
  });
  return {dq, dk, reshape(sum(dw), w.shape())};
}

}  // namespace heed
