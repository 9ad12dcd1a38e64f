// Every form of attention as one kind of function, for tests that hold for all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <heed.h>

namespace heed::tests {

// queries (2, n, width), keys and values (2, m, width), and the parameters in the order
// of visit.
struct FormInputs {
  Variable queries, keys, values;
  std::vector<Variable> parameters;

  // The same from one list: queries, keys, values, parameters.
  static FormInputs from(const std::vector<Variable>& list) {
    return {list[0], list[1], list[2], {list.begin() + 3, list.end()}};
  }
};

struct Form {
  std::string name;
  bool self;    // takes the queries for keys and values too
  bool causal;  // of itself, whatever mask is given
  bool values;  // takes values apart from the keys
  std::vector<Tensor> parameters;
  std::function<Variable(const FormInputs&, const nn::Mask&)> run;
};

namespace detail {

// A form of a layer: call(layer, inputs, mask). The layer's parameters are those of the
// inputs.
template <class Layer, class Call>
Form form(const std::string& name, const Layer& layer, Call call) {
  Form result{name, false, false, true, {}, {}};
  Layer copy = layer;
  for (const Variable& x : nn::parameters(copy)) result.parameters.push_back(x.value());
  result.run = [layer, call](const FormInputs& in, const nn::Mask& mask) {
    Layer net = layer;
    std::size_t next = 0;
    nn::walk(net, [&]<class P>(const std::string&, P& part) {
      if constexpr (std::is_same_v<P, Variable>) part = in.parameters.at(next++);
    });
    return call(net, in, mask);
  };
  return result;
}

// The ways to call a layer.
inline constexpr auto with_values = [](auto& net, const FormInputs& in,
                                       const nn::Mask& mask) {
  return net(in.queries, in.keys, in.values, mask);
};
inline constexpr auto with_keys = [](auto& net, const FormInputs& in,
                                     const nn::Mask& mask) {
  return net(in.queries, in.keys, mask);
};
inline constexpr auto with_itself = [](auto& net, const FormInputs& in,
                                       const nn::Mask& mask) {
  return net(in.queries, mask);
};

// attention(), as a layer.
struct Bare {
  nn::Dropout dropout;
  Variable operator()(const Variable& q, const Variable& k, const Variable& v,
                      const nn::Mask& mask) {
    return nn::attention(q, k, v, mask, dropout).output;
  }
  void visit(auto&& f) { f("dropout", dropout); }
};

}  // namespace detail

struct FormOptions {
  DType dtype = float64;
  std::int64_t width = 4;
  double dropout = 0;  // they are in training
  // Of the causal layers, where lengths differ.
  nn::CausalAlign align = nn::CausalAlign::top_left;
};

inline std::vector<Form> attention_forms(const FormOptions& options = {}) {
  using namespace detail;
  const auto [dtype, width, dropout, align] = options;
  manual_seed(7);
  const nn::CausalMultiHeadAttentionOptions seeing{.dim = width,
                                                   .n_heads = 2,
                                                   .max_seq_len = 70,
                                                   .dropout = dropout,
                                                   .is_causal = false,
                                                   .align = align,
                                                   .dtype = dtype};
  nn::CausalMultiHeadAttentionOptions blinkered = seeing;
  blinkered.is_causal = true;
  const nn::CausalMultiHeadAttention causal(blinkered);
  nn::MultiHeadAttention heads(width, 4, 2, 2, dtype);
  heads.dropout = nn::Dropout(dropout);
  std::vector<Form> forms = {
      form("attention", Bare{nn::Dropout(dropout)}, with_values),
      form("DotProductAttention", nn::DotProductAttention(dropout), with_values),
      form("ScaledDotProductAttention", nn::ScaledDotProductAttention(1.5, dropout),
           with_values),
      form("AdditiveAttention", nn::AdditiveAttention(width, width, 3, dropout, dtype),
           with_values),
      form("GeneralAttention", nn::GeneralAttention(width, 3, 2, dtype), with_keys),
      form("SelfAttention", nn::SelfAttention(width, 3, 2, dtype), with_itself),
      form("MultiHeadAttention, itself", heads, with_itself),
      form("MultiHeadAttention", heads, with_values),
      form("MultiHeadAttention, the book's",
           nn::MultiHeadAttention(width, width, width, 4, 2, dropout,
                                  {.bias = false, .dtype = dtype}),
           with_values),
      form("CausalMultiHeadAttention, itself", causal, with_itself),
      form("CausalMultiHeadAttention", causal, with_values),
      form("CausalMultiHeadAttention, not causal", nn::CausalMultiHeadAttention(seeing),
           with_values),
  };
  for (Form& form : forms) {
    form.self = form.name.ends_with("itself") || form.name == "SelfAttention";
    form.causal = form.name.starts_with("Causal") && !form.name.ends_with("not causal");
    form.values = !form.self && form.name != "GeneralAttention";
  }
  return forms;
}

}  // namespace heed::tests
