#include "tests/nn/forms.h"

#include "tests/infinity.h"

namespace heed::tests {
namespace {

using nn::CausalAlign;
using nn::Mask;

// A way to call a layer, run(layer, inputs, mask), and what it means for the form.
template <class Run>
struct Call {
  Run run;
  bool self, values;  // of Form
};
template <class Run>
Call(Run, bool, bool) -> Call<Run>;

// A form of a layer, whose parameters are those of the inputs.
template <class Layer, class Run>
Form form(const std::string& name, const Layer& layer, const Call<Run>& call) {
  Form result{.name = name, .self = call.self, .values = call.values};
  Layer copy = layer;
  for (const Variable& x : nn::parameters(copy)) result.parameters.push_back(x.value());
  result.run = [layer, call](const FormInputs& in, const Mask& mask) {
    Layer net = layer;
    std::size_t next = 0;
    nn::walk(net, [&]<class P>(const std::string&, P& part) {
      if constexpr (std::is_same_v<P, Variable>) part = in.parameters.at(next++);
    });
    return call.run(net, in, mask);
  };
  return result;
}

constexpr Call with_values{[](auto& net, const FormInputs& in, const Mask& mask) {
                             return net(in.queries, in.keys, in.values, mask);
                           },
                           false, true};
constexpr Call with_keys{[](auto& net, const FormInputs& in, const Mask& mask) {
                           return net(in.queries, in.keys, mask);
                         },
                         false, false};
constexpr Call with_itself{[](auto& net, const FormInputs& in, const Mask& mask) {
                             return net(in.queries, mask);
                           },
                           true, false};

Form causal(Form form) {
  form.causal = true;
  return form;
}

Form with_heads(Form form) {
  form.heads = true;
  return form;
}

// (q·k)² / 10
Variable square_score(const Variable& q, const Variable& k, const Tensor& pairs) {
  return 0.1 * square(nn::DotScore{.scale = 1}(q, k, pairs));
}

}  // namespace

const std::vector<ScoreRow>& scores() {
  using Parameters = const std::vector<Variable>&;
  const auto none = [](std::int64_t) { return std::vector<Shape>(); };
  static const std::vector<ScoreRow> rows = {
      {"DotScore", none, [](Parameters) { return nn::DotScore{}; }},
      {"DotScore, temperature", none,
       [](Parameters) { return nn::DotScore{.temperature = 0.6}; }},
      {"AdditiveScore", [](std::int64_t d) { return std::vector<Shape>{{d}}; },
       [](Parameters p) { return nn::AdditiveScore{p[0]}; }},
      {"GaussianScore", [](std::int64_t) { return std::vector<Shape>{{1}}; },
       [](Parameters p) { return nn::GaussianScore{p[0]}; }},
      {"DistanceScore", none, [](Parameters) { return nn::DistanceScore{}; }},
      {"a formula of one's own", none, [](Parameters) { return square_score; }},
  };
  return rows;
}

std::vector<Form> score_forms(const FormOptions& options) {
  const nn::Dropout dropout(options.dropout);
  std::vector<Form> forms;
  Generator generator(8);
  for (const ScoreRow& row : scores()) {
    Form form{.name = "attend, " + row.name};
    for (const Shape& shape : row.parameters(options.width)) {
      form.parameters.push_back(0.4 * randn(shape, options.dtype, generator));
    }
    form.run = [&row, dropout](const FormInputs& in, const Mask& mask) {
      return nn::attend(row.make(in.parameters), in.queries, in.keys, in.values, mask,
                        dropout);
    };
    forms.push_back(form);
  }
  Form composed{.name = "attention"};
  composed.run = [dropout](const FormInputs& in, const Mask& mask) {
    return nn::attention(in.queries, in.keys, in.values, mask, dropout).output;
  };
  forms.push_back(composed);
  return forms;
}

std::vector<Form> attention_forms(const FormOptions& options) {
  const auto [dtype, width, dropout, align] = options;
  manual_seed(7);
  const nn::CausalMultiHeadAttentionOptions layer_options{.dim = width,
                                                          .n_heads = 2,
                                                          .max_seq_len = 70,
                                                          .dropout = dropout,
                                                          .is_causal = false,
                                                          .align = align,
                                                          .dtype = dtype};
  nn::CausalMultiHeadAttentionOptions causal_options = layer_options;
  causal_options.is_causal = true;
  const nn::CausalMultiHeadAttention causal_heads(causal_options);
  nn::MultiHeadAttention heads(width, 4, 2, 2, dtype);
  heads.dropout = nn::Dropout(dropout);
  std::vector<Form> forms = score_forms(options);
  for (const Form& layer : {
           form("DotProductAttention", nn::DotProductAttention(dropout), with_values),
           form("ScaledDotProductAttention", nn::ScaledDotProductAttention(1.5, dropout),
                with_values),
           form("AdditiveAttention",
                nn::AdditiveAttention(width, width, 3, dropout, dtype), with_values),
           form("BilinearAttention", nn::BilinearAttention(width, width, dropout, dtype),
                with_values),
           form("GeneralAttention", nn::GeneralAttention(width, 3, 2, dtype), with_keys),
           form("SelfAttention", nn::SelfAttention(width, 3, 2, dtype), with_itself),
           with_heads(form("MultiHeadAttention, itself", heads, with_itself)),
           with_heads(form("MultiHeadAttention", heads, with_values)),
           with_heads(form("MultiHeadAttention, the book's",
                           nn::MultiHeadAttention(width, width, width, 4, 2, dropout,
                                                  {.bias = false, .dtype = dtype}),
                           with_values)),
           with_heads(causal(
               form("CausalMultiHeadAttention, itself", causal_heads, with_itself))),
           with_heads(
               causal(form("CausalMultiHeadAttention", causal_heads, with_values))),
           with_heads(form("CausalMultiHeadAttention, not causal",
                           nn::CausalMultiHeadAttention(layer_options), with_values)),
       }) {
    forms.push_back(layer);
  }
  return forms;
}

std::vector<NamedMask> kinds_of_masks(std::int64_t n, std::int64_t m) {
  Generator generator(61);
  const auto some_pairs = [&](double p) {
    return bernoulli(full({n, m}, p), generator) == 1;
  };
  const Tensor first = arange(m, int64) == 0, second = arange(m, int64) == 1;
  // Each query keeps its first key, except the masks that leave a query none.
  const Mask keep = Mask::keep(logical_or(some_pairs(0.5), first));
  const Mask keep_none =
      Mask::keep(logical_and(some_pairs(0.6), unsqueeze(arange(n, int64), -1) != n - 1));
  const Tensor numbers = randn({n, m}, float64, generator);
  const Tensor hidden = logical_and(some_pairs(0.3), logical_not(first));
  const Mask additive = Mask::additive(masked_fill(numbers, hidden, -infinity));
  Tensor lens_of_queries = randint(0, m + 1, {2, n}, generator);
  lens_of_queries.set({1, 0}, 0);
  const Mask lens = Mask::valid_lens(lens_of_queries);
  const std::int64_t none = 0, one = 1;
  return {
      {"none", Mask(), false, true},
      {"keep", keep},
      {"keep, one row empty", keep_none, true},
      {"valid_lens & keep, one row empty",
       Mask::valid_lens(tensor({m, m + 1})) & keep_none, true},
      {"drop", Mask::drop(second)},
      {"valid_lens", Mask::valid_lens(tensor({one, m}))},
      {"valid_lens of sequences, one empty", Mask::valid_lens(tensor({m, none})), true},
      {"valid_lens of queries, one empty", lens, true, true},
      {"causal, top left", Mask::causal(CausalAlign::top_left)},
      {"causal, bottom right", Mask::causal(CausalAlign::bottom_right), n > m, true},
      {"additive", additive},
      {"additive, hides nothing", Mask::additive(numbers)},
      {"keep & additive", keep & additive},
      {"valid_lens & causal", lens & Mask::causal(CausalAlign::top_left), true},
      {"all of them",
       Mask::drop(second) & Mask::valid_lens(tensor({m + 1, one})) & keep & additive &
           Mask::causal(CausalAlign::bottom_right),
       n > m, true},
  };
}

}  // namespace heed::tests
