#include "nn/summary.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "autograd/node.h"
#include "tensor/core/text.h"

namespace heed::nn::detail {
namespace {

struct Counts {
  std::int64_t parameters = 0, trained = 0, bytes = 0;
};

// 804096 as "804,096".
std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t i = std::ssize(digits) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<std::size_t>(i), ",");
  }
  return digits;
}

Counts counts_of(const SummaryTensor& tensor) {
  const Variable& x = tensor.value;
  const std::int64_t numbers = tensor.is_parameter ? x.numel() : 0;
  const auto size = static_cast<std::int64_t>(element_size(x.dtype()));
  return {numbers, x.requires_grad() ? numbers : 0, x.numel() * size};
}

// "W_q.weight" as seen from the module "W_q": "weight".
std::string below(const std::string& path, const std::string& module) {
  return module.empty() ? path : path.substr(module.size() + 1);
}

// Whether what is at `path` is a part of the module.
bool is_within(const std::string& path, const std::string& module) {
  return module.empty() || path.starts_with(module + ".");
}

}  // namespace

std::string summary(const std::vector<SummaryModule>& modules,
                    const std::vector<SummaryTensor>& tensors) {
  std::vector<Counts> counts(modules.size());
  std::vector<std::string> shapes(modules.size());
  // Where each tensor was found first.
  std::map<std::tuple<const void*, std::int64_t, const void*>, std::string> found;
  for (const SummaryTensor& tensor : tensors) {
    const Variable& x = tensor.value;
    const auto [first, is_new] = found.try_emplace(
        {x.value().storage().operator->(), x.value().offset(), x.node().get()},
        tensor.path);
    const Counts added = is_new ? counts_of(tensor) : Counts();
    std::size_t owner = 0;  // the innermost of the modules that have the tensor
    for (std::size_t i = 0; i < modules.size(); ++i) {
      if (!is_within(tensor.path, modules[i].path)) continue;
      owner = i;
      counts[i].parameters += added.parameters;
      counts[i].trained += added.trained;
      counts[i].bytes += added.bytes;
    }
    std::string& text = shapes[owner];
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        printable(below(tensor.path, modules[owner].path)), x.shape());
    if (!tensor.is_parameter) text += " buffer";
    if (x.node() && !x.requires_grad()) text += " frozen";
    if (!is_new) text += " of " + printable(first->second);
  }

  std::vector<std::vector<std::string>> lines = {
      {"path", "kind", "parameters", "bytes", "its own tensors"}};
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (i > 0 && counts[i].bytes == 0 && shapes[i].empty()) continue;
    lines.push_back({i == 0 ? "(model)" : printable(modules[i].path), modules[i].kind,
                     grouped(counts[i].parameters), grouped(counts[i].bytes), shapes[i]});
  }
  return heed::detail::table(lines, "<<>>") +
         fmt::format("{} parameters, {} of them trained; {} bytes with buffers\n",
                     grouped(counts[0].parameters), grouped(counts[0].trained),
                     grouped(counts[0].bytes));
}

}  // namespace heed::nn::detail
