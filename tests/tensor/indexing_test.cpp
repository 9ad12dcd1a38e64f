#include "tensor/indexing/indexing.h"

#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tests/infinity.h"
#include "tests/tensor/show.h"

namespace heed {

BOOST_AUTO_TEST_SUITE(indexing)

BOOST_AUTO_TEST_CASE(index_select_takes_slices) {
  const Tensor x = six();
  const Tensor index = tensor({1, 0, 1});
  BOOST_TEST(show(index_select(x, 0, index)) == "(3, 3) 4 5 6 1 2 3 4 5 6");
  BOOST_TEST(show(index_select(x, -1, index)) == "(2, 3) 2 1 2 5 4 5");
  BOOST_TEST(show(index_select(transpose(x, 0, 1), 0, index)) == "(3, 2) 2 5 1 4 2 5");
  BOOST_TEST(show(index_select(transpose(x, 0, 1), 1, index)) ==
             "(3, 3) 4 1 4 5 2 5 6 3 6");
  BOOST_TEST(show(index_select(x, 1, tensor(2))) == "(2, 1) 3 6");
  BOOST_TEST(show(index_select(tensor(8.0), 0, tensor({0}))) == "() 8");
  BOOST_TEST(show(index_select(x, 0, empty({0}, int64))) == "(0, 3)");
  BOOST_TEST(show(index_select(empty({2, 0}), 0, index)) == "(3, 0)");
  // Every other element of an index is an index too.
  const Tensor strided = slice(tensor({1, 9, 0, 9}), 0, 0, 4, 2);
  BOOST_TEST(show(index_select(x, 0, strided)) == "(2, 3) 4 5 6 1 2 3");
  const Tensor flags = tensor({true, false}, boolean);
  BOOST_TEST(show(index_select(flags, 0, index)) == "bool (3) 0 1 0");
}

BOOST_AUTO_TEST_CASE(index_select_errors) {
  const Tensor x = empty({4, 3});
  BOOST_TEST(error_of([&] {
               index_select(x, 0, tensor({1, 7, 9}));
             }) == "index_select: the indices must be from 0 to 3, got 7");
  BOOST_TEST(error_of([&] { index_select(x, 0, tensor({-1})); }) ==
             "index_select: the indices must be from 0 to 3, got -1");
  BOOST_TEST(error_of([&] { index_select(x, 0, tensor({1.0})); }) ==
             "index_select: the index must be int64, got float32");
  BOOST_TEST(error_of([&] { index_select(x, 0, tensor({{1}})); }) ==
             "index_select: the index must have one dimension, got (1, 1)");
  BOOST_TEST(error_of([&] { index_select(x, 2, tensor({1})); }) ==
             "index_select: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([&] {
               index_select(tensor(1.0), 0, tensor({0, 0}));
             }) == "index_select: a scalar takes one index, got (2)");
}

BOOST_AUTO_TEST_CASE(gather_picks_one_by_one) {
  const Tensor x = six();
  BOOST_TEST(show(gather(x, 1, tensor({{2}, {0}}))) == "(2, 1) 3 4");
  BOOST_TEST(show(gather(x, 0, tensor({{1, 0, 1}}))) == "(1, 3) 4 2 6");
  BOOST_TEST(show(gather(x, 1, tensor({{2, 2, 1, 0}}))) == "(1, 4) 3 3 2 1");
  BOOST_TEST(show(gather(transpose(x, 0, 1), 1, tensor({{1}, {0}, {1}}))) ==
             "(3, 1) 4 2 6");
  BOOST_TEST(show(gather(x, 1, expand(tensor({{1}}), {2, 2}))) == "(2, 2) 2 2 5 5");
  BOOST_TEST(show(gather(tensor(3.0), 0, tensor(0))) == "() 3");
  BOOST_TEST(show(gather(x, 0, empty({0, 3}, int64))) == "(0, 3)");
  BOOST_TEST(error_of([&] { gather(x, 1, tensor({{3}})); }) ==
             "gather: the indices must be from 0 to 2, got 3");
  BOOST_TEST(error_of([&] {
               gather(x, 1, tensor({{0}, {0}, {0}}));
             }) ==
             "gather: the index must have x's rank and be no larger but along dim 1, got "
             "(3, 1) and (2, 3)");
  BOOST_TEST(error_of([&] { gather(x, 1, tensor({0})); }) ==
             "gather: the index must have x's rank and be no larger but along dim 1, got "
             "(1) and (2, 3)");
}

