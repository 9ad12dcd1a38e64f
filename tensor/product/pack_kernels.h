// The loop that packs panels (see panels.h). T is float or double.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <class T>
struct PackKernels {
  // Packs lines of `depth` elements in panels of `width` lines, panel_stride apart; what
  // the last panel has no lines for becomes 0:
  //   panels[j * panel_stride + p * width + i] =
  //       x[(j * width + i) * line_stride + p * depth_stride]
  void (*pack)(std::int64_t width, std::int64_t lines, std::int64_t depth, const T* x,
               std::int64_t line_stride, std::int64_t depth_stride, T* panels,
               std::int64_t panel_stride);
};

}  // namespace heed::kernels
