// Layers one after another, as torch.nn.Sequential:
//
//   nn::Sequential net{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1)};
//   Variable y = net(x);
//   net.at<nn::Linear>(0).weight.grad();
//
// Braces, because C++ constructs the arguments in braces from left to right, and those in
// parentheses in any order: the layers would draw their initial values in any order.
// The parameters are "0.weight", "0.bias", "2.weight", ..., as in PyTorch.
//
// One type for all sequences, so that a struct can have one as a member: the types of the
// layers are forgotten, as std::function forgets that of a function. A walk() meets the
// parameters, buffers and `training` flags of a sequence, not the layers themselves.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "nn/apply.h"
#include "nn/visit.h"

namespace heed::nn {

namespace detail {

template <class Layer>
inline constexpr bool is_reference_wrapper = false;
template <class Layer>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<Layer>> = true;

template <class F>
inline constexpr bool is_std_function = false;
template <class F>
inline constexpr bool is_std_function<std::function<F>> = true;

// Whether the type is that of a lambda, which only its name tells: g++ writes
// "f()::<lambda(int)>", clang "(lambda at f.cpp:1:2)".
template <class F>
constexpr bool is_lambda() {
  const std::string_view name = __PRETTY_FUNCTION__;
  return name.find("<lambda(") != name.npos || name.find("(lambda at ") != name.npos;
}

// Whether the class has a member visit, even one that cannot be called here: then the
// name means two things in WithVisit.
struct HasOneVisit {
  int visit;
};
template <class F>
struct WithVisit : F, HasOneVisit {};
template <class F>
concept HasVisit = std::is_class_v<F> && !std::is_final_v<F> && !requires {
  &WithVisit<F>::visit;
};

// A layer that is a function: without parameters, as far as a compiler can tell. What can
// be copied byte by byte, such as a pointer to a function or a struct of numbers, holds
// no Variable; what a lambda or a std::function holds is their author's choice.
template <class F>
concept PlainFunction = !HasVisit<F> && (std::is_trivially_copyable_v<F> ||
                                         is_lambda<F>() || is_std_function<F>);

template <class P>
concept ModuleOrFunction = Part<P> || PlainFunction<P>;

// The type that a function of one parameter takes, without const and reference; of a
// generic lambda there is none.
template <class F>
struct TakenBy : TakenBy<decltype(&F::operator())> {};
template <class R, class T>
struct TakenBy<R (*)(T)> : std::type_identity<std::remove_cvref_t<T>> {};
template <class R, class F, class T>
struct TakenBy<R (F::*)(T)> : std::type_identity<std::remove_cvref_t<T>> {};
template <class R, class F, class T>
struct TakenBy<R (F::*)(T) const> : std::type_identity<std::remove_cvref_t<T>> {};
template <class F>
concept TakesOneType = requires {
  &F::operator();
}
|| std::is_pointer_v<F>;

// What a layer has to show to a walk: one of the three pointers is set.
struct Leaf {
  std::string path;
  Variable* parameter = nullptr;
  Tensor* buffer = nullptr;
  bool* training = nullptr;
};

using AnyModule = std::function<void(const std::type_info& type, void* module)>;

struct AnyModuleVisitor {
  const AnyModule& f;
  void operator()(auto& module) const { f(typeid(module), &module); }
};

// A layer of any type.
class AnyLayer {
 public:
  virtual ~AnyLayer() = default;
  virtual std::unique_ptr<AnyLayer> copy() const = 0;
  virtual Variable call(const Variable& x) = 0;
  virtual Variable call(const Tensor& x) = 0;
  virtual std::vector<Leaf> leaves(const std::string& path) = 0;
  // Calls f(type, address) for each module, parts before what they are parts of.
  virtual void for_each_module(const AnyModule& f) = 0;
  virtual std::string type() const = 0;
  // What to_string() says of the layer called `name`.
  virtual std::string line(const std::string& name, int indent) = 0;
};

[[noreturn]] void throw_takes_a_tensor(const std::string& layer);

template <class Layer>
class LayerOf final : public AnyLayer {
  static_assert(
      std::invocable<Layer&, const Tensor&>,
      "heed::nn::Sequential: a layer is called as layer(x); what is forward() in "
      "PyTorch is Variable operator()(const Variable& x) here");

 public:
  explicit LayerOf(Layer given) : layer(std::move(given)) {}

  std::unique_ptr<AnyLayer> copy() const override {
    return std::make_unique<LayerOf>(*this);
  }
  Variable call(const Variable& x) override {
    if constexpr (std::invocable<Layer&, const Variable&>) {
      return layer(x);
    } else {
      throw_takes_a_tensor(type());
    }
  }
  Variable call(const Tensor& x) override { return layer(x); }
  std::vector<Leaf> leaves(const std::string& path) override {
    std::vector<Leaf> found;
    if constexpr (Part<Layer>) {
      const auto add = [&]<class P>(const std::string& at, P& part) {
        if constexpr (std::is_same_v<P, Variable>) found.push_back({at, &part});
        if constexpr (std::is_same_v<P, Tensor>) found.push_back({at, nullptr, &part});
        if constexpr (requires { part.training; }) {
          found.push_back({at, nullptr, nullptr, &part.training});
        }
      };
      walk(layer, add, path);
    }
    return found;
  }
  void for_each_module(const AnyModule& f) override {
    if constexpr (Part<Layer>) {
      const AnyModuleVisitor visitor{f};
      apply(layer, visitor);
    }
  }
  std::string type() const override { return type_name<Layer>(); }
  std::string line(const std::string& name, int indent) override {
    if constexpr (Part<Layer>) return describe_line(name, layer, indent);
    return std::string(indent, ' ') + "(" + name + "): function\n";
  }

