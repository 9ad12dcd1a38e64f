// A model as a table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "nn/visit.h"

namespace heed::nn {

namespace detail {

// A parameter, or a buffer as a constant.
struct SummaryTensor {
  std::string path;
  Variable value;
  bool is_parameter;
};

struct SummaryModule {
  std::string path, kind;
};

std::string summary(const std::vector<SummaryModule>& modules,
                    const std::vector<SummaryTensor>& tensors);

}  // namespace detail

// The model as a table with a line for each module that has parameters or buffers: its
// path and type, the number of parameters and the bytes of both, its parts included, and
// its own tensors with their shapes; in the last line the totals, and how many parameters
// are trained. A tensor that two modules share counts once, with the first. A Sequential
// is one module: it lists the tensors of its layers as its own. Throws Error when a part
// is undefined.
template <Module M>
std::string summary(const M& model) {
  std::vector<detail::SummaryModule> modules;
  std::vector<detail::SummaryTensor> tensors;
  walk(model, [&]<class P>(const std::string& path, P& part) {
    if constexpr (Module<P>) {
      modules.push_back({path, detail::type_name<P>()});
    } else if constexpr (std::same_as<P, Variable> || std::same_as<P, Tensor>) {
      tensors.push_back({path, part, std::same_as<P, Variable>});
    }
  });
  return detail::summary(modules, tensors);
}

}  // namespace heed::nn
