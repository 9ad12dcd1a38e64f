// einsum, index and index_put, members that write in place, and what they refuse. Values
// and derivatives are held by the reference cases and the table of ops.
#include <cmath>

#include <boost/test/unit_test.hpp>
#include <heed.h>

#include "tests/errors.h"

namespace heed {
namespace {

const auto message = [](auto f) { return error_of(f); };

}  // namespace

BOOST_AUTO_TEST_SUITE(more_functions)

BOOST_AUTO_TEST_CASE(einsum_is_sums_of_products) {
  const Tensor a = reshape(arange(6.0), {2, 3}), b = reshape(arange(12.0), {3, 4});
  const Tensor v = tensor({1.0, -2.0, 3.0});
  BOOST_TEST(equal(einsum("ij,jk->ik", a, b), matmul(a, b)));
  BOOST_TEST(equal(einsum(" ij, jk ", {a, b}), matmul(a, b)));
  BOOST_TEST(equal(einsum("ba", a), a.t()));
  BOOST_TEST(equal(einsum("ij->ji", a), a.t()));
  BOOST_TEST(equal(einsum("ij->", a), sum(a)));
  BOOST_TEST(equal(einsum("ij->j", a), sum(a, 0)));
  BOOST_TEST(equal(einsum("i,i", v, v), dot(v, v)));
  BOOST_TEST(equal(einsum("i,j->ij", v, v), outer(v, v)));
  BOOST_TEST(equal(einsum("ij,ij->ij", a, a), a * a));
  BOOST_TEST(equal(einsum("ij,j->i", Variable(a), v), mv(a, v)));
  BOOST_TEST(equal(einsum("ij,jk,j->ki", a, b, v), matmul(a * v, b).t()));
  BOOST_TEST(equal(einsum("iB,Bj", {a, b}), matmul(a, b)));
  BOOST_TEST(equal(einsum("aB,Bc", {a, b}), matmul(a, b)));
  const Tensor q = randn({2, 3, 4, 5}), k = randn({2, 3, 6, 5});
  BOOST_TEST(allclose(einsum("bhqd,bhkd->bhqk", q, k), matmul(q, transpose(k, -2, -1))));
  BOOST_TEST(einsum("ij,jk->ik", zeros({2, 0}), zeros({0, 4})).sum().item() == 0);
}

BOOST_AUTO_TEST_CASE(einsum_says_what_does_not_fit) {
  const Tensor a = zeros({2, 3});
  BOOST_TEST(message([&] { einsum("ij,jk", a); }) ==
             "einsum: operands in the equation: 2, tensors given: 1");
  BOOST_TEST(message([&] { einsum("ijk->i", a); }) ==
             "einsum: operand 0 must have the 3 dimensions ijk, got the shape (2, 3)");
  BOOST_TEST(message([&] {
               einsum("ij,ik", a, zeros({4, 3}));
             }) ==
             "einsum: the letter i must have one size, got 2, and 4 in operand 1, "
             "(4, 3)");
  BOOST_TEST(
      message([&] { einsum("...j->j", a); }) ==
      "einsum: the equation must have letters, commas and one ->, got \"...j->j\"");
  BOOST_TEST(message([&] { einsum("ii->i", a); }) ==
             "einsum: a letter may occur once in an operand, got \"ii->i\"");
  BOOST_TEST(message([&] { einsum("ij->k", a); }) ==
             "einsum: a letter of the result must occur in an operand, and once in the "
             "result, got \"ij->k\"");
  BOOST_TEST(message([&] { einsum("ij->i,", a); }) ==
             "einsum: the result must have letters alone, got \"ij->i,\"");
}

BOOST_AUTO_TEST_CASE(several_indices_name_single_elements) {
  const Tensor x = reshape(arange(12.0), {3, 4});
  const Tensor rows = tensor({0, 2, -1}), columns = tensor({1, 3, 0});
  BOOST_TEST(equal(index(x, {rows, columns}), tensor({1.0, 11.0, 8.0})));
  BOOST_TEST(equal(index(x, {rows}), index_select(x, 0, tensor({0, 2, 2}))));
  BOOST_TEST(equal(index(x, {rows.unsqueeze(1), tensor({0, 1})}),
                   tensor({{0.0, 1.0}, {8.0, 9.0}, {8.0, 9.0}})));
  BOOST_TEST(equal(index(x, {x > 9}), tensor({10.0, 11.0})));
  // A number beside a tensor is an index, and not how many tensors there are.
  BOOST_TEST(equal(index(x, {2, columns}), tensor({9.0, 11.0, 8.0})));
  BOOST_TEST(equal(index(x, {rows, -1}), tensor({3.0, 11.0, 11.0})));
  BOOST_TEST(equal(index(x, {1}), x[1]));
  BOOST_TEST(equal(index(x, std::vector{rows, columns}), index(x, {rows, columns})));
  BOOST_TEST(equal(index(x, {arange(3) != 1, tensor({0, 1})}), tensor({0.0, 9.0})));
  BOOST_TEST(equal(
      index_put(zeros({2, 2}), {tensor({0, 0}), tensor({1, 1})}, tensor({3.0, 5.0})),
      tensor({{0.0, 5.0}, {0.0, 0.0}})));
  BOOST_TEST(equal(index_put(zeros({2, 2}), {tensor({0, 0}), tensor({1, 1})},
                             tensor({3.0, 5.0}), true),
                   tensor({{0.0, 8.0}, {0.0, 0.0}})));
  BOOST_TEST(equal(index_put(x, {x > 5}, -1), masked_fill(x, x > 5, -1)));
  BOOST_TEST(equal(x.clone().index_put_({1, tensor({0, 1, 2, 3})}, zeros({})),
                   index_fill(x, 0, tensor(1), 0)));
  BOOST_TEST(equal(index_put(x, {zeros({0}, int64)}, 7), x));
  BOOST_TEST(equal(index_fill(x, 1, tensor({0, 2}), 7).sum(0),
                   tensor({21.0, 15.0, 21.0, 21.0})));
  BOOST_TEST(message([&] { index(x, {tensor({3})}); }) ==
             "index: the index of dimension 0 must be from -3 to 2, got 3");
  BOOST_TEST(message([&] {
               index(x, {3, rows});
             }) == "index: the index of dimension 0 must be from -3 to 2, got 3");
  BOOST_TEST(message([&] { index(x, {zeros({1})}); }) ==
             "index: an index must be int64 or bool, got float32");
  BOOST_TEST(message([&] { index(x, {}); }) ==
             "index: there must be an index for one or more of the dimensions of (3, 4), "
             "got 0");
  BOOST_TEST(message([&] { index(x, {ones({4}, boolean)}); }) ==
             "index: a mask must have the sizes of the dimensions in its place, got (4) "
             "for the shape (3, 4)");
  BOOST_TEST(message([&] {
               index(x, {tensor({0, 1}), tensor({0, 1, 2})});
             }) ==
             "index: the shapes must broadcast (equal sizes, or 1), got (2) and (3)");
  BOOST_TEST(message([&] { index_put(x, {rows}, zeros({3})); }) ==
             "index_put: the values must broadcast to (3, 4), got (3)");
  BOOST_TEST(message([&] { index_fill(x, 0, tensor({3}), 1); }) ==
             "index_fill: the index must be from 0 to 2, got 3");
}

BOOST_AUTO_TEST_CASE(members_write_in_place_and_chain) {
  Tensor p = tensor({1.0, 2.0});
  const Tensor other = p, q = tensor({10.0, 20.0});
  p.mul_(0.5).add_(q, 0.1).sub_(1).div_(2);
  BOOST_TEST(allclose(other, tensor({0.25, 1.0})));
  p.copy_(q).clamp_({}, 15).lerp_(zeros({2}), 0.5).neg_();
  BOOST_TEST(equal(other, tensor({-5.0, -7.5})));
  Tensor square = zeros({2, 3});
  square.fill_diagonal_(2)[0].add_(1);
  BOOST_TEST(equal(square, tensor({{3.0, 1.0, 1.0}, {0.0, 2.0, 0.0}})));
  Variable w(ones({2}), true);
  {
    NoGrad no_grad;
    w.mul_(3).add_(Variable(ones({2}), true), 2).masked_fill_(w > 9, 0);
  }
  BOOST_TEST(equal(w, full({2}, 5)));
  BOOST_TEST(w.is_leaf());
  const std::string refused =
      "add_: a value that requires a gradient can be changed only while nothing is "
      "recorded; put the change into the scope of a NoGrad";
  BOOST_TEST(message([&] { w.add_(1); }) == refused);
  BOOST_TEST(
      message([&] { Variable(zeros({2})).add_(w); }) ==
      "add_: what is written requires a gradient, which a change in place would lose; "
      "stack() and cat() put such values together, index_put() replaces some in a new "
      "one");
  BOOST_TEST(message([&] { w[0].add_(1); }) == refused);
  BOOST_TEST(message([&] {
               zeros({2}).add_(zeros({3, 2}));
             }) == "add_: the shape must stay (2), got (3, 2)");
  const Variable late = sum(w * w);
  {
    NoGrad no_grad;
    w.add_(1);
  }
  BOOST_CHECK_THROW(late.backward(), Error);
  BOOST_TEST(message([&] { expand(zeros({1}), {3}).mul_(2); }) != "");
}

BOOST_AUTO_TEST_CASE(new_tensors_after_another) {
  const Tensor x = zeros({2, 3});
  const Variable v(x);
  BOOST_TEST(equal(ones_like(x, int64), ones({2, 3}, int64)));
  BOOST_TEST(equal(full_like(v, 3, int64), full({2, 3}, 3, int64)));
  BOOST_TEST(equal(zeros_like(v, boolean), zeros({2, 3}, boolean)));
  BOOST_TEST((empty_like(x.t(), float64).stride() == Shape{1, 3}));
  Generator a(1), b(1);
  BOOST_TEST(equal(rand_like(v, float64, a), rand({2, 3}, float64, b)));
  BOOST_TEST(equal(randn_like(x, float64, a), randn({2, 3}, float64, b)));
  BOOST_TEST(equal(v.new_full({2}, 3), full({2}, 3)));
  BOOST_TEST(equal(x.to(float64).new_zeros({2}), zeros({2}, float64)));
  BOOST_TEST(x.new_ones({2}, int64).dtype() == int64);
  BOOST_TEST(equal(logspace(0, 3, 4), tensor({1.0, 10.0, 100.0, 1000.0})));
  BOOST_TEST(equal(logspace(0, 3, 4, 2, int64), tensor({1, 2, 4, 8})));
  BOOST_TEST(message([] { logspace(0, 1, -1); }) ==
             "logspace: steps must not be negative, got -1");
}

BOOST_AUTO_TEST_CASE(small_ones) {
  const Tensor x = tensor({-3.0, 2.0, std::nan("")}), mask = x > 0;
  BOOST_TEST(equal(~mask, !mask));
  BOOST_TEST(equal(~Variable(mask), !mask));
  BOOST_TEST(message([&] { ~x; }) == message([&] { !x; }));
  BOOST_TEST(equal(isin(x, x), tensor({true, true, false})));
  BOOST_TEST(equal(isin(Variable(x), tensor({2.0, 5.0}), false, true),
                   tensor({true, false, true})));
  BOOST_TEST(equal(isin(tensor({1, 2}), zeros({0}, int64)), tensor({false, false})));
  BOOST_TEST(is_floating_point(x));
  BOOST_TEST(!tensor({1}).is_floating_point());
  BOOST_TEST((broadcast_shapes({{2, 1}, {3}, {}}) == Shape{2, 3}));
  BOOST_TEST(broadcast_tensors({zeros({2, 1}), zeros({3})})[1].shape() == (Shape{2, 3}));
  BOOST_TEST(message([] {
               broadcast_shapes({{2}, {3}});
             }) ==
             "broadcast_shapes: the shapes must broadcast (equal sizes, or 1), got (2) "
             "and (3)");
  BOOST_TEST(message([] {
               cov(zeros({1, 2, 3}));
             }) ==
             "cov: x must be (observations) or (variables, observations), got (1, 2, 3)");
  BOOST_TEST(message([&] {
               cdist(zeros({1, 2}), zeros({1, 2}), 0);
             }) == "cdist: p must be positive, got 0");
  for (const Shape& other : {Shape{2, 1}, {2, 4}, {3}}) {
    BOOST_TEST(message([&] {
                 cdist(zeros({2, 3}), zeros(other));
               }) ==
               fmt::format("cdist: the operands must be (..., n, d) and (..., m, d), got "
                           "(2, 3) and {}",
                           other));
  }
  BOOST_TEST(split(zeros({5}), 2).size() == 3u);
  BOOST_TEST(split(zeros({5}), {2, 3})[1].numel() == 3);
  BOOST_TEST(zeros({1, 5}).split({5}, 1)[0].numel() == 5);
  BOOST_TEST(Variable(zeros({5})).split(std::vector<std::int64_t>{1, 4})[1].numel() == 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed
