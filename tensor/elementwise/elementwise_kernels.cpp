#include "tensor/elementwise/elementwise_kernels.h"

#include "tensor/elementwise/functions.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// --- the loops

// Operands that do not lie in a row are copied to a buffer, a piece at a time: one loop
// then serves every layout, and every layout gives the same bits.
constexpr Int piece_size = 256;

template <class T>
const T* in_a_row(const T* from, Int stride, Int begin, Int n, T* buffer) {
  if (stride == 1) return from + begin;
  if (stride == 0) {
    if (begin > 0) return buffer;  // filled by the first piece
    const T number = *from;
#pragma omp simd
    for (Int i = 0; i < n; ++i) buffer[i] = number;
    return buffer;
  }
  for (Int i = 0; i < n; ++i) buffer[i] = from[(begin + i) * stride];
  return buffer;
}

// The loop of the function object F for a result of type R and operands of types T...
// Arguments `beyond` what F can do in a vector are done again one by one.
template <class F, class R, class T>
void loop(Int n, R* out, const T* a) {
  constexpr F f{};
  if constexpr (F::template vectorises<T>) {
#pragma omp simd
    for (Int i = 0; i < n; ++i) out[i] = static_cast<R>(f(a[i]));
  } else {
    for (Int i = 0; i < n; ++i) out[i] = static_cast<R>(f(a[i]));
  }
  if constexpr (requires { f.beyond(a[0]); }) {
    std::uint32_t some_beyond = 0;
#pragma omp simd reduction(| : some_beyond)
    for (Int i = 0; i < n; ++i) some_beyond |= f.beyond(a[i]);
    for (Int i = 0; some_beyond && i < n; ++i) {
      if (f.beyond(a[i])) out[i] = f.library(a[i]);
    }
  }
}

template <class F, class R, class T, class U>
void loop(Int n, R* out, const T* a, const U* b) {
  constexpr F f{};
  if constexpr (F::template vectorises<T>) {
#pragma omp simd
    for (Int i = 0; i < n; ++i) out[i] = static_cast<R>(f(a[i], b[i]));
  } else {
    for (Int i = 0; i < n; ++i) out[i] = static_cast<R>(f(a[i], b[i]));
  }
}

template <class F, class R, class T, class U, class V>
void loop(Int n, R* out, const T* a, const U* b, const V* c) {
  constexpr F f{};
#pragma omp simd
  for (Int i = 0; i < n; ++i) out[i] = static_cast<R>(f(a[i], b[i], c[i]));
}

template <class F, class R, class T>
void kernel(Int n, const void* const* in, const Int* strides, void* out) {
  auto* to = static_cast<R*>(out);
  const auto* a = static_cast<const T*>(in[0]);
  if (strides[0] == 1) return loop<F>(n, to, a);
  T buffer[piece_size];
  for (Int i = 0; i < n; i += piece_size) {
    const Int m = n - i < piece_size ? n - i : piece_size;
    loop<F>(m, to + i, in_a_row(a, strides[0], i, m, buffer));
  }
}

template <class F, class R, class T, class U>
void kernel(Int n, const void* const* in, const Int* strides, void* out) {
  auto* to = static_cast<R*>(out);
  const auto* a = static_cast<const T*>(in[0]);
  const auto* b = static_cast<const U*>(in[1]);
  if (strides[0] == 1 && strides[1] == 1) return loop<F>(n, to, a, b);
  T row_a[piece_size];
  U row_b[piece_size];
  for (Int i = 0; i < n; i += piece_size) {
    const Int m = n - i < piece_size ? n - i : piece_size;
    loop<F>(m, to + i, in_a_row(a, strides[0], i, m, row_a),
            in_a_row(b, strides[1], i, m, row_b));
  }
}

template <class F, class R, class T, class U, class V>
void kernel(Int n, const void* const* in, const Int* strides, void* out) {
  auto* to = static_cast<R*>(out);
  const auto* a = static_cast<const T*>(in[0]);
  const auto* b = static_cast<const U*>(in[1]);
  const auto* c = static_cast<const V*>(in[2]);
  T row_a[piece_size];
  U row_b[piece_size];
  V row_c[piece_size];
  for (Int i = 0; i < n; i += piece_size) {
    const Int m = n - i < piece_size ? n - i : piece_size;
    loop<F>(m, to + i, in_a_row(a, strides[0], i, m, row_a),
            in_a_row(b, strides[1], i, m, row_b), in_a_row(c, strides[2], i, m, row_c));
  }
}