BOOST_AUTO_TEST_CASE(masked_select_and_scatter) {
  const Tensor x = six();
  const Tensor mask = tensor({{true, false, true}, {false, false, true}});
  BOOST_TEST(show(masked_select(x, mask)) == "(3) 1 3 6");
  BOOST_TEST(show(masked_select(x, tensor({{false}, {true}}))) == "(3) 4 5 6");
  const Tensor more = tensor({{true, false}, {true, true}});
  BOOST_TEST(show(masked_select(tensor({1.0, 2.0}), more)) == "(3) 1 1 2");
  BOOST_TEST(show(masked_select(tensor(4.0), tensor(true))) == "(1) 4");
  BOOST_TEST(show(masked_select(tensor(4.0), tensor(false))) == "(0)");
  BOOST_TEST(error_of([&] { masked_select(x, x); }) ==
             "masked_select: the mask must be bool, got float32");
  BOOST_TEST(error_of([&] {
               masked_select(x, tensor({true, true}));
             }) ==
             "masked_select: the shapes must broadcast (equal sizes, or 1), got (2, 3) "
             "and (2)");

  BOOST_TEST(show(masked_scatter({2, 3}, mask, tensor({7.0, 8.0, 9.0}))) ==
             "(2, 3) 7 0 8 0 0 9");
  BOOST_TEST(show(masked_scatter({2, 2}, tensor({false, true}), tensor({7.0, 8.0}))) ==
             "(2, 2) 0 7 0 8");
  BOOST_TEST(error_of([&] {
               masked_scatter({2, 3}, mask, tensor({7.0, 8.0}));
             }) ==
             "masked_scatter: x must have an element for each true of the mask, got 2 "
             "and 3");
  BOOST_TEST(error_of([&] { masked_scatter({3}, mask, x); }) ==
             "masked_scatter: the mask must broadcast to the shape, got (2, 3) and (3)");
}

BOOST_AUTO_TEST_CASE(index_add_sums_slices) {
  const Tensor index = tensor({2, 0, 2});
  const Tensor x = tensor({{1, 2}, {3, 4}, {5, 6}}, float32);
  BOOST_TEST(show(index_add({4, 2}, 0, index, x)) == "(4, 2) 3 4 0 0 6 8 0 0");
  BOOST_TEST(show(index_add({2, 3}, -1, index, transpose(x, 0, 1))) ==
             "(2, 3) 3 0 6 4 0 8");
  BOOST_TEST(show(index_add({3}, 0, empty({0}, int64), empty({0}))) == "(3) 0 0 0");
  BOOST_TEST(show(index_add({}, 0, tensor(0), tensor(5.0))) == "() 5");
  const Tensor largest = full({2}, 9223372036854774784.0, int64);  // wraps around
  BOOST_TEST(show(index_add({1}, 0, tensor({0, 0}), largest)) == "int64 (1) -2048");
  BOOST_TEST(error_of([&] {
               index_add({2, 2}, 0, index, x);
             }) == "index_add: the indices must be from 0 to 1, got 2");
  BOOST_TEST(
      error_of([&] {
        index_add({4, 3}, 0, index, x);
      }) ==
      "index_add: x must have the sizes (4, 3), but along dim 0 one slice per index, "
      "got (3, 2) and (3)");
}

BOOST_AUTO_TEST_CASE(scatter_add_sums_elements) {
  const Tensor x = six();
  const Tensor index = tensor({{0, 0, 2}, {1, 1, 1}});
  BOOST_TEST(show(scatter_add({2, 3}, 1, index, x)) == "(2, 3) 3 0 3 0 15 0");
  BOOST_TEST(show(scatter_add({3, 3}, 0, index, x)) == "(3, 3) 1 2 0 4 5 6 0 0 3");
  BOOST_TEST(show(scatter_add({3, 3}, 1, index, x)) == "(3, 3) 3 0 3 0 15 0 0 0 0");
  BOOST_TEST(show(scatter_add({}, 0, tensor(0), tensor(5.0))) == "() 5");
  BOOST_TEST(error_of([&] {
               scatter_add({2, 2}, 1, index, x);
             }) == "scatter_add: the indices must be from 0 to 1, got 2");
  BOOST_TEST(error_of([&] {
               scatter_add({1, 3}, 1, index, x);
             }) ==
             "scatter_add: x and the index must have one shape, no larger than (1, 3) "
             "but along dim 1, got (2, 3) and (2, 3)");
}

