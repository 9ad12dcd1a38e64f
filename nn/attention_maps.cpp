#include "nn/attention_maps.h"

namespace heed::nn::detail {

void check_kept(bool has_attention, const std::vector<AttentionMap>& maps) {
  check(has_attention,
        "attention_maps: the model lists no part with attention_weights, as the layers "
        "of attention have them; those in a Sequential are not met");
  check(!maps.empty(),
        "attention_maps: no weights were kept; call nn::keep_weights(model), and the "
        "model after it");
}

}  // namespace heed::nn::detail