  Layer layer;
};

}  // namespace detail

class Sequential {
 public:
  // A layer is a module, or a function of a Variable, and can be copied. A function is a
  // lambda, a std::function, a pointer, or a struct of plain numbers without visit().
  // Sequential{net} of a sequence is a copy, as everywhere in C++, not a sequence with
  // one layer.
  template <class... Layers>
  explicit(sizeof...(Layers) == 1) Sequential(Layers... layers) {
    (append(std::move(layers)), ...);
  }
  // One layer more, at the end: for layers whose number is known when the program runs.
  template <class Layer>
  Sequential& append(Layer layer) & {
    static_assert(
        !detail::is_reference_wrapper<Layer>,
        "heed: give a Sequential the layer itself, not std::ref() of it: a copy "
        "shares its parameters");
    static_assert(
        detail::ModuleOrFunction<Layer>,
        "heed: neither a module nor a function, so that its parameters would not be "
        "found. A module is a struct that lists its parts, in a public visit() that is "
        "not const and takes auto&&, not auto&: void visit(auto&& f) { f(\"W\", W); }. A "
        "function is a lambda, a std::function, a pointer, or a struct of plain numbers "
        "without a visit()");
    static_assert(std::copy_constructible<Layer>,
                  "heed: a layer of a Sequential can be copied, and this one cannot");
    layers().push_back(std::make_unique<detail::LayerOf<Layer>>(std::move(layer)));
    return *this;
  }
  // A copy has the parameters in common, as copies of modules have, and its own
  // `training` flags.
  Sequential(const Sequential& other);
  Sequential(Sequential&&) = default;
  Sequential& operator=(const Sequential& other);
  Sequential& operator=(Sequential&&) = default;

  // Throws Error as the layers do, and when the sequence was moved from. A tensor, such
  // as the ids of tokens, goes to the first layer as it is.
  Variable operator()(const Variable& x) const;
  Variable operator()(const Tensor& x) const;

  // The number of layers.
  int64_t size() const;
  // The layer number i, from 0, or from -1 backwards. Throws Error when there is no such
  // layer, or it is not a Layer.
  template <class Layer>
  Layer& at(int64_t i) const {
    auto* const found = dynamic_cast<detail::LayerOf<Layer>*>(&any_layer(i));
    if (!found) throw_other_type(i, detail::type_name<Layer>());
    return found->layer;
  }
  template <std::integral Index>
  void operator[](Index) const {
    static_assert(
        sizeof(Index) == 0,
        "heed: the layers have types of their own: net.at<nn::Linear>(0), not net[0]");
  }

  void visit(auto&& f) {
    for (const detail::Leaf& leaf : leaves()) {
      if (leaf.parameter) f(leaf.path, *leaf.parameter);
      if (leaf.buffer) f(leaf.path, *leaf.buffer);
      if (leaf.training) {
        Training part{*leaf.training};
        f(leaf.path, part);
      }
    }
  }
  // apply() for the layers, of which only a function of one type can be found by theirs.
  template <class F>
  void apply_to_layers(F& f) {
    if constexpr (std::same_as<F, const detail::AnyModuleVisitor>) {  // of a Sequential
      for (const auto& layer : layers()) layer->for_each_module(f.f);
    } else {
      static_assert(detail::TakesOneType<F>,
                    "heed: apply() finds a layer of a Sequential by its type: give it a "
                    "function of one, such as [](nn::Linear& layer) { ... }");
      if constexpr (detail::TakesOneType<F>) {
        using Layer = typename detail::TakenBy<F>::type;
        for (const auto& layer : layers()) {
          layer->for_each_module([&](const std::type_info& type, void* module) {
            if (type == typeid(Layer)) f(*static_cast<Layer*>(module));
          });
        }
      }
    }
  }
  // The lines of to_string(), one for each layer.
  std::string describe_parts(int indent) const;

 private:
  using AnyLayers = std::vector<std::unique_ptr<detail::AnyLayer>>;
  struct Training {
    bool& training;
  };

  AnyLayers& layers() const;
  detail::AnyLayer& any_layer(int64_t i) const;
  std::vector<detail::Leaf> leaves() const;
  [[noreturn]] void throw_other_type(int64_t i, const std::string& wanted) const;

  // Null in a sequence that was moved from, so that it is not one without layers.
  std::unique_ptr<AnyLayers> layers_ = std::make_unique<AnyLayers>();
};

}  // namespace heed::nn
