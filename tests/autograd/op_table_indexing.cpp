// The rows of shapes and indexing in autograd/composed.h.
#include "tests/autograd/op_samples.h"
#include "tests/autograd/op_table.h"

namespace heed::tests {

void add_composed_indexing(std::vector<OpRow>& table) {
  const auto one = [&](const char* name, const Shape& shape, const Function& f) {
    table.push_back({name, {{{u(-2, 2, shape)}, f}}});
  };
  const auto two = [&](const char* name, const Shape& a, const Shape& b,
                       const Function& f) {
    table.push_back({name, {{{u(-2, 2, a), u(-2, 2, b)}, f}}});
  };
  one("unbind", {2, 3}, [](In in) { return unbind(in[0], 1)[2] * unbind(in[0], -1)[0]; });
  two("hstack", {2}, {3}, [](In in) { return hstack({in[0], in[1]}); });
  two("hstack", {2, 1}, {2, 3}, [](In in) { return hstack({in[0], in[1]}); });
  two("vstack", {3}, {3}, [](In in) { return vstack({in[0], in[1]}); });
  two("vstack", {1, 3}, {2, 3}, [](In in) { return vstack({in[0], in[1]}); });
  one("tile", {2, 3}, [](In in) { return tile(in[0], {2}); });
  one("movedim", {2, 3, 4}, [](In in) { return movedim(in[0], 0, -1); });
  one("movedim", {2, 3, 4}, [](In in) { return movedim(in[0], {0, 1}, {-1, 0}); });
  one("swapaxes", {2, 3, 4}, [](In in) { return swapaxes(in[0], 0, -1); });
  one("unflatten", {2, 6}, [](In in) { return unflatten(in[0], -1, {2, -1}); });
  one("narrow", {2, 4}, [](In in) { return narrow(in[0], 1, -3, 2); });
  one("ravel", {2, 3}, [](In in) { return ravel(in[0]); });
  one("broadcast_to", {2, 1}, [](In in) { return broadcast_to(in[0], {2, 3}); });
  one("fliplr", {2, 3}, [](In in) { return fliplr(in[0]); });
  one("flipud", {2, 3}, [](In in) { return flipud(in[0]); });
  one("roll", {2, 3}, [](In in) { return roll(in[0], -2); });

  static const Tensor index = indices({0, 2, 3, 1}, {2, 2});
  static const Tensor repeated = indices({0, 2, 2, 2}, {2, 2});
  static const Tensor rows = indices({0, 2, 0}, {3});
  one("scatter", {3, 4}, [](In in) { return scatter(in[0], 1, index, 1.5); });
  two("scatter", {3, 4}, {2, 3}, [](In in) { return scatter(in[0], 1, index, in[1]); });
  two("scatter", {3, 4}, {2, 2},
      [](In in) { return scatter(in[0], 0, repeated, in[1]); });
  two("scatter_add", {3, 4}, {2, 3},
      [](In in) { return scatter_add(in[0], -1, repeated, in[1]); });
  two("index_add", {3, 2}, {3, 2},
      [](In in) { return index_add(in[0], 0, rows, in[1], -2); });
  one("take", {3, 4}, [](In in) { return take(in[0], index - 2); });
  one("take_along_dim", {3, 4}, [](In in) { return take_along_dim(in[0], index); });
  one("take_along_dim", {2, 1, 4},
      [](In in) { return take_along_dim(in[0], index.unsqueeze(0), -1); });
  static const Tensor of_rows = indices({0, 2, 0, -1}, {2, 2});
  static const Tensor of_columns = indices({1, 3}, {2});
  one("index", {3, 4}, [](In in) { return heed::index(in[0], {of_rows, of_columns}); });
  one("index", {3, 2}, [](In in) { return heed::index(in[0], {of_rows}); });
  for (bool accumulate : {false, true}) {
    two("index_put", {3, 4}, {2, 2}, [=](In in) {
      return index_put(in[0], {of_rows, of_columns}, in[1], accumulate);
    });
  }
  two("index_put", {3, 2}, {2},
      [](In in) { return index_put(in[0], {of_rows}, in[1], true); });
  one("index_put", {3, 4}, [](In in) {
    return index_put(in[0], {of_rows, of_columns}, 1.5);
  });
  one("index_fill", {3, 4}, [](In in) { return index_fill(in[0], 1, of_columns, 1.5); });
  one("split", {2, 5}, [](In in) { return split(in[0], {1, 4}, 1)[1]; });
  two("cartesian_prod", {2}, {3}, [](In in) { return cartesian_prod({in[0], in[1]}); });
}

}  // namespace heed::tests