BOOST_AUTO_TEST_CASE(sums_do_not_depend_on_threads) {
  const int threads = num_threads();
  const std::int64_t rows = 3000, columns = 70;
  Tensor x = empty({rows, columns}), index = empty({rows}, int64);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    x.mutable_data<float>()[i] = std::sin(static_cast<float>(i));
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    index.mutable_data<std::int64_t>()[i] = i * i % 7;
  }
  const Tensor each = expand(unsqueeze(index, 1), {rows, columns});
  std::vector<std::vector<float>> sums;
  for (int n : {1, 2, 5}) {
    set_num_threads(n);
    sums.push_back(index_add({7, columns}, 0, index, x).to_vector<float>());
    sums.push_back(scatter_add({7, columns}, 0, each, x).to_vector<float>());
    sums.push_back(
        transpose(scatter_add({columns, 7}, 1, transpose(each, 0, 1), transpose(x, 0, 1)),
                  0, 1)
            .to_vector<float>());
  }
  set_num_threads(threads);
  for (const auto& other : sums) BOOST_TEST(other == sums[0]);
}

BOOST_AUTO_TEST_CASE(the_diagonal_of_a_matrix) {
  const Tensor x = arange(6).reshape({2, 3});
  BOOST_TEST(show(diagonal(x)) == "int64 (2) 0 4");
  BOOST_TEST(show(diagonal(x.t())) == "int64 (2) 0 4");
  // What lies beside it takes no part.
  const double infinity = std::numeric_limits<double>::infinity();
  BOOST_TEST(show(diagonal(tensor({{1.0, infinity}, {NAN, 2.0}}))) == "(2) 1 2");
  BOOST_TEST(error_of([&] { diagonal(arange(3)); }) ==
             "diagonal: x must be a matrix, got (3)");
}

BOOST_AUTO_TEST_CASE(slice_and_select_scatter) {
  const Tensor x = tensor({{1, 2}, {3, 4}}, float32);
  BOOST_TEST(show(slice_scatter({2, 4}, x, 1, 1)) == "(2, 4) 0 1 2 0 0 3 4 0");
  BOOST_TEST(show(slice_scatter({2, 4}, x, 1, -3, 2)) == "(2, 4) 0 1 0 2 0 3 0 4");
  BOOST_TEST(show(slice_scatter({3, 2}, empty({0, 2}), 0, 1)) == "(3, 2) 0 0 0 0 0 0");
  BOOST_TEST(error_of([&] {
               slice_scatter({2, 4}, x, 1, 2, 2);
             }) == "slice_scatter: x must fit into the slice, got (2, 2) and (2, 1)");
  BOOST_TEST(error_of([&] { slice_scatter({4}, x, 0, 0); }) ==
             "slice_scatter: x must have the rank of (4), got (2, 2)");

  BOOST_TEST(show(select_scatter({2, 2, 2}, x, 1, -1)) == "(2, 2, 2) 0 0 1 2 0 0 3 4");
  BOOST_TEST(show(select_scatter({2}, tensor(5.0), 0, 1)) == "(2) 0 5");
  BOOST_TEST(error_of([&] {
               select_scatter({3, 2}, x, 0, 0);
             }) ==
             "select_scatter: x must have the shape of the selection, got (2, 2) and "
             "(2)");
}

