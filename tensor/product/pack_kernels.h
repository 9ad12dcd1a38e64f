// The loop that packs panels (see panels.h). T is float or double.
#pragma once

#include <cstdint>

namespace heed::kernels {

template <class T>
struct PackKernels {
  // Packs lines of `depth` elements in panels of `width` lines, panel_step apart; what
  // the last panel has no lines for becomes 0:
  //   panels[j * panel_step + p * width + i] =
  //       x[(j * width + i) * line_step + p * depth_step]
  void (*pack)(std::int64_t width, std::int64_t lines, std::int64_t depth, const T* x,
               std::int64_t line_step, std::int64_t depth_step, T* panels,
               std::int64_t panel_step);
};

}  // namespace heed::kernels
