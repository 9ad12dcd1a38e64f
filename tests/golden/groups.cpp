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
      {"masked_softmax", replay_masked_softmax},
      {"additive_attention", replay_additive_attention},
      {"dot_product_attention", replay_dot_product_attention},
      {"attention", replay_attention},
      {"attention_temperature", replay_attention_temperature},
      {"general_attention", replay_general_attention},
      {"self_attention", replay_self_attention},
      {"multi_head_attention", replay_multi_head_attention},
      {"causal_mha", replay_causal_mha},
      {"op", replay_op},
      {"edges", replay_op},
      {"optimiser", replay_optimiser},
      {"language_model", replay_language_model},
      {"transformer", replay_transformer},
  };
  return known;
}

}  // namespace heed::golden
