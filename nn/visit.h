// Modules, and the functions that work on all of them.
//
// A module is a plain struct that can be called and lists its parts once:
//
//   struct Mlp {
//     nn::Linear hidden{2, 8}, out{8, 1};
//     Variable operator()(const Variable& x) { return out(tanh(hidden(x))); }
//     void visit(auto&& f) { f("hidden", hidden); f("out", out); }
//   };
//
// A part is another module, a vector of modules, a parameter (a Variable), a buffer (a
// Tensor that is saved but not trained) or a part such as nn::Dropout, which has a
// `training` flag and no parts. Everything below walks visit(): there is no registry that
// could disagree with the fields. What visit() does not list is not trained or saved;
// check_gradients() finds parameters that a loss does not reach.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/variable.h"

namespace heed::nn {

// A module: what has a visit().
template <class M>
concept Module = requires(M& m) {
  m.visit([](std::string_view, auto&) {});
};

using NamedParameters = std::vector<std::pair<std::string, Variable>>;
using StateDict = std::map<std::string, Tensor>;

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// Clones of Variables; the same clone again for a Variable that has one.
class Clones {
 public:
  Variable of(const Variable& x);

 private:
  std::vector<std::pair<Variable, Variable>> made_;
};

inline std::string join(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::string(path) + "." + std::string(name);
}

}  // namespace detail

// Calls f(path, part) for `module` itself, its parts, their parts, and so on, with paths
// such as "attention.W_q.weight". The elements of a vector are named 0, 1, ...
template <class M, class F>
void walk(M& module, F&& f, const std::string& path = {}) {
  f(path, module);
  if constexpr (detail::is_vector<M>) {
    for (std::size_t i = 0; i < module.size(); ++i) {
      walk(module[i], f, detail::join(path, std::to_string(i)));
    }
  } else if constexpr (Module<M>) {
    module.visit([&](std::string_view name, auto& part) {
      walk(part, f, detail::join(path, name));
    });
  }
}

// The parameters in the order of visit(), each once, with their paths: `W_q.weight`.
template <Module M>
NamedParameters named_parameters(M& module) {
  NamedParameters found;
  std::set<const Node*> seen;  // one that two modules share comes twice
  walk(module, [&]<class P>(const std::string& path, P& part) {
    if constexpr (std::is_same_v<P, Variable>) {
      const Node* const node = part.node().get();
      if (!node || seen.insert(node).second) found.emplace_back(path, part);
    }
  });
  return found;
}

// The same without names: what an optimiser takes.
template <Module M>
std::vector<Variable> parameters(M& module) {
  std::vector<Variable> list;
  for (auto& [name, parameter] : named_parameters(module)) list.push_back(parameter);
  return list;
}

// Sets the `training` flag of every part that has one, such as dropout.
template <Module M>
void set_training(M& module, bool training) {
  walk(module, [&]<class P>(const std::string&, P& part) {
    if constexpr (requires { part.training; }) part.training = training;
  });
}
template <Module M>
void train(M& module) {
  set_training(module, true);
}
template <Module M>
void eval(M& module) {
  set_training(module, false);
}

// Forgets the gradients of all parameters.
template <Module M>
void zero_grad(M& module) {
  for (auto& parameter : parameters(module)) parameter.zero_grad();
}

// All parameters and buffers by path. The tensors are those of the module, not copies.
// Throws Error when visit() gives two of them one name.
template <Module M>
StateDict state_dict(M& module) {
  StateDict state;
  const auto add = [&](const std::string& path, const Tensor& value) {
    check(state.emplace(path, value).second, "state_dict: two parts are named {}", path);
  };
  walk(module, [&]<class P>(const std::string& path, P& part) {
    if constexpr (std::is_same_v<P, Variable>) add(path, part.value());
    if constexpr (std::is_same_v<P, Tensor>) add(path, part);
  });
  return state;
}

struct LoadOptions {
  bool strict = true;  // whether every path must have an entry, and every entry a path
};

// The paths of the module that had no entry, and the entries that have no path in it.
struct LoadReport {
  std::vector<std::string> missing, unexpected;
};

namespace detail {

// What load_state_dict does, for the module's own tensors `target`. The message of an
// Error starts with `where`.
LoadReport copy_state(std::string_view where, const StateDict& target,
                      const StateDict& state, LoadOptions options);

}  // namespace detail

// Copies `state` into the parameters and buffers of those paths. Throws Error, and
// changes nothing, when a shape or dtype differs, when two paths of one tensor bring it
// different elements, or, if strict, when a path is missing or unexpected; the message
// lists them all. If not strict, the latter are passed over and returned.
template <Module M>
LoadReport load_state_dict(M& module, const StateDict& state, LoadOptions options = {}) {
  return detail::copy_state("load_state_dict", state_dict(module), state, options);
}

// A copy of the module with parameters and buffers of its own. Two parts that are one
// tensor are one in the copy, too; two views of one tensor become tensors of their own.
template <Module M>
M clone(const M& module) {
  M copy = module;
  detail::Clones clones;
  walk(copy, [&]<class P>(const std::string&, P& part) {
    if constexpr (std::is_same_v<P, Variable>) part = clones.of(part);
    if constexpr (std::is_same_v<P, Tensor>) part = clones.of(part).value();
  });
  return copy;
}

// The paths of the parameters that have no gradient. After a backward() an empty list
// says that the loss depends on every parameter that visit() lists.
template <Module M>
std::vector<std::string> check_gradients(M& module) {
  std::vector<std::string> without;
  for (auto& [name, parameter] : named_parameters(module)) {
    if (!parameter.has_grad()) without.push_back(name);
  }
  return without;
}

namespace detail {

// The last part of a C++ type's name: "Linear" of heed::nn::Linear.
std::string short_type_name(std::string_view pretty_function);

template <class M>
std::string type_name() {
  return short_type_name(__PRETTY_FUNCTION__);
}

template <class M>
std::string describe(M& module, int indent);

// One line `(name): ...` for each part that is a module or a vector of them.
template <class M>
std::string describe_parts(M& module, int indent) {
  std::string lines;
  const auto line = [&]<class P>(std::string_view name, P& part) {
    if constexpr (Module<P> || is_vector<P>) {
      lines += std::string(indent, ' ') + "(" + std::string(name) +
               "): " + describe(part, indent) + "\n";
    }
  };
  if constexpr (is_vector<M>) {
    for (std::size_t i = 0; i < module.size(); ++i) line(std::to_string(i), module[i]);
  } else {
    module.visit(line);
  }
  return lines;
}

template <class M>
std::string describe(M& module, int indent) {
  std::string type = "ModuleList";
  if constexpr (!is_vector<M>) type = type_name<M>();
  if constexpr (requires { module.summary(); })
    return type + "(" + module.summary() + ")";
  const std::string parts = describe_parts(module, indent + 2);
  if (parts.empty()) return type + "()";
  return type + "(\n" + parts + std::string(indent, ' ') + ")";
}

}  // namespace detail

// The module as text, much as PyTorch prints it: its type, and what its summary() says,
// or else a line for each part.
template <Module M>
std::string to_string(M& module) {
  return detail::describe(module, 0);
}

}  // namespace heed::nn
