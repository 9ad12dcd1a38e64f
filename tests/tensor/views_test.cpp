#include "tensor/core/views.h"

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

std::string sizes(const Tensor& x) { return fmt::format("{}", x.shape()); }

bool shares(const Tensor& a, const Tensor& b) { return a.storage() == b.storage(); }

std::string show_all(const std::vector<Tensor>& pieces) {
  std::string text;
  for (const Tensor& piece : pieces) text += "[" + show(piece) + "]";
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(views)

BOOST_AUTO_TEST_CASE(views_share_their_elements) {
  Tensor x = six();
  BOOST_TEST(shares(x, reshape(x, {3, 2})));
  Tensor column = select(transpose(x, 0, 1), 0, 1);
  column.fill_(9);
  BOOST_TEST(show(x) == "(2, 3) 1 9 3 4 9 6");
  slice(x, 1, 2)[0].fill_(7);
  BOOST_TEST(show(x) == "(2, 3) 1 9 7 4 9 6");
}

BOOST_AUTO_TEST_CASE(views_allocate_nothing) {
  const Tensor x = six();
  memory::reset_peak();
  const std::int64_t before = memory::bytes_peak();
  const Tensor y = transpose(expand(unsqueeze(slice(x, 1, 0, 2), 0), {4, -1, -1}), 0, 2);
  const Tensor z = view(select(permute(y, {2, 0, 1}), 0, 0), {2, 2, 1});
  const Tensor w = flatten(squeeze(reshape(x, {-1, 1})));
  BOOST_TEST(memory::bytes_peak() == before);
  BOOST_TEST(show(z) == "(2, 2, 1) 1 4 2 5");
  BOOST_TEST(show(w) == "(6) 1 2 3 4 5 6");
}

BOOST_AUTO_TEST_CASE(reshape_keeps_the_order) {
  const Tensor x = six();
  BOOST_TEST(show(reshape(x, {3, 2})) == "(3, 2) 1 2 3 4 5 6");
  BOOST_TEST(show(reshape(x, {-1})) == "(6) 1 2 3 4 5 6");
  BOOST_TEST(show(reshape(x, {1, -1, 2, 1})) == "(1, 3, 2, 1) 1 2 3 4 5 6");
  BOOST_TEST(show(reshape(slice(x, 1, 0, 1), {2})) == "(2) 1 4");
  BOOST_TEST(show(reshape(tensor(5.0), {1, 1})) == "(1, 1) 5");
  BOOST_TEST(show(reshape(tensor({5.0}), {})) == "() 5");
  BOOST_TEST(show(reshape(empty({2, 0}), {0, 7})) == "(0, 7)");
  BOOST_TEST(show(reshape(empty({2, 0}), {-1, 3})) == "(0, 3)");
  BOOST_TEST(show(reshape(empty({0}), {0})) == "(0)");
}

BOOST_AUTO_TEST_CASE(reshape_copies_only_where_it_must) {
  const Tensor x = arange(24, float32);
  const Tensor cube = reshape(x, {2, 3, 4});
  // Splitting a dimension never needs a copy.
  const Tensor swapped = transpose(cube, 0, 2);  // (4, 3, 2)
  BOOST_TEST(shares(x, reshape(swapped, {2, 2, 3, 1, 2})));
  BOOST_TEST(reshape(swapped, {2, 2, 3, 1, 2}).at({1, 0, 2, 0, 1}) == cube.at({1, 2, 2}));
  // The last two dimensions of this one can be merged in place, the first two cannot.
  const Tensor turned = permute(cube, {2, 0, 1});  // (4, 2, 3)
  BOOST_TEST(shares(x, reshape(turned, {4, 6})));
  BOOST_TEST(!shares(x, reshape(turned, {8, 3})));
  BOOST_TEST(show(reshape(turned, {8, 3})[1]) == show(turned[0][1]));
  // The stride of a dimension of size 1 does not matter.
  const Tensor thin = slice(cube, 1, 1, 2);  // (2, 1, 4), 12 apart
  BOOST_TEST(shares(x, view(thin, {1, 2, 2, 2, 1})));
  BOOST_TEST(!shares(x, reshape(thin, {8})));
  BOOST_TEST(shares(x, view(slice(x, 0, 0, 24, 3), {2, 4})));
  BOOST_TEST(show(view(expand(tensor({1.0}), {4}), {2, 2})) == "(2, 2) 1 1 1 1");
}

BOOST_AUTO_TEST_CASE(reshape_errors) {
  const Tensor x = six();
  BOOST_TEST(error_of([&] {
               reshape(x, {4, 2});
             }) == "reshape: (2, 3) has 6 elements, (4, 2) has 8");
  BOOST_TEST(error_of([&] { view(x, {}); }) == "view: (2, 3) has 6 elements, () has 1");
  BOOST_TEST(error_of([&] {
               reshape(x, {-1, -1});
             }) == "reshape: only one size may be -1, got (-1, -1)");
  BOOST_TEST(error_of([&] {
               reshape(x, {4, -1});
             }) == "reshape: (2, 3) has 6 elements, (4, -1) a multiple of 4");
  BOOST_TEST(error_of([&] {
               reshape(empty({0}), {0, -1});
             }) == "reshape: beside a size 0 a -1 could be any size, got (0, -1)");
  BOOST_TEST(error_of([&] {
               reshape(x, {-2, -3});
             }) == "shape: sizes must not be negative, got (-2, -3)");
  BOOST_TEST(error_of([&] { view(transpose(x, 0, 1), {6}); }) ==
             "view: the strides of this tensor allow no view of the shape (6); reshape "
             "copies where it must");
}

BOOST_AUTO_TEST_CASE(flatten_joins_a_range) {
  const Tensor x = reshape(arange(24, float32), {2, 3, 4});
  BOOST_TEST(sizes(flatten(x)) == "(24)");
  BOOST_TEST(sizes(flatten(x, 1)) == "(2, 12)");
  BOOST_TEST(sizes(flatten(x, 0, -2)) == "(6, 4)");
  BOOST_TEST(sizes(flatten(x, 1, 1)) == "(2, 3, 4)");
  BOOST_TEST(sizes(flatten(tensor(3.0))) == "(1)");
  BOOST_TEST(sizes(flatten(empty({2, 0, 3}), 1)) == "(2, 0)");
  BOOST_TEST(error_of([&] { flatten(x, 2, 1); }) ==
             "flatten: start must not come after end, got 2 and 1");
  BOOST_TEST(error_of([&] { flatten(x, 3); }) ==
             "flatten: dim must be from -3 to 2, got 3");
}

BOOST_AUTO_TEST_CASE(transpose_and_permute) {
  const Tensor x = six();
  BOOST_TEST(show(transpose(x, 0, -1)) == "(3, 2) 1 4 2 5 3 6");
  BOOST_TEST(show(transpose(tensor(2.0), 0, -1)) == "() 2");
  BOOST_TEST(error_of([&] { transpose(x, 0, 2); }) ==
             "transpose: dim must be from -2 to 1, got 2");

  const Tensor cube = reshape(arange(24, float32), {2, 3, 4});
  const Tensor turned = permute(cube, {-1, 0, 1});
  BOOST_TEST(sizes(turned) == "(4, 2, 3)");
  BOOST_TEST(turned.at({3, 1, 2}) == cube.at({1, 2, 3}));
  BOOST_TEST(show(permute(tensor(2.0), {})) == "() 2");
  BOOST_TEST(error_of([&] {
               permute(x, {0, 0});
             }) ==
             "permute: dims must name each dimension once, got (0, 0) for the shape "
             "(2, 3)");
  BOOST_TEST(error_of([&] {
               permute(x, {1, -1});
             }) ==
             "permute: dims must name each dimension once, got (1, -1) for the shape "
             "(2, 3)");
  BOOST_TEST(error_of([&] { permute(x, {0}); }) ==
             "permute: dims must name each dimension once, got (0) for the shape (2, 3)");
  BOOST_TEST(error_of([&] {
               permute(x, {0, 5});
             }) == "permute: dim must be from -2 to 1, got 5");
}

BOOST_AUTO_TEST_CASE(expand_repeats_without_a_copy) {
  const Tensor row = tensor({{1.0, 2.0}});  // (1, 2)
  BOOST_TEST(show(expand(row, {2, 2})) == "(2, 2) 1 2 1 2");
  BOOST_TEST(show(expand(row, {2, -1, -1})) == "(2, 1, 2) 1 2 1 2");
  BOOST_TEST(show(expand(tensor(7.0), {2, 1})) == "(2, 1) 7 7");
  BOOST_TEST(show(expand(row, {0, 2})) == "(0, 2)");
  BOOST_TEST(error_of([&] {
               expand(row, {2, 4});
             }) == "expand: sizes other than 1 must stay, got (2, 4) for (1, 2)");
  BOOST_TEST(error_of([&] {
               expand(row, {-2, 2});
             }) == "expand: sizes other than 1 must stay, got (-2, 2) for (1, 2)");
  BOOST_TEST(error_of([&] { expand(row, {2}); }) ==
             "expand: (1, 2) has more dimensions than (2)");
  BOOST_TEST(error_of([&] {
               expand(row, {-1, 1, 2});
             }) == "expand: a new dimension needs a size, got (-1, 1, 2) for (1, 2)");
  const std::int64_t many = std::int64_t{1} << 40;
  BOOST_TEST(error_of([&] {
               expand(tensor(1.0), {many, many});
             }) == "shape: too many elements, got (1099511627776, 1099511627776)");
}

BOOST_AUTO_TEST_CASE(squeeze_and_unsqueeze) {
  const Tensor x = reshape(six(), {1, 2, 1, 3});
  BOOST_TEST(sizes(squeeze(x)) == "(2, 3)");
  BOOST_TEST(sizes(squeeze(x, 0)) == "(2, 1, 3)");
  BOOST_TEST(sizes(squeeze(x, -2)) == "(1, 2, 3)");
  BOOST_TEST(sizes(squeeze(x, 1)) == "(1, 2, 1, 3)");
  BOOST_TEST(show(squeeze(tensor({{4.0}}))) == "() 4");
  BOOST_TEST(show(squeeze(tensor(4.0), -1)) == "() 4");
  BOOST_TEST(error_of([&] { squeeze(x, 4); }) ==
             "squeeze: dim must be from -4 to 3, got 4");

  BOOST_TEST(sizes(unsqueeze(six(), 0)) == "(1, 2, 3)");
  BOOST_TEST(sizes(unsqueeze(six(), 2)) == "(2, 3, 1)");
  BOOST_TEST(sizes(unsqueeze(six(), -1)) == "(2, 3, 1)");
  BOOST_TEST(sizes(unsqueeze(six(), -3)) == "(1, 2, 3)");
  BOOST_TEST(show(unsqueeze(transpose(six(), 0, 1), 1)) == "(3, 1, 2) 1 4 2 5 3 6");
  BOOST_TEST(show(unsqueeze(tensor(4.0), 0)) == "(1) 4");
  BOOST_TEST(error_of([&] { unsqueeze(six(), 3); }) ==
             "unsqueeze: dim must be from -3 to 2, got 3");
  BOOST_TEST(error_of([&] {
               unsqueeze(empty({1, 1, 1, 1, 1, 1, 1, 1}), 0);
             }) == "shape: at most 8 dimensions, got more");
}

BOOST_AUTO_TEST_CASE(slice_is_pythons) {
  const Tensor x = arange(6, float32);
  BOOST_TEST(show(slice(x, 0, 1, 4)) == "(3) 1 2 3");
  BOOST_TEST(show(slice(x, 0, 4)) == "(2) 4 5");
  BOOST_TEST(show(slice(x, 0, -2)) == "(2) 4 5");
  BOOST_TEST(show(slice(x, 0, 0, -4)) == "(2) 0 1");
  BOOST_TEST(show(slice(x, 0, 1, to_end, 2)) == "(3) 1 3 5");
  BOOST_TEST(show(slice(x, 0, 0, 5, 2)) == "(3) 0 2 4");
  BOOST_TEST(show(slice(slice(x, 0, 0, 6, 2), 0, 1, 3, 2)) == "(1) 2");
  BOOST_TEST(show(slice(x, 0, 1, to_end, INT64_MAX)) == "(1) 1");
  BOOST_TEST(show(slice(x, 0, -99, 99)) == "(6) 0 1 2 3 4 5");
  BOOST_TEST(show(slice(x, 0, INT64_MIN, INT64_MIN)) == "(0)");
  BOOST_TEST(show(slice(x, 0, 4, 2)) == "(0)");
  BOOST_TEST(show(slice(x, 0, 99)) == "(0)");
  BOOST_TEST(show(slice(six(), -1, 1)) == "(2, 2) 2 3 5 6");
  BOOST_TEST(error_of([&] { slice(x, 0, 0, 6, 0); }) ==
             "slice: step must be at least 1, got 0");
  BOOST_TEST(error_of([&] { slice(x, 1, 0); }) ==
             "slice: dim must be from -1 to 0, got 1");
  BOOST_TEST(error_of([&] { slice(tensor(1.0), 0, 0); }) ==
             "slice: a scalar has no dimensions, got dim 0");
}

BOOST_AUTO_TEST_CASE(select_drops_a_dimension) {
  const Tensor x = six();
  BOOST_TEST(show(x[1]) == "(3) 4 5 6");
  BOOST_TEST(show(x[-2][-1]) == "() 3");
  BOOST_TEST(show(select(x, 1, 0)) == "(2) 1 4");
  BOOST_TEST(error_of([&] { select(x, 1, 3); }) ==
             "select: the index of dim 1 must be from -3 to 2, got 3");
  BOOST_TEST(error_of([&] { x[0][0][0]; }) ==
             "select: a scalar has no dimensions, got dim 0");
}

BOOST_AUTO_TEST_CASE(split_and_chunk) {
  const Tensor x = arange(5, float32);
  BOOST_TEST(show_all(split(x, 2)) == "[(2) 0 1][(2) 2 3][(1) 4]");
  BOOST_TEST(show_all(split(x, INT64_MAX)) == "[(5) 0 1 2 3 4]");
  BOOST_TEST(show_all(split(six(), 2, 1)) == "[(2, 2) 1 2 4 5][(2, 1) 3 6]");
  BOOST_TEST(show_all(split(empty({0, 3}), 2)) == "[(0, 3)]");
  BOOST_TEST(error_of([&] { split(x, 0); }) == "split: size must be at least 1, got 0");

  BOOST_TEST(show_all(split_with_sizes(x, {1, 0, 4})) == "[(1) 0][(0)][(4) 1 2 3 4]");
  BOOST_TEST(error_of([&] {
               split_with_sizes(x, {2, 2});
             }) ==
             "split_with_sizes: the sizes must add up to 5, none negative, got (2, 2)");
  BOOST_TEST(error_of([&] {
               split_with_sizes(x, {6, -1});
             }) ==
             "split_with_sizes: the sizes must add up to 5, none negative, got (6, -1)");

  BOOST_TEST(show_all(chunk(x, 2)) == "[(3) 0 1 2][(2) 3 4]");
  BOOST_TEST(chunk(x, 4).size() == 3u);  // pieces of two
  BOOST_TEST(chunk(x, INT64_MAX).size() == 5u);
  BOOST_TEST(show_all(chunk(empty({0}), 3)) == "[(0)][(0)][(0)]");
  BOOST_TEST(error_of([] { chunk(empty({0}), INT64_MAX); }) ==
             "chunk: there is no memory for a list of 9223372036854775807 pieces");
  BOOST_TEST(error_of([&] { chunk(x, 0); }) == "chunk: chunks must be at least 1, got 0");
  BOOST_TEST(error_of([&] { chunk(tensor(1.0), 1); }) ==
             "chunk: a scalar has no dimensions, got dim 0");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed
