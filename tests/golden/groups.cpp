#include "tests/golden/replay.h"

namespace heed::golden {

std::span<const Group> groups() {
  static constexpr Group known[] = {
      {"rng", replay_rng},
      {"init", replay_init},
      {"dropout", replay_dropout},
      {"nw_data", replay_nw_data},
      {"nw_nonparametric", replay_nw_nonparametric},
      {"nw_parametric", replay_nw_parametric},
      {"op", replay_op},
      {"optimiser", replay_optimiser},
  };
  return known;
}

}  // namespace heed::golden
