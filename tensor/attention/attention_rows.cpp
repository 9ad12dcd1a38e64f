// Attention for a few queries per head, row by row: one query after another reads the
// keys that it sees and their values where they are, and nothing is packed. The formulas,
// and the names P, dP, dS and F, are those at the head of attention_backward.cpp: p and
// ds are rows of P and dS, `dropped` is one of F ∘ P. As P is kept, the sum of a row is
// formed from dP and P.
#include <algorithm>

#include "tensor/attention/attention_heads.h"
#include "tensor/product/vector_kernels.h"
#include "tensor/reduce/reduce_kernels.h"

namespace heed {
namespace {

using std::int64_t;

// x[j] times dropout's factor of key j, from the bits of a query.
template <class T>
void drop(int64_t n, const int64_t* bits, T stay_factor, T* x) {
  for (int64_t j = 0; j < n; ++j) {
    x[j] *= (bits[j / 64] >> (j % 64) & 1) != 0 ? stay_factor : 0;
  }
}

template <class T>
void forward_row(const AttentionOperands<T>& h, int64_t head, int64_t i, T* p, T* output,
                 T* dropped) {
  const auto& loops = kernels::get<kernels::AttentionKernels<T>>();
  const auto& vectors = kernels::get<kernels::VectorKernels<T>>();
  int64_t len = 0;
  h.valid_lens.read(head, i, i + 1, &len);
  std::fill(p + len, p + h.keys, T{0});
  if (len == 0) {
    std::fill_n(output, h.value_features, T{0});
    return;
  }
  const T *const q = h.query[head] + i * h.query.row_stride, *const k = h.key[head];
  loops.gemv(len, h.features, h.scale, k, h.key.row_stride, q, p);
  if (h.bias) {
    const Matrices<const T>& bias = *h.bias;
    loops.add_bias(1, len, bias[head] + i * bias.row_stride, 0, bias.column_stride, p, 0);
  }
  kernels::get<kernels::ReduceKernels<T>>().softmax(1, len, 1, p, p);
  h.clear_hidden(head, i, len, p);
  const T* after_dropout = p;
  if (const int64_t* const bits = h.bits_of(head, i)) {
    std::copy_n(p, len, dropped);
    drop(len, bits, h.stay_factor, dropped);
    after_dropout = dropped;
  }
  vectors.add_columns(h.value_features, len, h.value[head], h.value.row_stride,
                      after_dropout, 1, output);
}

// The memory of one thread for the backward pass of a head.
template <class T>
struct Scratch {
  Buffer<T> dropped, ds;  // of a query: the weights after dropout, the scores' gradients

  explicit Scratch(const AttentionOperands<T>& h) : dropped(h.keys), ds(h.keys) {}
};

template <class T>
void backward_head(const AttentionOperands<T>& h, const Matrices<const T>& g,
                   const T* weights, int64_t head, const GradientMatrices<T>& to,
                   Scratch<T>& scratch) {
  const auto& loops = kernels::get<kernels::AttentionKernels<T>>();
  const auto& vectors = kernels::get<kernels::VectorKernels<T>>();
  for (int64_t i = 0; i < h.queries; ++i) {
    int64_t len = 0;
    h.valid_lens.read(head, i, i + 1, &len);
    const T* const p = weights + (head * h.queries + i) * h.keys;
    T *const dropped = scratch.dropped.first(), *const ds = scratch.ds.first();
    const T *const g_i = g[head] + i * g.row_stride, *const v = h.value[head];
    loops.gemv(len, h.value_features, T{1}, v, h.value.row_stride, g_i, ds);
    h.clear_hidden(head, i, len, ds);  // g·v_j may overflow: 0 times infinity is NaN
    std::copy_n(p, h.keys, dropped);
    if (const int64_t* const bits = h.bits_of(head, i)) {
      drop(len, bits, h.stay_factor, ds);
      drop(len, bits, h.stay_factor, dropped);
    }
    if (len > 0)
      kernels::get<kernels::ReduceKernels<T>>().softmax_backward(1, len, 1, ds, p, ds);
    h.clear_hidden(head, i, len, ds);  // a sum that is NaN or infinite made NaN of 0
    std::fill(ds + len, ds + h.keys, T{0});
    if (to.query) {
      T* const dq = (*to.query)[head] + i * to.query->row_stride;
      if (len > 0) {
        vectors.add_columns(h.features, len, h.key[head], h.key.row_stride, ds, 1, dq);
        vectors.scale(h.features, dq, 1, h.scale, dq);
      } else {
        std::fill_n(dq, h.features, T{0});
      }
    }
    if (to.key) {
      loops.ger(h.keys, h.features, h.scale, ds, h.query[head] + i * h.query.row_stride,
                i > 0, (*to.key)[head], to.key->row_stride);
    }
    if (to.value) {
      loops.ger(h.keys, h.value_features, T{1}, dropped, g_i, i > 0, (*to.value)[head],
                to.value->row_stride);
    }
  }
}

// A multiply-add with a vector waits for memory: it takes about as long as so many in a
// tile.
constexpr int64_t row_cost = 4;

}  // namespace

template <class T>
void attention_by_rows(const AttentionOperands<T>& h, AttentionResult& result,
                       Tensor& weights) {
  const Matrices<T> output = mutable_matrices<T>(result.output);
  T* const p = weights.mutable_data<T>();
  const int64_t rows = h.count * h.queries;
  // For every row, as the weights that are kept: parallel_for() does not number threads.
  const Buffer<T> dropped(h.bits ? rows * h.keys : 0);
  const int64_t work = row_cost * h.keys * (h.features + h.value_features);
  const auto forward = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t head = row / h.queries, i = row % h.queries;
      forward_row(h, head, i, p + row * h.keys, output[head] + i * output.row_stride,
                  dropped.first() + (h.bits ? row * h.keys : 0));
    }
  };
  parallel_for(rows, work, forward, multiply_grain);
}

template <class T>
void attention_by_rows_backward(const AttentionOperands<T>& h, const Tensor& g,
                                const AttentionResult& result,
                                AttentionGradients& gradients) {
  const Tensor weights = result.kept_weights.contiguous();
  const Matrices<const T> g_of = matrices<T>(g);
  const GradientMatrices<T> to(gradients);
  // dQ and dK; dP and dV
  const int64_t work =
      row_cost * h.queries * h.keys * 2 * (h.features + h.value_features);
  Runs<Scratch<T>> runs(std::vector<int64_t>(static_cast<std::size_t>(h.count), work), h);
  const T* const p = weights.data<T>();
  runs.for_each([&](Scratch<T>& scratch, int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head) {
      backward_head(h, g_of, p, head, to, scratch);
    }
  });
}

template void attention_by_rows(const AttentionOperands<float>&, AttentionResult&,
                                Tensor&);
template void attention_by_rows(const AttentionOperands<double>&, AttentionResult&,
                                Tensor&);
template void attention_by_rows_backward(const AttentionOperands<float>&, const Tensor&,
                                         const AttentionResult&, AttentionGradients&);
template void attention_by_rows_backward(const AttentionOperands<double>&, const Tensor&,
                                         const AttentionResult&, AttentionGradients&);

}  // namespace heed