// --- the table

struct Table : Elementwise {
  // Each fills in the kernels of one op for the types T...
  template <class F, class... T>
  constexpr void unary(Op op) {
    ((of(op, dtype<T>()) = kernel<F, T, T>), ...);
  }
  template <class F, class... T>
  constexpr void binary(Op op) {
    ((of(op, dtype<T>()) = kernel<F, T, T, T>), ...);
  }
  template <class F, class... T>
  constexpr void ternary(Op op) {
    ((of(op, dtype<T>()) = kernel<F, T, T, T, T>), ...);
  }
  template <class F, class... T>
  constexpr void property(Op op) {
    ((of(op, dtype<T>()) = kernel<F, Bool, T>), ...);
  }
  template <class F, class... T>
  constexpr void comparison(Op op) {
    ((of(op, dtype<T>()) = kernel<F, Bool, T, T>), ...);
  }
  template <class F, class... T>
  constexpr void choice(Op op) {
    ((of(op, dtype<T>()) = kernel<F, T, Bool, T, T>), ...);
  }

 private:
  template <class T>
  static constexpr DType dtype() {
    return sizeof(T) == sizeof(Bool) ? boolean : dtype_of<T>;
  }
};

constexpr Table make_table() {
  Table t;
  t.unary<Abs, float, double, Int>(Op::abs);
  t.unary<Neg, float, double, Int>(Op::neg);
  t.unary<Sign, float, double, Int>(Op::sign);
  t.unary<Square, float, double, Int>(Op::square);
  t.unary<Cos, float, double>(Op::cos);
  t.unary<Erf, float, double>(Op::erf);
  t.unary<Exp, float, double>(Op::exp);
  t.unary<Gelu, float, double>(Op::gelu);
  t.unary<GeluSlope, float, double>(Op::gelu_slope);
  t.unary<GeluTanh, float, double>(Op::gelu_tanh);
  t.unary<GeluTanhSlope, float, double>(Op::gelu_tanh_slope);
  t.unary<Log, float, double>(Op::log);
  t.unary<Log1p, float, double>(Op::log1p);
  t.unary<Reciprocal, float, double>(Op::reciprocal);
  t.unary<Relu, float, double>(Op::relu);
  t.unary<Rsqrt, float, double>(Op::rsqrt);
  t.unary<Sigmoid, float, double>(Op::sigmoid);
  t.unary<Silu, float, double>(Op::silu);
  t.unary<Sin, float, double>(Op::sin);
  t.unary<Softplus, float, double>(Op::softplus);
  t.unary<Sqrt, float, double>(Op::sqrt);
  t.unary<Tanh, float, double>(Op::tanh);
  t.unary<Not, Bool>(Op::logical_not);
  t.property<IsFinite, float, double>(Op::isfinite);
  t.property<IsInf, float, double>(Op::isinf);
  t.property<IsNan, float, double>(Op::isnan);

  t.binary<Add, float, double, Int>(Op::add);
  t.binary<Sub, float, double, Int>(Op::sub);
  t.binary<Mul, float, double, Int>(Op::mul);
  t.binary<Maximum, float, double, Int>(Op::maximum);
  t.binary<Minimum, float, double, Int>(Op::minimum);
  t.binary<Div, float, double>(Op::div);
  t.binary<Pow, float, double>(Op::pow);
  t.binary<And, Bool>(Op::logical_and);
  t.binary<Or, Bool>(Op::logical_or);
  t.binary<Xor, Bool>(Op::logical_xor);
  t.comparison<Equal, float, double, Int, Bool>(Op::eq);
  t.comparison<NotEqual, float, double, Int, Bool>(Op::ne);
  t.comparison<Less, float, double, Int, Bool>(Op::lt);
  t.comparison<Greater, float, double, Int, Bool>(Op::gt);
  t.comparison<LessEqual, float, double, Int, Bool>(Op::le);
  t.comparison<GreaterEqual, float, double, Int, Bool>(Op::ge);

  t.ternary<AddScaled, float, double, Int>(Op::add_scaled);
  t.ternary<Clamp, float, double, Int>(Op::clamp);
  t.choice<Where, float, double, Int, Bool>(Op::where);
  return t;
}

}  // namespace

const Elementwise& elementwise() {
  static constexpr Table table = make_table();
  return table;
}

}  // namespace heed::kernels::HEED_KERNELS
