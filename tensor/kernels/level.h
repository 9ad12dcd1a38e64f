// The instruction sets that the kernels are compiled for, and the choice among them.
//
// Each kernel file of this folder is compiled once a level with that level's compiler
// flags, into a namespace of its own (HEED_LEVEL names it), and hands out a table of
// function pointers. The tables are chosen once, at the first use, by asking the
// processor. The files hold their helpers in an unnamed namespace and take nothing inline
// from elsewhere that the linker could merge between levels.
#pragma once

#include <string_view>

namespace heed::kernels {

enum class Level {
  baseline,  // what every x86-64 has, and every other processor
  v3,        // AVX2 and FMA
  v4,        // AVX-512 F, DQ, BW and VL
};

// The best level of this processor, or the one that the environment variable HEED_LEVEL
// names (baseline, v3, v4) if the processor has it.
Level level();
std::string_view name(Level level);

// The table of the chosen level, given the functions that return each level's.
template <class Table>
const Table& choose(const Table& baseline, const Table& v3, const Table& v4) {
  switch (level()) {
    case Level::v4: return v4;
    case Level::v3: return v3;
    case Level::baseline: break;
  }
  return baseline;
}

}  // namespace heed::kernels
