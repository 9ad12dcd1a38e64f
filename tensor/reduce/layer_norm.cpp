#include "tensor/reduce/layer_norm.h"

#include "tensor/kernels/level.h"
#include "tensor/reduce/layer_norm_kernels.h"
#include "tensor/reduce/reduce.h"

namespace heed {
namespace {

// An optional operand, contiguous.
Tensor dense_if_defined(const Tensor& x) { return x.defined() ? x.contiguous() : x; }

// Its elements.
template <class T>
const T* elements(const Tensor& x) {
  return x.defined() ? x.data<T>() : nullptr;
}

void check_rows(std::string_view op, const Tensor& x) {
  check(x.dim() >= 1 && x.size(-1) >= 1,
        "{}: x must have a last dimension of at least 1, got {}", op, x.shape());
}

// The operand that `what` names has x's dtype and this shape, or is undefined.
void check_fits(std::string_view op, std::string_view what, const Tensor& operand,
                const Tensor& x, const Shape& shape) {
  if (!operand.defined()) return;
  check_same_dtype(op, x, operand);
  check(operand.shape() == shape, "{}: {} must have the shape {}, got {}", op, what,
        shape, operand.shape());
}

// Rows whose parts of a sum are added up by one thread: fixed, so that the order of the
// additions does not depend on the number of threads.
constexpr std::int64_t rows_at_once = 32;

}  // namespace

LayerNormResult layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                           double eps) {
  check_rows("layer_norm", x);
  const std::int64_t n = x.size(-1);
  check_fits("layer_norm", "weight", weight, x, {n});
  check_fits("layer_norm", "bias", bias, x, {n});
  const Shape rows = without_last(x.shape(), 1);
  return dispatch_floating("layer_norm", x.dtype(), [&]<class T>() {
    const Tensor dense = x.contiguous();
    const Tensor w = dense_if_defined(weight), b = dense_if_defined(bias);
    LayerNormResult r{empty(x.shape(), x.dtype()), empty(rows, x.dtype()),
                      empty(rows, x.dtype())};
    const T *const from = dense.data<T>(), *const ws = elements<T>(w),
                   *const bs = elements<T>(b);
    T* const to = r.output.mutable_data<T>();
    T *const mean = r.mean.mutable_data<T>(), *const rstd = r.rstd.mutable_data<T>();
    parallel_for(count(rows), n, [&](std::int64_t begin, std::int64_t end) {
      kernels::get<kernels::LayerNormKernels<T>>().forward(
          end - begin, n, from + begin * n, ws, bs, eps, to + begin * n, mean + begin,
          rstd + begin);
    });
    return r;
  });
}

std::array<Tensor, 3> layer_norm_backward(const Tensor& g, const Tensor& x,
                                          const Tensor& weight, const Tensor& mean,
                                          const Tensor& rstd,
                                          const std::array<bool, 3>& wanted) {
  constexpr std::string_view op = "layer_norm_backward";
  check_rows(op, x);
  const std::int64_t n = x.size(-1);
  check_fits(op, "weight", weight, x, {n});
  check_fits(op, "g", g, x, x.shape());
  check_fits(op, "mean", mean, x, without_last(x.shape(), 1));
  check_fits(op, "rstd", rstd, x, without_last(x.shape(), 1));
  return dispatch_floating(op, x.dtype(), [&]<class T>() {
    const std::int64_t rows = mean.numel(), blocks = ceil_div(rows, rows_at_once);
    const Tensor dense_g = g.contiguous(), dense = x.contiguous();
    const Tensor dense_mean = mean.contiguous(), dense_rstd = rstd.contiguous();
    const Tensor w = dense_if_defined(weight);
    std::array<Tensor, 3> result;
    if (wanted[0]) result[0] = empty(x.shape(), x.dtype());
    // The blocks' parts of the gradients of weight and bias.
    Tensor parts[2];
    for (const int i : {0, 1}) {
      if (wanted[i + 1]) parts[i] = empty({blocks, n}, x.dtype());
    }
    const T *const gs = dense_g.data<T>(), *const xs = dense.data<T>(),
                   *const ws = elements<T>(w), *const means = dense_mean.data<T>(),
                   *const rstds = dense_rstd.data<T>();
    T* const dx = wanted[0] ? result[0].mutable_data<T>() : nullptr;
    T* const dw = wanted[1] ? parts[0].mutable_data<T>() : nullptr;
    T* const db = wanted[2] ? parts[1].mutable_data<T>() : nullptr;
    parallel_for(blocks, rows_at_once * n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t block = begin; block < end; ++block) {
        const auto part = [&](T* all) -> T* {
          if (all) std::fill_n(all + block * n, n, T(0));
          return all ? all + block * n : nullptr;
        };
        const std::int64_t first = block * rows_at_once;
        kernels::get<kernels::LayerNormKernels<T>>().backward(
            std::min(rows_at_once, rows - first), n, gs + first * n, xs + first * n, ws,
            means + first, rstds + first, dx ? dx + first * n : nullptr, part(dw),
            part(db));
      }
    });
    for (const int i : {0, 1}) {
      if (!wanted[i + 1]) continue;
      result[i + 1] = empty({n}, x.dtype());
      run_fold<T>(folds<T>().sum, 1, blocks, n, parts[i].template data<T>(),
                  result[i + 1].template mutable_data<T>());
    }
    return result;
  });
}

}  // namespace heed
