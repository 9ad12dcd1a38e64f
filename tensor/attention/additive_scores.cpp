#include "tensor/attention/additive_scores.h"

#include <algorithm>

#include "tensor/attention/additive_kernels.h"
#include "tensor/core/buffer.h"
#include "tensor/core/parallel.h"
#include "tensor/core/views.h"
#include "tensor/kernels/level.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

using kernels::Powers;
using std::int64_t;

// The time of a tanh, in plain operations.
constexpr int64_t tanh_cost = 8;

// The operands as arrays: queries (batch, n, h), keys (batch, m, h), w (h).
struct Operands {
  Tensor queries, keys, w;
  int64_t batch = 1, n, m, h;
  Shape scores;  // (..., n, m)

  Operands(const char* op, const Tensor& q, const Tensor& k, const Tensor& w) {
    const Shape &sq = q.shape(), &sk = k.shape();
    const int d = q.dim();
    bool fits = d >= 2 && k.dim() == d && w.dim() == 1 && sq[d - 1] == sk[d - 1] &&
                sq[d - 1] == w.shape()[0];
    for (int i = 0; fits && i < d - 2; ++i) fits = sq[i] == sk[i];
    check(fits, "{}: queries (..., n, h), keys (..., m, h) and w (h), got {}, {} and {}",
          op, sq, sk, w.shape());
    check_same_dtype(op, q, k);
    check_same_dtype(op, q, w);
    queries = q.contiguous();
    keys = k.contiguous();
    this->w = w.contiguous();
    n = sq[d - 2];
    m = sk[d - 2];
    h = sq[d - 1];
    scores = sq;
    scores[d - 1] = m;
    for (int i = 0; i < d - 2; ++i) batch *= sq[i];
  }
};

}  // namespace

Tensor additive_scores(const Tensor& queries, const Tensor& keys, const Tensor& w) {
  const Operands x("additive_scores", queries, keys, w);
  return dispatch_floating("additive_scores", queries.dtype(), [&]<class T>() {
    Tensor scores = empty(x.scores, queries.dtype());
    const T *const q = x.queries.data<T>(), *const k = x.keys.data<T>();
    const T* const w = x.w.data<T>();
    T* const to = scores.mutable_data<T>();
    const auto& loops = kernels::get<kernels::AdditiveKernels<T>>();
    if (kernels::powers_pay(x.n, x.m)) {
      // Cut over queries; each thread has the powers of a query and of its entry's keys.
      const int64_t rows = x.batch * x.n, size = Powers<T>::size(x.m + 1, x.h);
      const int64_t threads = thread_count(rows, tanh_cost * x.m * x.h);
      Buffer<T> memory(size * threads);
      const auto piece = [&](int64_t thread, int64_t begin, int64_t end) {
        T* const first = memory.first() + thread * size;
        const auto of_q = Powers<T>::in(first, 1, x.h);
        const auto of_k = Powers<T>::in(first + Powers<T>::size(1, x.h), x.m, x.h);
        int64_t entry = -1;
        for (int64_t i = begin; i < end; ++i) {
          if (entry != i / x.n) {
            entry = i / x.n;
            loops.powers(x.m, x.h, k + entry * x.m * x.h, x.h, of_k);
          }
          loops.powers(1, x.h, q + i * x.h, x.h, of_q);
          loops.scores_by_powers(x.m, x.h, q + i * x.h, k + entry * x.m * x.h, w, of_q,
                                 of_k, to + i * x.m);
        }
      };
      // A piece that begins inside an entry computes the powers of its keys once more. So
      // there are several pieces for a thread only where a piece has several entries.
      parallel_pieces(rows, threads, piece, x.batch >= 8 * threads ? 4 : 1);
      return scores;
    }
    // Cut over all pairs of a query and a key: a decoder has one query and many keys.
    parallel_for(scores.numel(), tanh_cost * x.h, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t row = begin / x.m, first = begin % x.m;
        const int64_t last = std::min(x.m, first + end - begin);
        loops.scores(last - first, x.h, q + row * x.h,
                     k + (row / x.n * x.m + first) * x.h, w, to + begin);
        begin += last - first;
      }
    });
    return scores;
  });
}

AdditiveScoresGradients additive_scores_backward(const Tensor& g, const Tensor& queries,
                                                 const Tensor& keys, const Tensor& w) {
  const char* const op = "additive_scores_backward";
  const Operands x(op, queries, keys, w);
  check(g.shape() == x.scores, "{}: the gradient must have the shape {}, got {}", op,
        x.scores, g.shape());
  check_same_dtype(op, g, queries);
  const DType dtype = queries.dtype();
  const Tensor dense = g.contiguous();
  Tensor dq = empty(queries.shape(), dtype), dk = empty(keys.shape(), dtype);
  Tensor dw = empty({x.batch, x.h}, dtype);  // of each batch entry alone
  dispatch_floating(op, dtype, [&]<class T>() {
    const T *const from_q = x.queries.data<T>(), *const from_k = x.keys.data<T>();
    const T *const from_w = x.w.data<T>(), *const from_g = dense.data<T>();
    T *const to_q = dq.mutable_data<T>(), *const to_k = dk.mutable_data<T>();
    T* const to_w = dw.mutable_data<T>();
    // Cut over batch entries and hidden units: every sum over queries or keys then stays
    // whole, however many threads there are.
    const int64_t width = kernels::additive_width, blocks = ceil_div(x.h, width);
    const int64_t pieces = x.batch * blocks;
    const int64_t threads = thread_count(pieces, tanh_cost * x.n * x.m * width);
    const int64_t size =
        kernels::powers_pay(x.n, x.m) ? Powers<T>::size(x.n + x.m, width) : 0;
    Buffer<T> memory(size * threads);
    parallel_stealing(pieces, threads, [&](int64_t thread, int64_t i) {
      const int64_t entry = i / blocks, first = i % blocks * width;
      const int64_t q = entry * x.n * x.h + first, k = entry * x.m * x.h + first;
      const int64_t scores = entry * x.n * x.m, w = entry * x.h + first;
      kernels::get<kernels::AdditiveKernels<T>>().gradients(
          {.n = x.n,
           .m = x.m,
           .h = x.h,
           .q = from_q + q,
           .k = from_k + k,
           .w = from_w + first,
           .g = from_g + scores,
           .dq = to_q + q,
           .dk = to_k + k,
           .dw = to_w + w,
           .powers = size > 0 ? memory.first() + thread * size : nullptr},
          std::min(width, x.h - first));
    });
  });
  return {dq, dk, x.batch == 1 ? reshape(dw, {x.h}) : sum(dw, 0)};
}

}  // namespace heed
