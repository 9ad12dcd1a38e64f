#include "tests/autograd/op_table.h"

#include <algorithm>

#include "tests/autograd/op_samples.h"

namespace heed::tests {
namespace {

// The shapes that every function of two numbers is tried on: equal ones, broadcasting
// from either side and from both, a scalar, other layouts, the same Variable twice,
// nothing.
std::vector<Sample> binary(const std::function<Tensor(const Shape&)>& a,
                           const std::function<Tensor(const Shape&)>& b,
                           const std::function<Variable(In)>& f, bool repeated = true) {
  std::vector<Sample> samples = {
      {{a({2, 3}), b({2, 3})}, f},
      {{a({2, 3}), b({3})}, f},
      {{a({1, 3}), b({2, 1})}, f},
      {{a({}), b({2, 2})}, f},
      {{a({}), b({})}, f},
      {{transpose(a({3, 2}), 0, 1), slice(b({2, 6}), 1, 0, to_end, 2)}, f},
      {{a({2, 0}), b({1})}, f},
  };
  if (repeated) {
    samples.push_back({{b({2, 2})}, [f](In in) { return f({in[0], in[0]}); }});
  }
  return samples;
}

const auto any_sign = [](const Shape& shape) { return u(-2, 2, shape); };
const auto positive = [](const Shape& shape) { return u(0.5, 2, shape); };

// The row of that name, which must be in the table.
OpRow& row_of(std::vector<OpRow>& table, const std::string& name) {
  return *std::ranges::find(table, name, &OpRow::name);
}

void add_arithmetic(std::vector<OpRow>& table) {
  table.push_back(
      {"operator+", binary(any_sign, any_sign, [](In in) { return in[0] + in[1]; })});
  table.push_back(
      {"operator-", binary(any_sign, any_sign, [](In in) { return in[0] - in[1]; })});
  table.push_back(
      {"operator*", binary(any_sign, any_sign, [](In in) { return in[0] * in[1]; })});
  table.push_back(
      {"operator/", binary(any_sign, positive, [](In in) { return in[0] / in[1]; })});
  const std::pair<const char*, Function> with_numbers[] = {
      {"operator+", [](In in) { return in[0] + 2.5; }},
      {"operator+", [](In in) { return 2.5 + in[0]; }},
      {"operator-", [](In in) { return in[0] - 2.5; }},
      {"operator-", [](In in) { return 2.5 - in[0]; }},
      {"operator*", [](In in) { return in[0] * 2.5; }},
      {"operator*", [](In in) { return 2.5 * in[0]; }},
      {"operator/", [](In in) { return in[0] / 2.5; }},
      {"operator/", [](In in) { return 2.5 / in[0]; }},
  };
  for (const auto& [name, f] : with_numbers) {
    row_of(table, name).samples.push_back({{u(0.5, 2, {2, 3})}, f});
  }
  const Function power = [](In in) { return pow(in[0], in[1]); };
  OpRow pow_row{"pow", binary(positive, any_sign, power, false)};
  pow_row.samples.push_back({{u(0.5, 2, {4})}, [](In in) { return pow(in[0], in[0]); }});
  for (double exponent : {0.0, 0.5, 0.8, 1.0, 2.0, 3.0, -0.5, -1.0, -2.5}) {
    pow_row.samples.push_back(
        {{u(0.5, 2, {4})}, [exponent](In in) { return pow(in[0], exponent); }});
  }
  pow_row.samples.push_back({{u(-2, 2, {4})}, [](In in) { return pow(in[0], 3); }});
  pow_row.samples.push_back({{u(-2, 2, {4})}, [](In in) { return pow(1.7, in[0]); }});
  table.push_back(pow_row);
  // Away from the whole quotients, where it jumps.
  const auto dividend = [](const Shape& shape) { return u(2.2, 2.8, shape); };
  const auto divisor = [](const Shape& shape) { return u(0.95, 1.05, shape); };
  const Function rest = [](In in) { return in[0] % in[1]; };
  table.push_back({"remainder", binary(dividend, divisor, rest, false)});
  for (double b : {1.0, -1.0}) {
    row_of(table, "remainder").samples.push_back({{u(-2.8, -2.2, {4})}, [b](In in) {
                                                    return in[0] % b;
                                                  }});
  }
  // Away from ties: binary's repeated input would be one.
  const auto low = [](const Shape& shape) { return apart(shape); };
  const auto high = [](const Shape& shape) { return apart(shape) * 1.9 + 0.021; };
  table.push_back(
      {"maximum", binary(
                      low, high, [](In in) { return maximum(in[0], in[1]); }, false)});
  table.push_back(
      {"maximum", {{{apart({2, 3})}, [](In in) { return maximum(in[0], 0); }}}});
  table.push_back(
      {"minimum", {{{apart({2, 3})}, [](In in) { return minimum(in[0], 0); }}}});
  table.push_back(
      {"minimum", binary(
                      low, high, [](In in) { return minimum(in[0], in[1]); }, false)});
}

void add_choices(std::vector<OpRow>& table) {
  table.push_back({"clamp",
                   {
                       {{apart({3, 3})}, [](In in) { return clamp(in[0], -0.5, 0.6); }},
                       {{apart({3, 3})}, [](In in) { return clamp(in[0], -0.5, {}); }},
                       {{apart({3, 3})}, [](In in) { return clamp(in[0], {}, 0.6); }},
                   }});
  table.push_back({"to", {{{u(-2, 2, {3})}, [](In in) { return to(in[0], float64); }}}});
  table.push_back(
      {"where",
       {
           {{mask({2, 3}), u(-2, 2, {2, 3}), u(-2, 2, {3})},
            [](In in) { return where(in[0], in[1], in[2]); }},
           {{mask({2, 1}), u(-2, 2, {3}), u(-2, 2, {1, 1})},
            [](In in) { return where(in[0], in[1], in[2]); }},
           {{mask({3}), u(-2, 2, {2, 3})}, [](In in) { return where(in[0], in[1], 7); }},
           {{mask({3}), u(-2, 2, {2, 3})}, [](In in) { return where(in[0], 7, in[1]); }},
       }});
  table.push_back({"masked_fill", {{{u(-2, 2, {2, 3}), mask({3})}, [](In in) {
                                      return masked_fill(in[0], in[1], -7);
                                    }}}});
  table.push_back({"triu",
                   {{{u(-2, 2, {2, 3, 4})}, [](In in) { return triu(in[0], 1); }},
                    {{u(-2, 2, {4, 3})}, [](In in) { return triu(in[0], -1); }}}});
  table.push_back({"tril",
                   {{{u(-2, 2, {2, 3, 4})}, [](In in) { return tril(in[0]); }},
                    {{u(-2, 2, {4, 3})}, [](In in) { return tril(in[0], -1); }}}});
}

void add_reductions(std::vector<OpRow>& table) {
  using Reduce = Variable (*)(const Variable&, const Dims&, Flag);
  const std::pair<const char*, Reduce> kinds[] = {
      {"sum", sum},   {"mean", mean}, {"prod", prod},           {"norm", norm},
      {"amax", amax}, {"amin", amin}, {"logsumexp", logsumexp},
  };
  for (const auto& [name, reduce] : kinds) {
    OpRow row{name, {}};
    const auto sample = [&, f = reduce](Tensor x, Dims dims, bool keepdim) {
      row.samples.push_back(
          {{std::move(x)}, [=](In in) { return f(in[0], dims, keepdim); }});
    };
    sample(apart({2, 3, 4}), {0, 1, 2}, false);
    sample(apart({2, 3, 4}), {1}, false);
    sample(apart({2, 3, 4}), {0, -1}, true);
    sample(transpose(apart({2, 3}), 0, 1), {-1}, false);
    sample(apart({2, 1}), {1}, true);
    sample(apart({}), {0}, false);
    table.push_back(row);
  }
  Tensor zeros_inside = u(0.5, 2, {3, 4});
  zeros_inside.set({0, 1}, 0);
  zeros_inside.set({2, 0}, 0);
  zeros_inside.set({2, 3}, 0);
  std::vector<Sample>& products = row_of(table, "prod").samples;
  products.push_back({{zeros_inside}, [](In in) { return prod(in[0], 1); }});
  products.push_back({{zeros_inside}, [](In in) { return prod(in[0], {0}, true); }});
  for (int correction : {0, 1}) {
    const Function var_all = [=](In in) { return var(in[0], {}, correction); };
    const Function var_rows = [=](In in) { return var(in[0], {-1}, correction, true); };
    const Function std_rows = [=](In in) { return std(in[0], {0, 2}, correction); };
    table.push_back(
        {"var", {{{u(-2, 2, {2, 3})}, var_all}, {{u(-2, 2, {2, 3})}, var_rows}}});
    table.push_back({"std", {{{u(-2, 2, {2, 3, 2})}, std_rows}}});
  }
  table.push_back(
      {"max",
       {{{apart({2, 3})}, [](In in) { return max(in[0]); }},
        {{apart({2, 3})}, [](In in) { return max(in[0], 1).values; }},
        {{apart({2, 3})}, [](In in) { return max(in[0], 0, true).values; }}}});
  table.push_back(
      {"min",
       {{{apart({2, 3})}, [](In in) { return min(in[0]); }},
        {{apart({2, 3})}, [](In in) { return min(in[0], 1).values; }},
        {{apart({2, 3})}, [](In in) { return min(in[0], 0, true).values; }}}});
  table.push_back({"sum_to", {{{u(-2, 2, {2, 3, 4})}, [](In in) {
                                 return sum_to(in[0], {3, 1});
                               }}}});
  table.push_back({"cumsum",
                   {{{u(-2, 2, {2, 3})}, [](In in) { return cumsum(in[0], 0); }},
                    {{u(-2, 2, {2, 3})}, [](In in) { return cumsum(in[0], -1); }}}});
}

void add_softmax(std::vector<OpRow>& table) {
  using Family = Variable (*)(const Variable&, Dim);
  const std::pair<const char*, Family> kinds[] = {{"softmax", softmax},
                                                  {"log_softmax", log_softmax}};
  for (const auto& [name, f] : kinds) {
    OpRow row{name, {}};
    for (std::int64_t dim : {0, 1, -1}) {
      const Function call = [f = f, dim](In in) { return f(in[0], dim); };
      row.samples.push_back({{u(-3, 3, {2, 3, 4})}, call});
      row.samples.push_back({{transpose(u(-3, 3, {2, 3}), 0, 1)}, call});
    }
    row.samples.push_back({{u(-3, 3, {3, 1})}, [f = f](In in) { return f(in[0], 1); }});
    row.samples.push_back({{u(-3, 3, {0, 3})}, [f = f](In in) { return f(in[0], 1); }});
    table.push_back(row);
  }
}

void add_products(std::vector<OpRow>& table) {
  const Function product = [](In in) { return matmul(in[0], in[1]); };
  OpRow row{"matmul", {}};
  const std::pair<Shape, Shape> shapes[] = {
      {{4}, {4}},
      {{3, 4}, {4}},
      {{4}, {4, 2}},
      {{3, 4}, {4, 2}},
      {{2, 3, 4}, {2, 4, 2}},
      {{2, 3, 4}, {4, 2}},
      {{3, 4}, {2, 4, 2}},
      {{2, 3, 4}, {4}},
      {{4}, {2, 4, 3}},
      {{2, 1, 3, 4}, {2, 4, 2}},
      {{1, 1}, {1, 1}},
      {{2, 0}, {0, 3}},
  };
  for (const auto& [a, b] : shapes) {
    row.samples.push_back({{u(-1, 1, a), u(-1, 1, b)}, product});
  }
  row.samples.push_back({{u(-1, 1, {2, 3, 4}), u(-1, 1, {2, 5, 4})},
                         [](In in) { return matmul(in[0], transpose(in[1], 1, 2)); }});
  row.samples.push_back({{u(-1, 1, {3, 3})}, [](In in) { return matmul(in[0], in[0]); }});
  table.push_back(row);
  OpRow linear_row{"linear", {}};
  for (const Shape& x : {Shape{4}, {3, 4}, {2, 3, 4}, {2, 1, 4}, {0, 4}}) {
    linear_row.samples.push_back({{u(-1, 1, x), u(-1, 1, {5, 4}), u(-1, 1, {5})},
                                  [](In in) { return linear(in[0], in[1], in[2]); }});
    linear_row.samples.push_back(
        {{u(-1, 1, x), u(-1, 1, {5, 4})}, [](In in) { return linear(in[0], in[1]); }});
  }
  table.push_back(linear_row);
  table.push_back({"bmm",
                   {{{u(-1, 1, {2, 3, 4}), u(-1, 1, {2, 4, 2})},
                     [](In in) { return bmm(in[0], in[1]); }},
                    {{u(-1, 1, {5, 1, 4}), u(-1, 1, {5, 4, 1})},
                     [](In in) { return bmm(in[0], in[1]); }}}});
  table.push_back({"outer", {{{u(-1, 1, {3}), u(-1, 1, {4})}, [](In in) {
                                return outer(in[0], in[1]);
                              }}}});
}

void add_views(std::vector<OpRow>& table) {
  const auto one = [&](const char* name, const Shape& shape, const Function& f) {
    table.push_back({name, {{{u(-2, 2, shape)}, f}}});
  };
  one("reshape", {2, 3, 2}, [](In in) { return reshape(in[0], {4, -1}); });
  one("reshape", {2, 3, 2}, [](In in) { return reshape(transpose(in[0], 0, 1), {-1}); });
  one("view", {2, 6}, [](In in) { return view(in[0], {3, 4}); });
  one("flatten", {2, 3, 2}, [](In in) { return flatten(in[0], 1); });
  one("transpose", {2, 3, 2}, [](In in) { return transpose(in[0], 0, -1); });
  one("permute", {2, 3, 4}, [](In in) { return permute(in[0], {2, 0, -2}); });
  one("expand", {3, 1}, [](In in) { return expand(in[0], {2, 3, 4}); });
  one("squeeze", {1, 3, 1}, [](In in) { return squeeze(in[0]); });
  one("squeeze", {1, 3, 1}, [](In in) { return squeeze(in[0], 2); });
  one("unsqueeze", {2, 3}, [](In in) { return unsqueeze(in[0], -2); });
  one("slice", {2, 7}, [](In in) { return slice(in[0], 1, 1, 6, 2); });
  one("slice", {2, 7}, [](In in) { return slice(in[0], -1, -3); });
  one("select", {2, 3, 4}, [](In in) { return select(in[0], 1, -1); });
  one("split", {5, 2}, [](In in) { return split(in[0], 2)[2] * split(in[0], 2)[0]; });
  one("split_with_sizes", {2, 5}, [](In in) {
    return split_with_sizes(in[0], {1, 4}, 1)[1];
  });
  one("chunk", {2, 5}, [](In in) { return chunk(in[0], 2, 1)[0] * 2; });
  one("roll", {2, 3}, [](In in) { return roll(in[0], 2, 1); });
  one("roll", {3, 2}, [](In in) { return roll(in[0], -4, 0); });
  one("roll", {0, 2}, [](In in) { return roll(in[0], 1, 0); });
  one("flip", {2, 3}, [](In in) { return flip(in[0], {0, -1}); });
  one("repeat", {2, 3}, [](In in) { return repeat(in[0], {2, 1, 3}); });
  one("repeat_interleave", {2, 3}, [](In in) { return repeat_interleave(in[0], 2); });
  one("repeat_interleave", {2, 3}, [](In in) { return repeat_interleave(in[0], 3, 1); });
  one("repeat_interleave", {3, 2}, [](In in) {
    return repeat_interleave(in[0], indices({2, 0, 1}, {3}), 0);
  });
  table.push_back({"cat", {{{u(-2, 2, {2, 1}), u(-2, 2, {2, 3})}, [](In in) {
                              return cat({in[0], in[1], in[0]}, 1);
                            }}}});
  table.push_back({"stack", {{{u(-2, 2, {2, 3}), u(-2, 2, {2, 3})}, [](In in) {
                                return stack({in[0], in[1]}, -1);
                              }}}});
}

void add_indexing(std::vector<OpRow>& table) {
  const auto one = [&](const char* name, const Shape& shape, const Function& f) {
    table.push_back({name, {{{u(-2, 2, shape)}, f}}});
  };
  static const Tensor rows = indices({2, 0, 2, 1}, {4});
  static const Tensor places = indices({2, 0, 2, 1, 1, 0}, {2, 3});
  static const Tensor some = mask({3, 4});
  one("index_select", {3, 2}, [](In in) { return index_select(in[0], 0, rows); });
  one("index_select", {2, 3}, [](In in) { return index_select(in[0], -1, rows); });
  one("index_add", {2, 4}, [](In in) { return index_add({2, 3}, 1, rows, in[0]); });
  one("gather", {3, 3}, [](In in) { return gather(in[0], 0, places); });
  one("gather", {2, 3}, [](In in) { return gather(in[0], 1, places); });
  one("scatter_add", {2, 3}, [](In in) { return scatter_add({3, 3}, 0, places, in[0]); });
  one("masked_select", {3, 4}, [](In in) { return masked_select(in[0], some); });
  one("masked_select", {4}, [](In in) { return masked_select(in[0], some); });
  table.push_back({"masked_scatter",
                   {{{u(-2, 2, {masked_select(zeros({3, 4}), some).numel()})}, [](In in) {
                       return masked_scatter({3, 4}, some, in[0]);
                     }}}});
  one("slice_scatter", {2, 3}, [](In in) {
    return slice_scatter({2, 7}, in[0], 1, 1, 2);
  });
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 4}, Shape{4, 2}, Shape{0, 2}}) {
    one("diagonal", shape, [](In in) { return diagonal(in[0]); });
  }
  one("select_scatter", {2, 4}, [](In in) {
    return select_scatter({2, 3, 4}, in[0], 1, -1);
  });
  const auto ordered = [&](const char* name, const Function& f) {
    table.push_back({name, {{{apart({3, 4})}, f}}});
  };
  ordered("sort", [](In in) { return sort(in[0]).values; });
  ordered("sort", [](In in) { return sort(in[0], 0, true).values; });
  ordered("topk", [](In in) { return topk(in[0], 2).values; });
  ordered("topk", [](In in) { return topk(in[0], 2, 0, false).values; });
}