BOOST_AUTO_TEST_CASE(triangles_are_selections) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}}, float32);
  BOOST_TEST(show(triu(x)) == "(2, 3) 1 2 3 0 5 6");
  BOOST_TEST(show(tril(x)) == "(2, 3) 1 0 0 4 5 0");
  BOOST_TEST(show(triu(x, 1)) == "(2, 3) 0 2 3 0 0 6");
  BOOST_TEST(show(tril(x, -1)) == "(2, 3) 0 0 0 4 0 0");
  BOOST_TEST(show(triu(transpose(x, 0, 1))) == "(3, 2) 1 4 0 5 0 0");
  BOOST_TEST(show(triu(x, INT64_MAX)) == "(2, 3) 0 0 0 0 0 0");
  BOOST_TEST(show(triu(x, INT64_MIN)) == show(x));
  BOOST_TEST(show(tril(x, INT64_MAX)) == show(x));
  BOOST_TEST(show(tril(expand(x, {2, 2, 3}))) == "(2, 2, 3) 1 0 0 4 5 0 1 0 0 4 5 0");
  BOOST_TEST(show(triu(empty({2, 0}))) == "(2, 0)");
  BOOST_TEST(show(triu(full({2, 2}, -infinity), 1)) == "(2, 2) 0 -inf 0 0");
  BOOST_TEST(error_of([&] { tril(tensor({1.0})); }) ==
             "tril: at least two dimensions, got (1)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(joining)

BOOST_AUTO_TEST_CASE(cat_along_a_dimension) {
  const Tensor x = six();
  BOOST_TEST(show(cat({x, tensor({{7, 8, 9}}, float32)})) == "(3, 3) 1 2 3 4 5 6 7 8 9");
  BOOST_TEST(show(cat({x, empty({2, 0}), slice(x, 1, 0, 1)}, -1)) ==
             "(2, 4) 1 2 3 1 4 5 6 4");
  BOOST_TEST(show(cat(std::vector<Tensor>{transpose(x, 0, 1)}, 0)) ==
             "(3, 2) 1 4 2 5 3 6");
  const Tensor copy = cat({x});
  BOOST_TEST((copy.storage() != x.storage()));
  BOOST_TEST(error_of([&] { cat(std::vector<Tensor>{}); }) ==
             "cat: the list of tensors must not be empty");
  BOOST_TEST(error_of([&] { cat({tensor(1.0)}); }) ==
             "cat: scalars have no dimension to join; stack() them?");
  BOOST_TEST(error_of([&] {
               cat({x, empty({2, 2})});
             }) == "cat: the sizes must be equal but along dim 0, got (2, 3) and (2, 2)");
  BOOST_TEST(error_of([&] {
               cat({x, empty({3})});
             }) == "cat: the sizes must be equal but along dim 0, got (2, 3) and (3)");
  BOOST_TEST(error_of([&] {
               cat({x, empty({2, 3}, int64)});
             }) ==
             "cat: the dtypes must be equal, got float32 and int64; to(dtype) converts a "
             "tensor");
}

BOOST_AUTO_TEST_CASE(stack_along_a_new_dimension) {
  const Tensor a = tensor({1.0, 2.0}), b = tensor({3.0, 4.0});
  BOOST_TEST(show(stack({a, b})) == "(2, 2) 1 2 3 4");
  BOOST_TEST(show(stack({a, b}, 1)) == "(2, 2) 1 3 2 4");
  BOOST_TEST(show(stack({a, b, a}, -1)) == "(2, 3) 1 3 1 2 4 2");
  BOOST_TEST(show(stack({tensor(1.0), tensor(2.0)})) == "(2) 1 2");
  BOOST_TEST(error_of([&] { stack(std::vector<Tensor>{}); }) ==
             "stack: the list of tensors must not be empty");
  BOOST_TEST(error_of([&] {
               stack({a, tensor({1.0})});
             }) == "stack: the shapes must be equal, got (2) and (1)");
  BOOST_TEST(error_of([&] { stack({a}, 2); }) ==
             "stack: dim must be from -2 to 1, got 2");
}

BOOST_AUTO_TEST_CASE(repeat_lays_side_by_side) {
  const Tensor x = tensor({{1.0, 2.0}});
  BOOST_TEST(show(repeat(x, {2, 2})) == "(2, 4) 1 2 1 2 1 2 1 2");
  BOOST_TEST(show(repeat(x, {2, 1, 1})) == "(2, 1, 2) 1 2 1 2");
  BOOST_TEST(show(repeat(six(), {2, 2})) ==
             "(4, 6) 1 2 3 1 2 3 4 5 6 4 5 6 1 2 3 1 2 3 4 5 6 4 5 6");
  BOOST_TEST(show(repeat(tensor(3.0), {2})) == "(2) 3 3");
  BOOST_TEST(show(repeat(x, {1, 0})) == "(1, 0)");
  BOOST_TEST((repeat(x, {1, 1}).storage() != x.storage()));
  const Tensor eight = repeat(reshape(tensor({1.0, 2.0}), {1, 1, 1, 1, 1, 1, 1, 2}),
                              {1, 1, 1, 1, 1, 1, 2, 2});
  BOOST_TEST(show(eight) == "(1, 1, 1, 1, 1, 1, 2, 4) 1 2 1 2 1 2 1 2");
  BOOST_TEST(error_of([&] { repeat(x, {2}); }) ==
             "repeat: at least one number per dimension, got (2) for the shape (1, 2)");
  BOOST_TEST(error_of([&] {
               repeat(x, {2, -1});
             }) == "repeat: the repeats must not be negative, got -1");
  BOOST_TEST(error_of([&] {
               repeat(x, {1, INT64_MAX});
             }) == "shape: too many elements, got (2, 9223372036854775807)");
}

BOOST_AUTO_TEST_CASE(repeat_interleave_keeps_neighbours) {
  const Tensor x = tensor({{1, 2}, {3, 4}}, float32);
  BOOST_TEST(show(repeat_interleave(x, 2)) == "(8) 1 1 2 2 3 3 4 4");
  BOOST_TEST(show(repeat_interleave(x, 2, 0)) == "(4, 2) 1 2 1 2 3 4 3 4");
  BOOST_TEST(show(repeat_interleave(x, 2, -1)) == "(2, 4) 1 1 2 2 3 3 4 4");
  BOOST_TEST(show(repeat_interleave(transpose(x, 0, 1), 2, 0)) ==
             "(4, 2) 1 3 1 3 2 4 2 4");
  BOOST_TEST(show(repeat_interleave(x, 0)) == "(0)");
  BOOST_TEST(show(repeat_interleave(tensor(5.0), 2)) == "(2) 5 5");
  BOOST_TEST(show(repeat_interleave(x, tensor({0, 3}), 0)) == "(3, 2) 3 4 3 4 3 4");
  BOOST_TEST(show(repeat_interleave(x, tensor({2, 1}), 1)) == "(2, 3) 1 1 2 3 3 4");
  BOOST_TEST(error_of([&] { repeat_interleave(x, -1); }) ==
             "repeat_interleave: the repeats must not be negative, got -1");
  BOOST_TEST(error_of([&] {
               repeat_interleave(x, tensor({1, -1}), 0);
             }) == "repeat_interleave: the repeats must not be negative, got -1");
  BOOST_TEST(error_of([&] { repeat_interleave(x, tensor({1}), 0); }) ==
             "repeat_interleave: there must be one number per slice, shape (2), got (1)");
  BOOST_TEST(error_of([&] {
               repeat_interleave(x, tensor({1.0, 1.0}), 0);
             }) == "repeat_interleave: the repeats must be int64, got float32");
  BOOST_TEST(error_of([&] { repeat_interleave(tensor(1.0), 2, 0); }) ==
             "repeat_interleave: a scalar has no dimensions, got dim 0");
}

BOOST_AUTO_TEST_CASE(flip_reverses) {
  const Tensor x = six();
  BOOST_TEST(show(flip(x, {0})) == "(2, 3) 4 5 6 1 2 3");
  BOOST_TEST(show(flip(x, {-1})) == "(2, 3) 3 2 1 6 5 4");
  BOOST_TEST(show(flip(x, {0, 1})) == "(2, 3) 6 5 4 3 2 1");
  BOOST_TEST(show(flip(slice(x, 1, 0, 3, 2), {1})) == "(2, 2) 3 1 6 4");
  BOOST_TEST(show(flip(x, {})) == show(x));
  BOOST_TEST((flip(x, {}).storage() != x.storage()));
  BOOST_TEST(show(flip(tensor(2.0), {0})) == "() 2");
  BOOST_TEST(show(flip(empty({0, 2}), {0, 1})) == "(0, 2)");
  BOOST_TEST(error_of([&] {
               flip(x, {1, -1});
             }) == "flip: dims must name no dimension twice, got (1, -1)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed
