// The rows of the ops whose gradients are computed together in passes of their own.

#include "tests/autograd/op_samples.h"
#include "tests/autograd/op_table.h"

namespace heed::tests {
namespace {

void add_additive_scores(std::vector<OpRow>& table) {
  OpRow row{"additive_scores", {}};
  const Function scores = [](In in) { return additive_scores(in[0], in[1], in[2]); };
  const std::pair<Shape, Shape> shapes[] = {
      // more than a vector of hidden units too
      {{2, 3, 4}, {2, 5, 4}}, {{2, 1, 18}, {2, 2, 18}}, {{3, 2}, {1, 2}},
      {{1, 1}, {1, 1}},       {{0, 2}, {3, 2}},         {{1, 2, 1, 3}, {1, 2, 2, 3}},
  };
  for (const auto& [q, k] : shapes) {
    row.samples.push_back(
        {{u(-1, 1, q), u(-1, 1, k), u(-1, 1, {q[q.rank() - 1]})}, scores});
  }
  row.samples.push_back({{u(-1, 1, {3, 2}), u(-1, 1, {2})},
                         [](In in) { return additive_scores(in[0], in[0], in[1]); }});
  table.push_back(row);
}

void add_layer_norm(std::vector<OpRow>& table) {
  OpRow row{"layer_norm", {}};
  const Function plain = [](In in) { return layer_norm(in[0], {}, {}, 1e-3); };
  const Function weighted = [](In in) { return layer_norm(in[0], in[1], {}, 1e-3); };
  const Function whole = [](In in) { return layer_norm(in[0], in[1], in[2], 1e-3); };
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{5}, Shape{40, 2}, Shape{0, 3}}) {
    const Shape n{shape[shape.rank() - 1]};
    row.samples.push_back({{u(-2, 2, shape)}, plain});
    row.samples.push_back({{u(-2, 2, shape), u(-1, 1, n)}, weighted});
    row.samples.push_back({{u(-2, 2, shape), u(-1, 1, n), u(-1, 1, n)}, whole});
  }
  row.samples.push_back({{transpose(u(-2, 2, {3, 4}), 0, 1), u(-1, 1, {3})}, weighted});
  table.push_back(row);
}

}  // namespace

void add_fused_ops(std::vector<OpRow>& table) {
  add_layer_norm(table);
  add_additive_scores(table);
}

}  // namespace heed::tests
