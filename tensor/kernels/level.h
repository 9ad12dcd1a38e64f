// The instruction sets that the kernels are compiled for, and the choice among them.
//
// Each kernel file of this folder is compiled once a level with that level's compiler
// flags, into a namespace of its own (HEED_KERNELS names it), and hands out a table of
// function pointers. The tables are chosen once, at the first use, by asking the
// processor. The files hold their helpers in an unnamed namespace and take nothing inline
// from elsewhere that the linker could merge between levels.
#pragma once

#include <string_view>
#include <type_traits>

namespace heed::kernels {

enum class Level {
  baseline,  // what every x86-64 has, and every other processor
  v3,        // AVX2 and FMA
  v4,        // AVX-512 F, DQ, BW and VL
};

// The best level of this processor, or the one that the environment variable HEED_LEVEL
// names: baseline, v3 or v4. If the processor lacks that, its best. Throws Error for any
// other name.
Level level();
std::string_view name(Level level);

// What the function of the chosen level returns. On other processors than x86-64 there
// are no others than the baseline's.
template <auto baseline, auto v3, auto v4>
decltype(auto) chosen() {
#if defined(__x86_64__)
  if (level() == Level::v4) return v4();
  if (level() == Level::v3) return v3();
#endif
  return baseline();
}

// The half of a table that is for an element type, float or double.
template <class T>
const auto& of_type(const auto& table) {
  if constexpr (std::is_same_v<T, float>) {
    return table.float32;
  } else {
    return table.float64;
  }
}

}  // namespace heed::kernels
