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
// A part is another module, a parameter (a Variable), a buffer (a Tensor that is saved
// but not trained), a struct of a `training` flag and plain numbers, which needs no
// visit(), or several of these: in a vector, array, map or pair, or in an optional or a
// unique_ptr, which may be empty. Anything else does not compile. The struct stands
// outside of functions: C++ allows no member template, such as visit(auto&&), in a local
// struct. Inside a function a Sequential does for layers one after another.
//
// Everything below walks visit(): there is no registry that could disagree with the
// fields. What visit() does not list is not trained, saved or switched to eval():
// unlisted() finds it, and without_gradient() finds parameters that a loss does not
// reach.
//
// A copy of a module shares its parameters, as a copy of a Variable does, but has flags
// of its own: after auto copy = net, eval(copy) leaves net training. clone() copies the
// parameters too, but not a module with a unique_ptr, which C++ cannot copy.
//
// visit() is not const, so that one function serves reading and writing. The functions
// below that only read take const modules and call it all the same; those that write
// refuse them.
#pragma once

#include <algorithm>
#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "autograd/variable.h"
#include "nn/state_dict.h"

namespace heed::nn {

// A module: what has a visit().
template <class M>
concept Module = requires(M& m) {
  m.visit([](std::string_view, auto&) {});
};

using NamedParameters = NamedVariables;

namespace detail {

// A part that may be absent.
template <class P>
inline constexpr bool is_nullable = false;
template <class P>
inline constexpr bool is_nullable<std::optional<P>> = true;
template <class P>
inline constexpr bool is_nullable<std::unique_ptr<P>> = true;

// A map with strings or numbers as keys.
template <class P>
concept Map = requires {
  typename P::mapped_type;
};

template <class P>
concept Tuple = requires {
  std::tuple_size<P>::value;
};

// What a range-based for takes, except a Tensor's rows. (std::ranges::range is the same,
// but <ranges> takes long to compile.)
template <class P>
concept Range =
    !std::same_as<P, Tensor> && !std::same_as<P, Variable> && requires(P & parts) {
  std::begin(parts);
  std::end(parts);
};

// Parts whose names are their numbers or keys.
template <class P>
concept Container = !Module<P> && !is_nullable<P> && (Tuple<P> || Range<P>);

// Calls f(name, part) for each part of a module or container.
template <class M, class F>
void for_each_part(M& module, F&& f) {
  if constexpr (Module<M>) {
    module.visit([&](std::string_view name, auto& part) { f(std::string(name), part); });
  } else if constexpr (Map<M>) {
    for (auto& [key, part] : module) f(fmt::format("{}", key), part);
  } else if constexpr (Range<M>) {
    std::size_t i = 0;
    for (auto& part : module) f(std::to_string(i++), part);
  } else {
    std::apply([&, i = 0](auto&... part) mutable { (f(std::to_string(i++), part), ...); },
               module);
  }
}

// A part that is a `training` flag and plain numbers: what can be copied byte by byte
// holds nothing that a walk would have to find, such as a Variable.
template <class P>
concept TrainingFlag = std::is_trivially_copyable_v<P> && requires(P& part) {
  part.training;
};

template <class M>
constexpr void check_not_const() {
  static_assert(!std::is_const_v<M>,
                "heed: what switches a module between train() and eval(), or loads its "
                "state, changes it, and this one is const");
}

// Clones of Variables; the same clone again for a Variable that has one.
class Clones {
 public:
  Variable of(const Variable& x);

