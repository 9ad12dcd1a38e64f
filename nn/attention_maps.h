// The attention weights of a whole model, by the paths of its layers:
//
//   nn::keep_weights(model);
//   model(ids);
//   for (const nn::AttentionMap& map : nn::attention_maps(model))
//     fmt::print("{} {}\n", map.path, map.weights.shape());  // transformer.h.0.attn ...
//   nn::keep_weights(model, false);
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "nn/visit.h"

namespace heed::nn {

// What the attention at `path`, empty for the model itself, had in its attention_weights.
struct AttentionMap {
  std::string path;
  Tensor
      weights;  // (batch, heads, n, m); (batch, n, m) or (n, m) of layers without heads
};

// Whether the model's attentions keep their weights, from the next call on: sets
// keep_weights of every part that has one. What was kept before stays until then. Layers
// in a Sequential are not met (see sequential.h): net.at<Layer>(i).keep_weights sets one.
template <class M>
void keep_weights(M& model, bool keep = true) {
  static_assert(!std::is_const_v<M>,
                "heed: keep_weights() changes the layers of the model, and this one is "
                "const");
  walk(model, [&]<class P>(const std::string&, P& part) {
    if constexpr (requires { part.keep_weights; }) part.keep_weights = keep;
  });
}

namespace detail {

// Throws Error, with what to do, when no map was found.
void check_kept(bool has_attention, const std::vector<AttentionMap>& maps);

}  // namespace detail

// The weights of the last call, in the order of visit(); the tensors are the layers' own,
// which the next call replaces and does not overwrite. An attention that kept none is
// left out. Throws Error when all of them kept none, or the model has no attention.
template <class M>
std::vector<AttentionMap> attention_maps(const M& model) {
  std::vector<AttentionMap> maps;
  bool has_attention = false;
  walk(model, [&]<class P>(const std::string& path, P& part) {
    if constexpr (requires {
                    { part.attention_weights } -> std::same_as<Tensor&>;
                  }) {
      has_attention = true;
      if (part.attention_weights.defined())
        maps.push_back({path, part.attention_weights});
    }
  });
  detail::check_kept(has_attention, maps);
  return maps;
}

}  // namespace heed::nn
