// What is done to all parts of a module: a function of each of a type, freezing,
// counting, listing the buffers.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "nn/visit.h"

namespace heed::nn {

// The number of elements of all parameters; those of one that is shared count once.
template <class M>
std::int64_t num_parameters(const M& module) {
  std::int64_t count = 0;
  for (auto& [name, parameter] : named_parameters(module)) count += parameter.numel();
  return count;
}

using NamedBuffers = std::vector<std::pair<std::string, Tensor>>;

// The buffers in the order of visit(), with their paths: the module's own tensors. One
// that several parts share is listed once.
template <class M>
NamedBuffers named_buffers(const M& module) {
  NamedBuffers found;
  walk(module, [&]<class P>(const std::string& path, P& part) {
    if constexpr (std::is_same_v<P, Tensor>) {
      const bool is_new = std::ranges::none_of(
          found, [&](const auto& named) { return named.second.is_same(part); });
      if (is_new) found.emplace_back(path, part);
    }
  });
  return found;
}
template <class M>
std::vector<Tensor> buffers(const M& module) {
  std::vector<Tensor> list;
  for (auto& [name, buffer] : named_buffers(module)) list.push_back(buffer);
  return list;
}

// Freezes all parameters, or makes them ask for their gradients again.
template <class M>
void requires_grad_(M& module, bool requires_grad = true) {
  detail::check_not_const<M>();
  walk(module, [&]<class P>(const std::string&, P& part) {
    if constexpr (std::is_same_v<P, Variable>) part.requires_grad_(requires_grad);
  });
}

// Calls f(module) for each module that f takes, parts before what they are parts of, and
// `module` itself last:
//   nn::apply(net, [](nn::Linear& layer) { nn::init::zeros_(layer.bias); });
// A generic lambda takes every module; where there is a Sequential, which has forgotten
// the types of its layers, f has to be a function of one type.
template <class M, class F>
requires(!Part<std::remove_cvref_t<F>>) void apply(M& module, F&& f) {
  detail::check_not_const<M>();
  if constexpr (detail::is_nullable<M>) {
    if (module) nn::apply(*module, f);
  } else if constexpr (Module<M> || detail::Container<M>) {
    if constexpr (requires { module.apply_to_layers(f); }) {
      module.apply_to_layers(f);
    } else {
      detail::for_each_part(module,
                            [&](const std::string&, auto& part) { nn::apply(part, f); });
    }
  }
  if constexpr (Module<M> || detail::TrainingFlag<M>) {
    if constexpr (std::invocable<F&, M&>) f(module);
  }
}

}  // namespace heed::nn