 private:
  std::vector<std::pair<Variable, Variable>> made_;
};

}  // namespace detail

// What visit() may list.
template <class P>
concept Part = Module<P> || detail::Container<P> || detail::is_nullable<P> ||
    std::same_as<P, Variable> || std::same_as<P, Tensor> || detail::TrainingFlag<P>;

// An optimiser, as those in optim/: it has a state dict of its own.
template <class T>
concept HasStateDict = requires(T& x, const StateDict& state) {
  { x.state_dict() } -> std::convertible_to<StateDict>;
  x.load_state_dict(state);
};

// Calls f(path, part) for `module` itself, its parts, their parts, and so on, with paths
// such as "attention.W_q.weight". The elements of a vector are named 0, 1, ..., those of
// a map by their keys. Throws Error when a listed Variable or Tensor is undefined.
template <class M, class F>
void walk(M& module, F&& f, const std::string& path = {}) {
  if constexpr (detail::is_nullable<M>) {
    if (module) walk(*module, f, path);
  } else if constexpr (Module<M> || detail::Container<M>) {
    f(path, module);
    detail::for_each_part(module, [&](const std::string& name, auto& part) {
      walk(part, f, path.empty() ? name : path + "." + name);
    });
  } else {
    static_assert(
        Part<M>,
        "heed: neither a module nor a part of one. A module is a struct that lists its "
        "parts, in a public visit() that is not const and takes auto&&, not auto&: void "
        "visit(auto&& f) { f(\"W\", W); }. A part is a module, a Variable, a Tensor, a "
        "struct of a `training` flag and plain numbers, or a container of these");
    if constexpr (std::same_as<M, Variable> || std::same_as<M, Tensor>) {
      check(module.defined(),
            "visit: the part \"{}\" is undefined; the module was moved from, or the part "
            "never given a value",
            path);
    }
    f(path, module);
  }
}
template <class M, class F>
void walk(const M& module, F&& f) {
  walk(const_cast<M&>(module), f);
}

// The parameters in the order of visit(), each once, with their paths: `W_q.weight`.
template <class M>
NamedParameters named_parameters(const M& module) {
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
template <class M>
std::vector<Variable> parameters(const M& module) {
  std::vector<Variable> list;
  for (auto& [name, parameter] : named_parameters(module)) list.push_back(parameter);
  return list;
}

// Those whose path satisfies a condition, as for groups of an optimiser:
//   parameters(net, [](std::string_view path) { return path.ends_with("bias"); })
template <class M, std::predicate<std::string_view> Condition>
std::vector<Variable> parameters(const M& module, Condition&& condition) {
  std::vector<Variable> list;
  for (auto& [name, parameter] : named_parameters(module)) {
    if (condition(std::string_view(name))) list.push_back(parameter);
  }
  return list;
}

// Sets the `training` flag of every part that has one, such as dropout.
template <class M>
void set_training(M& module, bool training) {
  detail::check_not_const<M>();
  walk(module, [&]<class P>(const std::string&, P& part) {
    if constexpr (requires { part.training; }) part.training = training;
  });
}
template <class M>
void train(M& module, bool training = true) {
  set_training(module, training);
}
template <class M>
void eval(M& module) {
  set_training(module, false);
}

// Forgets the gradients of all parameters.
template <class M>
void zero_grad(const M& module) {
  for (auto& parameter : parameters(module)) parameter.zero_grad();
}

// All parameters and buffers by path, in the order of visit(). The tensors are those of
// the module, not copies. Throws Error when visit() gives two of them one name.
template <class M>
StateDict state_dict(const M& module) {
  static_assert(!HasStateDict<M>,
                "heed: an optimiser has members state_dict() and load_state_dict()");
  StateDict state;
  const auto add = [&](const std::string& path, const Tensor& value) {
    check(state.emplace(path, value), "state_dict: two parts are named {}", path);
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
// changes nothing, when a shape or dtype differs, when two paths share elements and bring
// different ones, or, if strict, when a path is missing or unexpected; the message lists
// them all. If not strict, missing and unexpected paths are passed over and returned.
template <class M>
LoadReport load_state_dict(M& module, const StateDict& state, LoadOptions options = {}) {
  detail::check_not_const<M>();
  return detail::copy_state("load_state_dict", state_dict(module), state, options);
}

// A copy of the module with parameters and buffers of its own, without gradients; what is
// frozen stays frozen. Two parts that are one tensor are one in the copy, too; two views
// of one tensor become tensors of their own.
template <class M>
M clone(const M& module) {
  M copy = module;
  detail::Clones clones;
  walk(copy, [&]<class P>(const std::string&, P& part) {
    if constexpr (std::is_same_v<P, Variable>) part = clones.of(part);
    if constexpr (std::is_same_v<P, Tensor>) part = clones.of(part).value();
  });
  return copy;
}

// The paths of the parameters that have no gradient and are not frozen. After a
// backward() an empty list says that the loss depends on every parameter that visit()
// lists.
template <class M>
std::vector<std::string> without_gradient(const M& module) {
  std::vector<std::string> without;
  for (auto& [name, parameter] : named_parameters(module)) {
    if (parameter.requires_grad() && !parameter.has_grad()) without.push_back(name);
  }
  return without;
}

namespace detail {

std::vector<std::string> unlisted(const std::vector<Variable>& parameters,
                                  bool expects_dropout, const Variable& loss);

}  // namespace detail

// What `loss` was computed with and visit() does not list, a text each: leaves that
// require a gradient and are no parameters of the module; and, if no listed part is in
// training, ops with dropout: after eval() they are of a Dropout that eval() did not
// reach. Looks at the recorded graph: throws Error when the loss has none, though a
// parameter requires a gradient.
template <class M>
std::vector<std::string> unlisted(const M& module, const Variable& loss) {
  bool training = false;
  walk(module, [&]<class P>(const std::string&, P& part) {
    if constexpr (requires { part.training; }) training = training || part.training;
  });
  return detail::unlisted(parameters(module), training, loss);
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

template <class P>
std::string describe_line(const std::string& name, P& part, int indent) {
  if constexpr (is_nullable<P>)
    return part ? describe_line(name, *part, indent) : std::string();
  else if constexpr (!Module<P> && !Container<P>)
    return {};
  else
    return std::string(indent, ' ') + "(" + name + "): " + describe(part, indent) + "\n";
}

// One line `(name): ...` for each part that is a module or a container.
template <class M>
std::string describe_parts(M& module, int indent) {
  if constexpr (requires { module.describe_parts(indent); }) {
    return module.describe_parts(indent);
  } else {
    std::string lines;
    for_each_part(module, [&]<class P>(const std::string& name, P& part) {
      lines += describe_line(name, part, indent);
    });
    return lines;
  }
}

template <class M>
std::string describe(M& module, int indent) {
  std::string type = "ModuleList";
  if constexpr (Module<M>) type = type_name<M>();
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
std::string to_string(const M& module) {
  return detail::describe(const_cast<M&>(module), 0);
}
template <Module M>
std::ostream& operator<<(std::ostream& out, const M& module) {
  return out << to_string(module);
}

}  // namespace heed::nn

// Modules print as to_string() has them. (Without format_to(): see sorting.h.)
template <heed::nn::Module M>
struct fmt::formatter<M> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  auto format(const M& module, format_context& context) const {
    const std::string text = heed::nn::to_string(module);
    return std::copy(text.begin(), text.end(), context.out());
  }
};
