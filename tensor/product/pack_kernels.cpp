#include "tensor/product/pack_kernels.h"

#include "tensor/kernels/level.h"
#include "tensor/kernels/transpose.h"
#include "tensor/kernels/vector.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

using std::int64_t;

// The lines of the panels lie side by side in memory already. A loop of known length is a
// few instructions: known_width is the width, or 0 where it is none that pack()
// knows. Eight panels at a time, so that a row of memory is read in longer pieces.
template <int known_width, class T>
void pack_side_by_side(int64_t width, int64_t lines, int64_t depth, const T* x,
                       int64_t depth_stride, T* panels, int64_t panel_stride) {
  constexpr int64_t ahead = 16, at_once = 8;
  const int64_t count = known_width ? known_width : width;
  for (; lines > 0; lines -= at_once * count, x += at_once * count) {
    const int64_t taken = lines < at_once * count ? lines : at_once * count;
    const T* row = x;
    for (int64_t p = 0; p < depth; ++p, row += depth_stride) {
      // Rows often lie far apart in memory, where the processor's own prefetching fails.
      for (int64_t i = 0; i < taken; i += cache_line<T>) {
        __builtin_prefetch(row + ahead * depth_stride + i);
      }
      T* panel = panels + p * count;
      int64_t i = 0;
      for (; i + count <= taken; i += count, panel += panel_stride) {
#pragma omp simd
        for (int64_t l = 0; l < count; ++l) panel[l] = row[i + l];
      }
      for (int64_t l = 0; i + l < taken; ++l) panel[l] = row[i + l];
    }
    panels += at_once * panel_stride;
  }
}

template <class T>
void pack(int64_t width, int64_t lines, int64_t depth, const T* x, int64_t line_stride,
          int64_t depth_stride, T* panels, int64_t panel_stride) {
  if (lines % width != 0) {
    T* const last = panels + lines / width * panel_stride;
    for (int64_t i = 0; i < width * depth; ++i) last[i] = 0;
  }
  if (line_stride == 1) {
    const auto loop = [&] {
      switch (width) {  // the rows or the columns of most tiles
        case 6: return pack_side_by_side<6, T>;
        case 8: return pack_side_by_side<8, T>;
        case 12: return pack_side_by_side<12, T>;
        case 16: return pack_side_by_side<16, T>;
        case 32: return pack_side_by_side<32, T>;
        default: return pack_side_by_side<0, T>;
      }
    }();
    return loop(width, lines, depth, x, depth_stride, panels, panel_stride);
  }
  for (; lines > 0; lines -= width, x += width * line_stride, panels += panel_stride) {
    const int64_t taken = lines < width ? lines : width;
    if (depth_stride == 1) {
      // The lines are rows of memory. transpose() jumps from one to the next, which takes
      // twice as long where they come from memory: so up to 2 KiB of each line are
      // fetched first, from front to back. Lines of at most two cache lines are not: that
      // would take a tenth of the time of a product of 16 x 16 matrices.
      constexpr int64_t most = 2048 / sizeof(T);
      for (int64_t first = 0; first < depth; first += most) {
        const int64_t count = depth - first < most ? depth - first : most;
        if (count > 2 * cache_line<T>) {
          for (int64_t i = 0; i < taken; ++i) {
            for (int64_t p = 0; p < count; p += cache_line<T>) {
              __builtin_prefetch(x + i * line_stride + first + p);
            }
          }
        }
        transpose(taken, count, x + first, line_stride, panels + first * width, width);
      }
    } else {
      for (int64_t p = 0; p < depth; ++p) {
        for (int64_t i = 0; i < taken; ++i) {
          panels[p * width + i] = x[i * line_stride + p * depth_stride];
        }
      }
    }
  }
}

template <class T>
constexpr PackKernels<T> kernels = {.pack = pack<T>};

}  // namespace

template <>
const PackKernels<float>& get() {
  return kernels<float>;
}
template <>
const PackKernels<double>& get() {
  return kernels<double>;
}

}  // namespace heed::kernels::HEED_KERNELS
