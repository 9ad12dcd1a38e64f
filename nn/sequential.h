// Layers one after another:
//
//   nn::Sequential net{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1)};
//   Variable y = net(x);
//
// Braces, because C++ constructs the arguments in braces from left to right, and those in
// parentheses in any order: the layers would draw their initial values in any order.
// The parameters are "0.weight", "0.bias", "2.weight", ..., as in PyTorch.
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include "nn/visit.h"

namespace heed::nn {

namespace detail {

template <class Layer>
inline constexpr bool is_reference_wrapper = false;
template <class Layer>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<Layer>> = true;

}  // namespace detail

// A layer is any module, or a function of a Variable such as a lambda.
template <class... Layers>
struct Sequential {
  std::tuple<Layers...> layers;

  explicit Sequential(Layers... layers) : layers(std::move(layers)...) {
    static_assert(
        (!detail::is_reference_wrapper<Layers> && ...),
        "heed: give a Sequential the layer itself, not std::ref() of it: a copy "
        "shares its parameters");
  }

  // Throws Error as the layers do. A tensor, such as the numbers of tokens, goes to the
  // first layer as it is.
  Variable operator()(const Variable& x) { return apply_all(x); }
  Variable operator()(const Tensor& x) { return apply_all(x); }
  // The layer number i, from 0.
  template <std::size_t i>
  auto& get() {
    return std::get<i>(layers);
  }
  template <std::integral Index>
  void operator[](Index) const {
    static_assert(sizeof(Index) == 0,
                  "heed: the layers have types of their own: net.get<0>(), not net[0]");
  }

  void visit(auto&& f) {
    int i = 0;
    const auto list = [&](auto& layer) {
      if constexpr (Part<std::remove_reference_t<decltype(layer)>>) {
        f(std::to_string(i), layer);
      }
      ++i;
    };
    std::apply([&](auto&... layer) { (list(layer), ...); }, layers);
  }

 private:
  template <class X>
  Variable apply_all(const X& x) {
    if constexpr (sizeof...(Layers) == 0) {
      return x;
    } else {
      return std::apply(
          [&](auto& first, auto&... rest) {
            Variable y = first(x);
            ((y = rest(y)), ...);
            return y;
          },
          layers);
    }
  }
};

// One sequence in another is a layer of it; without this C++ would take it for a copy.
template <class... Layers>
explicit Sequential(Sequential<Layers...>) -> Sequential<Sequential<Layers...>>;

}  // namespace heed::nn
