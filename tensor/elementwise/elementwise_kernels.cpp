#include "tensor/elementwise/elementwise_kernels.h"

#include <utility>

#include "tensor/elementwise/formulas.h"
#include "tensor/kernels/level.h"
#include "tensor/kernels/stream.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// --- the loops

// Operands that do not lie in a row are copied to a buffer, a piece at a time: one loop
// then serves every layout, and every layout gives the same bits.
constexpr int64_t piece_size = 256;

template <class T>
struct Operand {
  const T* from;
  int64_t stride;
  int64_t filled = 0;  // elements of the buffer, if all are one number
  T buffer[piece_size];

  Operand(const void* from, int64_t stride)
      : from(static_cast<const T*>(from)), stride(stride) {}

  bool is_row() const { return stride == 1; }
  // The n elements from `begin` on, in a row.
  const T* piece(int64_t begin, int64_t n) {
    if (is_row()) return from + begin;
    if (stride == 0) {
      if (n <= filled) return buffer;
      const T number = *from;
#pragma omp simd
      for (int64_t i = 0; i < n; ++i) buffer[i] = number;
      filled = n;
      return buffer;
    }
    for (int64_t i = 0; i < n; ++i) buffer[i] = from[(begin + i) * stride];
    return buffer;
  }
};

// The loop of the function object F for a result of type R and operands of types T...
// Arguments `beyond` what F can do in a vector are done again one by one. Flattened: a
// call of F that g++ does not inline by itself, F being long, would not be vectorised.
template <class F, class R, class... T>
[[gnu::flatten]] void loop(int64_t n, R* out, const T*... in) {
  constexpr F f{};
  if constexpr (F::takes_vectors) {
    map(n, out, f, in...);
  } else if constexpr ((F::template vectorises<T> && ...)) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(in[i]...));
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<R>(f(in[i]...));
  }
  if constexpr (requires { f.beyond(in[0]...); }) {
    std::uint32_t some_beyond = 0;
#pragma omp simd reduction(| : some_beyond)
    for (int64_t i = 0; i < n; ++i) some_beyond |= f.beyond(in[i]...);
    for (int64_t i = 0; some_beyond && i < n; ++i) {
      if (f.beyond(in[i]...)) out[i] = f.library(in[i]...);
    }
  }
}

template <class F, class R, class... T>
void run(int64_t n, R* out, Operand<T>&&... in) {
  if (n == 1) return loop<F>(1, out, in.from...);  // a number needs no pieces
  const bool streamed = is_streamed<R>(n);
  const bool is_whole = (in.is_row() && ...) && !streamed;  // one piece
  R results[piece_size];
  // The first streamed piece, perhaps empty, ends where a cache line begins.
  int64_t m = is_whole ? n : streamed ? to_next_line(out) : piece_size;
  for (int64_t i = 0; i < n; i += m, m = piece_size) {
    if (n - i < m) m = n - i;
    loop<F>(m, streamed ? results : out + i, in.piece(i, m)...);
    if (streamed) stream(m, results, out + i);
  }
  if (streamed) end_stream();
}

template <class F, class R, class... T>
void kernel(int64_t n, const void* const* in, const int64_t* strides, void* out) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    run<F>(n, static_cast<R*>(out), Operand<T>(in[k], strides[k])...);
  }
  (std::index_sequence_for<T...>{});
}

// --- the table

// What the function F returns for arguments of the types T...
template <class F, class... T>
using Result = std::conditional_t<std::is_same_v<std::invoke_result_t<F, T...>, bool>,
                                  Bool, std::invoke_result_t<F, T...>>;

// The kernel of an op for the element type T, which follows from what its function takes
// and returns.
template <Op op, class T>
constexpr Kernel kernel_of() {
  using F = Formula<op>;
  if constexpr (!F::template takes<T>) {
    return nullptr;
  } else if constexpr (op == Op::where) {
    return kernel<F, T, Bool, T, T>;
  } else if constexpr (std::is_invocable_v<F, T, T, T>) {
    return kernel<F, T, T, T, T>;
  } else if constexpr (std::is_invocable_v<F, T, T>) {
    return kernel<F, Result<F, T, T>, T, T>;
  } else {
    return kernel<F, Result<F, T>, T>;
  }
}

// A row for each op, in the order of the enumeration; its columns are in that of DType.
template <std::size_t... op>
constexpr ElementwiseKernels make_table(std::index_sequence<op...>) {
  static_assert(float32 == DType(0) && float64 == DType(1) && int64 == DType(2) &&
                boolean == DType(3));
  return {{{kernel_of<Op(op), float>(), kernel_of<Op(op), double>(),
            kernel_of<Op(op), int64_t>(), kernel_of<Op(op), Bool>()}...}};
}

}  // namespace

template <>
const ElementwiseKernels& get() {
  static constexpr ElementwiseKernels table =
      make_table(std::make_index_sequence<op_count>());
  return table;
}

}  // namespace heed::kernels::HEED_KERNELS
