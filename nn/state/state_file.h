// The parameters and buffers of a module in a safetensors file, under PyTorch's names:
// `W_k.weight`. PyTorch loads it into its module of the same parts, and the other way
// round:
//
//   nn::save_state(net, "net.safetensors", {{"epoch", "5"}});
//   nn::load_state(net, "net.safetensors");
//
//   net.load_state_dict(safetensors.torch.load_file("net.safetensors"))    # Python
#pragma once

#include <map>
#include <string>
#include <utility>

#include "nn/state/safetensors.h"
#include "nn/visit.h"
#include "tensor/core/error.h"
#include "tensor/core/text.h"

namespace heed::nn {

// Writes the state dict of a module or an optimiser, with texts of the caller's own as
// metadata. A parameter that two parts share is written under both names. Throws Error as
// state_dict and write_safetensors do.
template <class M>
void save_state(const M& module, const std::string& path,
                const std::map<std::string, std::string>& metadata = {}) {
  if constexpr (HasStateDict<M>) {
    write_safetensors(path, {module.state_dict(), metadata});
  } else {
    write_safetensors(path, {state_dict(module), metadata});
  }
}

struct LoadedState : LoadReport {
  std::map<std::string, std::string> metadata;
};

// Reads a file into the module's parameters and buffers. Throws Error, and changes
// nothing, as read_safetensors and load_state_dict do.
template <class M>
requires(!HasStateDict<M>) LoadedState
    load_state(M& module, const std::string& path, LoadOptions options = {}) {
  detail::check_not_const<M>();
  Safetensors file = read_safetensors(path);
  return {detail::copy_state("load_state: " + printable(path), state_dict(module),
                             std::move(file.tensors), options),
          std::move(file.metadata)};
}
// Reads a file into an optimiser. Throws Error, and changes nothing, as read_safetensors
// and the optimiser's load_state_dict do.
template <HasStateDict Optimiser>
LoadedState load_state(Optimiser& optimiser, const std::string& path) {
  Safetensors file = read_safetensors(path);
  try {
    optimiser.load_state_dict(file.tensors);
  } catch (const Error& e) {
    fail("load_state: {}: {}", printable(path), e.what());
  }
  return {{}, std::move(file.metadata)};
}

}  // namespace heed::nn