void add_constants(std::vector<OpRow>& table) {
  const auto constant = [&](const char* name, const Function& f) {
    table.push_back({name, {{{apart({2, 3})}, f}}, false});
  };
  constant("operator==", [](In in) { return in[0] == in[0]; });
  constant("operator!=", [](In in) { return in[0] != 0; });
  constant("operator<", [](In in) { return in[0] < 0; });
  constant("operator<=", [](In in) { return in[0] <= in[0]; });
  constant("operator>", [](In in) { return in[0] > 0; });
  constant("operator>=", [](In in) { return in[0] >= 0; });
  constant("floor_divide", [](In in) { return floor_divide(in[0], in[0].value()); });
  constant("floor_divide", [](In in) { return floor_divide(in[0], 0.3); });
  constant("argmax", [](In in) { return argmax(in[0]); });
  constant("argmin", [](In in) { return argmin(in[0], 1); });
  constant("argsort", [](In in) { return argsort(in[0]); });
  constant("any", [](In in) { return any(in[0]); });
  constant("all", [](In in) { return all(in[0]); });
}

}  // namespace

const std::vector<OpRow>& op_table() {
  static const std::vector<OpRow> table = [] {
    std::vector<OpRow> rows;
    add_arithmetic(rows);
    add_unary_ops(rows);
    add_choices(rows);
    add_reductions(rows);
    add_softmax(rows);
    add_fused_ops(rows);
    add_products(rows);
    add_views(rows);
    add_indexing(rows);
    add_composed_ops(rows);
    add_composed_indexing(rows);
    add_constants(rows);
    return rows;
  }();
  return table;
}

}  // namespace heed::tests
