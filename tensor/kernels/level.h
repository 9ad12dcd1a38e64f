// The kernels: loops that are compiled once for each level, a set of instructions that
// processors have, and the choice among the levels at run time.
//
// A file ..._kernels.cpp stands beside the file that calls it, and is compiled for each
// level with that level's compiler flags, into a namespace of its own (HEED_KERNELS names
// it). Its header declares a struct of pointers to the loops and of numbers that go with
// them, which get() finds. The kernel files hold their helpers in an unnamed namespace
// and take from elsewhere only what the compiler always inlines. To the linker all inline
// functions of one name are the same function, of which it keeps one copy: what was
// compiled for one level would then run at another. (The test kernel_symbols looks for
// such copies.)
//
// Meson's option `levels` says which levels beside the baseline a build has; the build
// defines HEED_HAS_V3 and HEED_HAS_V4 as 1 or 0 for them.
#pragma once

#include <string_view>

namespace heed::kernels {

enum class Level {
  baseline,  // what every x86-64 has, and every other processor
  v3,        // AVX2, FMA and BMI2; what has these is taken to have all of x86-64-v3
  v4,        // AVX-512 F, DQ, BW, VL and CD
};

// The level in use: the best that the processor and this build have, or the one that the
// environment variable HEED_LEVEL names: baseline, v3 or v4. If they lack that level,
// the best one below it. Throws Error for any other name; an empty one counts as none.
Level level();
std::string_view name(Level level);

// Each kernel file defines get() for its struct, such as ReduceKernels<float>.
namespace baseline {
template <class Kernels>
const Kernels& get();
}
namespace v3 {
template <class Kernels>
const Kernels& get();
}
namespace v4 {
template <class Kernels>
const Kernels& get();
}

// The kernels of the level that level() tells. Throws Error as it does.
template <class Kernels>
const Kernels& get() {
  static const Kernels& chosen = []() -> const Kernels& {
    switch (level()) {
#if HEED_HAS_V4
      case Level::v4: return v4::get<Kernels>();
#endif
#if HEED_HAS_V3
      case Level::v3: return v3::get<Kernels>();
#endif
      default: return baseline::get<Kernels>();
    }
  }();
  return chosen;
}

}  // namespace heed::kernels
