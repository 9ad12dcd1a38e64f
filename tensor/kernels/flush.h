// Arithmetic without denormal numbers, for the kernel files alone.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace heed::kernels::HEED_KERNELS {
namespace {

// While such an object lives, numbers below the smallest normal one (1.2e-38 in float32)
// are read and written as 0, on x86. Small weights of a softmax come to lie there, and an
// x86 processor multiplies such a number some fifty times more slowly, in the softmax and
// in every product that the weights go into.
class FlushDenormals {
#if defined(__SSE2__)
 public:
  FlushDenormals() { _mm_setcsr(before_ | 0x8040); }  // 0x8000: results, 0x40: operands
  ~FlushDenormals() { _mm_setcsr(before_); }

 private:
  unsigned before_ = _mm_getcsr();
#else
 public:
  ~FlushDenormals() {}
#endif
};

// Not inlined: the compiler does not know that arithmetic depends on the flags, and could
// move it across their setting.
template <auto f, class... Args>
[[gnu::noinline]] void out_of_line(Args... args) {
  f(args...);
}

template <auto f, class... Args>
void flushed(Args... args) {
  const FlushDenormals flush;
  out_of_line<f, Args...>(args...);
}

}  // namespace
}  // namespace heed::kernels::HEED_KERNELS
