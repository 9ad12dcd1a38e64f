#include "nn/visit.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "autograd/node.h"
#include "tensor/core/tensor_iterator.h"
#include "tensor/core/text.h"

namespace heed::nn {
namespace {

// Whether two tensors of one shape and dtype hold the same bits.
bool same_bits(const Tensor& a, const Tensor& b) {
  return dispatch(a.dtype(), [&]<class T>() {
    const Tensor x = a.contiguous(), y = b.contiguous();
    const auto bytes = static_cast<std::size_t>(x.numel()) * sizeof(T);
    return bytes == 0 || std::memcmp(x.data<T>(), y.data<T>(), bytes) == 0;
  });
}

// Whether two tensors can get these elements: where they share some, the same.
bool agree(const Tensor& a, const Tensor& for_a, const Tensor& b, const Tensor& for_b) {
  if (a.storage() != b.storage() || a.numel() == 0 || b.numel() == 0) return true;
  if (a.is_same(b)) return same_bits(for_a, for_b);
  if (repeats_elements(a) || repeats_elements(b)) return true;  // refused before writing
  const auto [first, last] = places(a);
  const auto [first_of_b, last_of_b] = places(b);
  if (last < first_of_b || last_of_b < first) return true;
  // Both are written in memory of their own, and the one that was written first compared.
  const std::int64_t start = std::min(first, first_of_b);
  const std::int64_t size = std::max(last, last_of_b) - start + 1;
  const Tensor memory = empty({size}, a.dtype());
  const auto written = [&](const Tensor& x, const Tensor& elements) {
    Tensor there(memory.storage(), x.offset() - start, x.shape(), x.strides(), x.dtype());
    return there.copy_(elements);
  };
  const Tensor there = written(a, for_a);
  (void)written(b, for_b);
  return same_bits(there, for_a);
}

// Why `state` cannot be copied into `target`; each reason begins with "; ".
std::string misfits(const StateDict& target, const StateDict& state) {
  std::string reasons;
  std::vector<const StateDict::value_type*> fitting;  // of the target
  for (const auto& part : target) {
    const auto& [path, wanted] = part;
    const auto entry = state.find(path);
    if (entry == state.end()) continue;
    const Tensor& value = entry->second;
    if (!value.defined()) {
      reasons += fmt::format("; {} is undefined", shown(path));
      continue;
    }
    if (value.shape() != wanted.shape() || value.dtype() != wanted.dtype()) {
      reasons +=
          fmt::format("; {} must be {} {}, got {} {}", shown(path), name(wanted.dtype()),
                      wanted.shape(), name(value.dtype()), value.shape());
      continue;
    }
    for (const auto* other : fitting) {
      if (!agree(other->second, state.at(other->first), wanted, value)) {
        reasons += fmt::format("; {} and {} share elements, got different ones",
                               shown(other->first), shown(path));
      }
    }
    fitting.push_back(&part);
  }
  return reasons;
}

std::string list(const char* what, const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    text += (text.empty() ? what : ", ") + shown(path);
  }
  return text;
}

}  // namespace

namespace detail {

LoadReport copy_state(std::string_view where, const StateDict& target,
                      const StateDict& state, LoadOptions options) {
  LoadReport report;
  for (const auto& [path, value] : target) {
    if (!state.contains(path)) report.missing.push_back(path);
  }
  for (const auto& [path, value] : state) {
    if (!target.contains(path)) report.unexpected.push_back(path);
  }
  std::string faults = misfits(target, state);
  if (options.strict) {
    faults = list("; missing ", report.missing) +
             list("; unexpected ", report.unexpected) + faults;
  }
  check(faults.empty(), "{}: the state does not fit the module{}", where, faults);
  // Copies first: the state may hold the target's own tensors under other names. Only a
  // tensor whose storage nothing else holds is certainly not the target's.
  StateDict copies;
  for (const auto& [path, value] : state) {
    const auto place = target.find(path);
    if (place == target.end()) continue;
    check_distinct(path, place->second);
    copies.emplace(path, value.storage().unique() ? value : value.clone());
  }
  for (const auto& [path, value] : copies) Tensor(target.at(path)).copy_(value);
  return report;
}

Variable Clones::of(const Variable& x) {
  for (const auto& [original, copy] : made_) {
    if (original.node().get() == x.node().get() && original.value().is_same(x.value())) {
      return copy;
    }
  }
  const bool is_frozen = x.node() && x.node()->is_frozen;
  Variable copy(x.value().clone(), x.requires_grad() || is_frozen);
  if (is_frozen) copy.requires_grad_(false);
  return made_.emplace_back(x, copy).second;
}

std::vector<std::string> unlisted(const std::vector<Variable>& parameters,
                                  bool expects_dropout, const Variable& loss) {
  std::set<const Node*> seen;
  for (const Variable& parameter : parameters) seen.insert(parameter.node().get());
  std::vector<std::string> found;
  const auto leaf = [&](const Node& node, std::string_view user) {
    found.push_back(fmt::format("a leaf of shape {}, {}, used by {}", node.shape,
                                name(node.dtype), user));
  };
  if (!loss.requires_grad()) {
    const bool is_trained =
        std::any_of(parameters.begin(), parameters.end(),
                    [](const Variable& parameter) { return parameter.requires_grad(); });
    check(!is_trained,
          "unlisted: the loss has no graph; it must depend on leaves that require a "
          "gradient, and be computed without NoGrad");
    return found;
  }
  Node* const last = loss.node().get();
  if (last->kind == Node::Kind::leaf && !seen.contains(last)) leaf(*last, "nothing");
  std::vector<Node*> waiting = {last};
  seen.insert(last);
  while (!waiting.empty()) {
    Node& node = *waiting.back();
    waiting.pop_back();
    if (!expects_dropout && std::string_view(node.op.name).ends_with("dropout")) {
      found.push_back(
          fmt::format("{}, although no listed part is in training", node.op.name));
    }
    for (const NodeRef& input : node.inputs()) {
      if (!input || !seen.insert(input.get()).second) continue;
      if (input->kind == Node::Kind::leaf) leaf(*input.get(), node.op.name);
      waiting.push_back(input.get());
    }
  }
  return found;
}

std::string short_type_name(std::string_view pretty_function) {
  // g++ writes "... [with M = heed::nn::Linear; ...]", clang "... [M =
  // heed::nn::Linear]".
  const std::size_t start = pretty_function.find("M = ") + 4;
  std::string_view type = pretty_function.substr(start);
  type = type.substr(0, type.find_first_of(";]<"));
  const std::size_t colon = type.rfind("::");
  if (colon != std::string_view::npos) type.remove_prefix(colon + 2);
  return std::string(type);
}

}  // namespace detail
}  // namespace heed::nn
