// Functions at the ends of what they take: NaN, infinities, the lowest int64, nothing to
// write, pieces of a whole that do not fit. What they give there is PyTorch's.
#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>
#include <heed.h>

#include "tests/errors.h"

namespace heed {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::lowest();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

// Whether the results of a function that changes nothing are its own, so that a write to
// them does not change x.
bool is_own(const Tensor& x, Tensor y) {
  const Tensor before = x.clone();
  y.fill_(7);
  return equal(x, before);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(edge_cases)

BOOST_AUTO_TEST_CASE(nan_among_the_elements_is_nothing) {
  const Tensor x = tensor({5.0, 1.0, 9.0, 2.0, nan});
  const Tensor among = tensor({2.0, nan, 9.0, 1.0});
  BOOST_TEST(equal(isin(x, among), tensor({false, true, true, true, false})));
}

BOOST_AUTO_TEST_CASE(nothing_to_write_gives_a_copy) {
  const Tensor x = ones({3});
  const Tensor none = zeros({0}, int64);
  BOOST_TEST(is_own(x, index_put(x, {none}, 7)));
  BOOST_TEST(is_own(x, index_put(x, {none}, zeros({0}), true)));
  BOOST_TEST(is_own(x, index_put(x, {x > 1}, zeros({}))));
  BOOST_TEST(is_own(x, scatter(x, 0, none, zeros({0}))));
  BOOST_TEST(is_own(x, nn::pad(x, {})));
  BOOST_TEST(is_own(x, nn::pad(x, {-1, -1})));
  BOOST_TEST(is_own(x, combinations(x, 1)));
  BOOST_TEST(is_own(x, matrix_power(x.reshape({3, 1, 1}), 0)));
  BOOST_TEST(is_own(x, matrix_power(x.reshape({3, 1, 1}), 1)));
  BOOST_TEST(error_of([&] { index_put(x, {none}, zeros({0}, float64)); }) ==
             error_of([&] { index_put(x, {tensor({0})}, zeros({1}, float64)); }));
}

BOOST_AUTO_TEST_CASE(derivatives_are_recorded_under_no_grad) {
  NoGrad no_grad;
  const Tensor x = tensor({1.0, -2.0});
  const auto cubes = [](const Variable& x) { return pow(x, 3).sum(); };
  BOOST_TEST(equal(jacobian(cubes, x), tensor({3.0, 12.0})));
  BOOST_TEST(equal(hessian(cubes, x), tensor({{6.0, 0.0}, {0.0, -12.0}})));
  BOOST_TEST(!grad_enabled());
}

BOOST_AUTO_TEST_CASE(backward_of_values_of_two_dtypes) {
  const Variable x(tensor({1.0, 2.0}), true);
  const Variable wide(tensor({3.0}, float64), true);
  const Variable a = x.sum(), b = (wide * wide).sum();
  {
    NoGrad no_grad;
    backward({a, b});
  }
  BOOST_TEST(equal(x.grad().value(), ones({2})));
  BOOST_TEST(equal(wide.grad().value(), tensor({6.0}, float64)));
  BOOST_TEST(error_of([&] {
               backward({x.sum(), Variable(tensor(1.0))});
             }) == error_of([] { Variable(tensor(1.0)).backward(); }));
}

BOOST_AUTO_TEST_CASE(powers_of_infinite_matrices) {
  const Tensor x = tensor({{inf, 0.0}, {0.0, 1.0}});
  BOOST_TEST(equal(matrix_power(x, 1), x));
  const Tensor large = full({1, 1}, 1e20);
  BOOST_TEST(matrix_power(large, 3).item() == inf);
  const Tensor small = tensor({{0.5, 1.0}, {0.25, -1.0}});
  Tensor product = eye(2);
  for (int n = 0; n < 9; ++n) {
    BOOST_TEST(allclose(matrix_power(small, n), product));
    product = matmul(product, small);
  }
}

BOOST_AUTO_TEST_CASE(quotients_near_the_ends_of_int64) {
  const Tensor a = tensor({lowest, lowest, lowest + 1, highest, highest, lowest});
  const Tensor b = tensor({std::int64_t{3}, std::int64_t{-3}, std::int64_t{2},
                           std::int64_t{-2}, lowest, lowest});
  const Tensor quotients = tensor({lowest / 3 - 1, lowest / -3, lowest / 2,
                                   highest / -2 - 1, std::int64_t{-1}, std::int64_t{1}});
  BOOST_TEST(equal(floor_divide(a, b), quotients));
  BOOST_TEST(equal(fmod(tensor({lowest, highest, std::int64_t{-7}}), 3),
                   tensor({lowest % 3, highest % 3, std::int64_t{-1}})));
  const Tensor five = tensor({std::int64_t{5}, std::int64_t{-5}});
  BOOST_TEST(equal(fmod(five, tensor(lowest)), five));
  BOOST_TEST(equal(fmod(tensor({-7.5, 7.5, -0.0}), -2), tensor({-1.5, 1.5, -0.0})));
  BOOST_TEST(std::signbit(fmod(tensor(-0.0), 2).item()));
  BOOST_TEST(error_of([] { abs(Number(lowest)); }).find("9223372036854775808") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(functions_of_scalars_and_of_nothing) {
  const Tensor scalar = tensor(2.5), x = tensor({1, 4}), none = zeros({0, 3});
  BOOST_TEST(equal(movedim(scalar, 0, -1), scalar));
  BOOST_TEST(error_of([&] { movedim(scalar, 1, 0); }) != "");
  BOOST_TEST(error_of([&] { quantile(scalar, 0.5, 4); }) != "");
  BOOST_TEST(equal(quantile(scalar, 0.5, 0, true), scalar));
  BOOST_TEST(equal(quantile(scalar, tensor({0.5, 1}), -1), tensor({2.5, 2.5})));
  BOOST_TEST(error_of([&] { quantile(none, 0.5, 1); }) ==
             "quantile: x must not be empty, got (0, 3)");
  BOOST_TEST(error_of([&] { diff(scalar, 0); }) ==
             "diff: x must have a dimension, got ()");
  BOOST_TEST(error_of([&] { unflatten(scalar, 0, {1}); }) ==
             "unflatten: there must be a dimension and sizes for it, got () and (1)");
  BOOST_TEST(error_of([&] { unflatten(none, 1, {}); }) ==
             "unflatten: there must be a dimension and sizes for it, got (0, 3) and ()");
  BOOST_TEST(unflatten(none, 1, {-1, 1}).shape() == Shape({0, 3, 1}));
  BOOST_TEST(error_of([&] {
               unflatten(none, 1, {2, 2});
             }) == "unflatten: (3) has 3 elements, (2, 2) has 4");
  BOOST_TEST(error_of([] { median(zeros({0}, int64)); }).starts_with("median: "));
  BOOST_TEST(equal(cdist(zeros({2, 0}), zeros({3, 0}), inf), zeros({2, 3})));
  BOOST_TEST(error_of([&] { bincount(x, {}, -1); }) ==
             "bincount: minlength must not be negative, got -1");
  BOOST_TEST(error_of([&] {
               cartesian_prod({none, none});
             }) == "cartesian_prod: each must be a vector, got (0, 3)");
  BOOST_TEST(error_of([&] { take_along_dim(none, x, 0); }) ==
             "take_along_dim: x and index must have one rank, got (0, 3) and (2)");
  BOOST_TEST(error_of([&] {
               take(x, tensor({1, -3}).to(int64));
             }) == "take: the indices must be from -2 to 1, got tensor([-3])");
  BOOST_TEST(error_of([&] {
               take_along_dim(x, tensor({1}).to(int64), 1);
             }).starts_with("take_along_dim: dim must be from -1 to 0, got 1"));
  BOOST_TEST(equal(take_along_dim(scalar, tensor(std::int64_t{0}), 0), scalar));
  BOOST_TEST(error_of([&] { kthvalue(x, 1, 2); }).starts_with("kthvalue: dim must be"));
  BOOST_TEST(error_of([&] { median(x, 2); }).starts_with("median: dim must be"));
  BOOST_TEST(error_of([&] {
               std(Variable(ones({2}), true), 2);
             }).starts_with("std: dim must be"));
  BOOST_TEST(error_of([&] { index_fill(x, 0, tensor({{0}}).to(int64), 1); }) ==
             "index_fill: the index must be a number or a vector, got (1, 1)");
  BOOST_TEST(
      error_of([&] { diag(x, lowest); }).starts_with("diag: diagonal must be from"));
  BOOST_TEST(cov(tensor({{1, 2, 4}})).shape() == Shape());
  BOOST_TEST(corrcoef(tensor({{1, 2, 4}})).shape() == Shape());
  for (const double p : {1.0, 2.0, 3.0, inf}) {
    BOOST_TEST(equal(nn::normalize(scalar, p, 0), tensor(1.0)));
    BOOST_TEST(nn::pairwise_distance(scalar, scalar, p, 0, true).shape() == Shape());
    BOOST_TEST(nn::pairwise_distance(x, x, p, 0, true).shape() == Shape{1});
  }
  const Tensor nothing = zeros({0});
  BOOST_TEST(error_of([&] { take(nothing, tensor({0})); }) ==
             "take: x has no elements, got (0)");
  BOOST_TEST(error_of([&] {
               select(nothing, 0, 0);
             }).starts_with("select: dim 0 of (0) has no elements"));
  BOOST_TEST(error_of([&] { diff(x, 1, 2); }).starts_with("diff: dim must be"));
  BOOST_TEST(error_of([&] { cumprod(x, 2); }).starts_with("cumprod: dim must be"));
  BOOST_TEST(logit(tensor({0, 1, 2}), 0.1).dtype() == float32);
  BOOST_TEST(error_of([&] { logit(x, 0.7); }) ==
             "logit: eps must be at most 0.5, got 0.7");
  BOOST_TEST(error_of([&] { take(x, x > 1); }) ==
             "take: the index must be int64, got bool");
  BOOST_TEST(diff(x, std::int64_t{1} << 40).numel() == 0);
  BOOST_TEST(error_of([&] { x.clone().fill_diagonal_(1); }) ==
             "fill_diagonal_: it must be a matrix, got the shape (2)");
  BOOST_TEST(is_own(x, diff(x, 0)));
  BOOST_TEST(is_own(x, nan_to_num(x)));
}

BOOST_AUTO_TEST_CASE(whole_numbers_stay_whole) {
  const Tensor x = tensor({1, 2}), large = tensor({(std::int64_t{1} << 53) + 1});
  const Tensor m = tensor({{1, 2}, {3, 4}});
  BOOST_TEST(equal(x.add(1), tensor({2, 3})));
  BOOST_TEST(equal(x.sub(1).mul(3), tensor({0, 3})));
  BOOST_TEST(!large.eq(std::int64_t{1} << 53).item<bool>());
  BOOST_TEST(equal(addcmul(x, x, x, 2), tensor({3, 10})));
  BOOST_TEST(equal(x.clone().addcmul_(x, x), tensor({2, 6})));
  const Tensor f = m.to(float32);
  BOOST_TEST(equal(addmm(m, f, f), tensor({{8.0, 12.0}, {18.0, 26.0}})));
  BOOST_TEST(equal(addmm(m, f, f, 0, 2), tensor({{14.0, 20.0}, {30.0, 44.0}})));
  BOOST_TEST(equal(index_add(x, 0, tensor({1}), tensor({5}), 2), tensor({1, 12})));
  BOOST_TEST(equal(x.clone().index_add_(0, tensor({1}), tensor({5})), tensor({1, 7})));
  BOOST_TEST(equal(isin(x, tensor({2.0, 2.5})), tensor({false, true})));
  BOOST_TEST(error_of([&] { nanmean(x); }).starts_with("nanmean: "));
  BOOST_TEST(error_of([&] {
               addmm(zeros({3, 1, 1}), eye(2), eye(2));
             }) == "addmm: x must broadcast to the product (2, 2), got (3, 1, 1)");
}

BOOST_AUTO_TEST_CASE(sources_have_the_dtype_of_what_they_go_to) {
  const Tensor x = zeros({2}), at = tensor({1}), source = tensor({7});
  const std::string rest =
      "the dtypes must be equal, got float32 and int64; to(dtype) converts a tensor";
  BOOST_TEST(error_of([&] { scatter(x, 0, at, source); }) == "scatter: " + rest);
  BOOST_TEST(error_of([&] { scatter_add(x, 0, at, source); }) == "scatter_add: " + rest);
  BOOST_TEST(error_of([&] { index_add(x, 0, at, source); }) == "index_add: " + rest);
  BOOST_TEST(error_of([&] { index_put(x, {at}, source); }) == "index_put: " + rest);
}

BOOST_AUTO_TEST_CASE(products_and_powers_that_overflow_on_the_way) {
  const Tensor x = tensor({1e30, 1e30, 1e-30, 1e-30});
  BOOST_TEST(equal(cumprod(x, 0), tensor({1e30, inf, 1e30, 1.0})));
  const Shape none{0, std::int64_t{1} << 40};
  BOOST_TEST(cumprod(empty(none), 1).shape() == none);
  BOOST_TEST(equal(cumprod(tensor({0.5, 0.0, 1e300, 1e300}, float64), 0),
                   tensor({0.5, 0.0, 0.0, 0.0}, float64)));
  for (const double p : {0.5, 1.5, 3.0}) {
    const Variable a(tensor({{1.0, 2.0}}, float64), true);
    const Variable b(tensor({{1.0, 5.0}}, float64));
    const Variable first = grad(cdist(a, b, p).sum(), {a}, {.create_graph = true})[0];
    BOOST_TEST(allclose(first, tensor({{0.0, -1.0}}, float64)));
    BOOST_TEST(all(isfinite(grad((first * first).sum(), {a})[0])).item<bool>());
  }
}

BOOST_AUTO_TEST_CASE(derivatives_beside_other_dtypes) {
  const Variable exponent(tensor({2.0, 0.5}, float64), true);
  pow(Variable(tensor({3, 1})), exponent).sum().backward();
  BOOST_TEST(allclose(exponent.grad(), tensor({9 * std::log(3.0), 0.0}, float64)));
  const Variable divisor(tensor({0.75, 0.4}), true);
  remainder(Variable(tensor({true, true})), divisor).sum().backward();
  BOOST_TEST(equal(divisor.grad(), tensor({-1.0, -2.0})));
  BOOST_TEST(allclose(logaddexp(tensor({0.0}, float64), tensor({0})),
                      tensor({std::log(2.0)}, float64)));
}

BOOST_AUTO_TEST_CASE(gradients_that_cannot_be_written_are_refused_before_any_is) {
  Variable a(ones({3}), true), b(ones({3}), true);
  a.set_grad(full({3}, 4));
  b.set_grad(expand(full({1}, 4), {3}));
  BOOST_TEST(error_of([&] {
               optim::clip_grad_norm_({a, b}, 1);
             }).starts_with("clip_grad_norm_: "));
  BOOST_TEST(error_of([&] {
               optim::clip_grad_value_({a, b}, 1);
             }).starts_with("clip_grad_value_: "));
  BOOST_TEST(equal(a.grad(), full({3}, 4)));
  BOOST_TEST(error_of([] { optim::clip_grad_norm_({Variable()}, 1); }) ==
             "clip_grad_norm_: a parameter is undefined");
}

BOOST_AUTO_TEST_CASE(losses_and_distances) {
  const Variable scores(tensor({1.0, 2.0}));
  BOOST_TEST(
      std::isnan(nn::cross_entropy(scores, tensor(0),
                                   {.weight = tensor({0.0, 1.0}), .label_smoothing = 0.5})
                     .item()));
  BOOST_TEST(error_of([] {
               nn::nll_loss(Variable(tensor({1, 2})), tensor(1));
             }).starts_with("nll_loss: "));
  const Tensor a = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  BOOST_TEST(allclose(nn::cosine_similarity(a, tensor({{2.0}, {3.0}})),
                      tensor({0.92582005, 0.98692763}), 1e-6));
}

BOOST_AUTO_TEST_CASE(draws_follow_the_order_in_memory) {
  manual_seed(7);
  const Tensor p = rand({5, 3});
  BOOST_TEST(equal(multinomial(p.t(), 2), tensor({{2, 1}, {4, 3}, {2, 4}})));
}

BOOST_AUTO_TEST_CASE(products_along_the_first_dimension_of_three) {
  const Tensor a = reshape(arange(9.0), {3, 3}), b = flip(a, 0);
  BOOST_TEST(equal(cross(a, b), cross(a, b, 0)));
  BOOST_TEST(!equal(cross(a, b), cross(a, b, -1)));
  const Tensor rows = reshape(arange(6.0), {2, 3});
  BOOST_TEST(equal(rows.cross(rows + 1), cross(rows, rows + 1, 1)));
  BOOST_TEST(error_of([] { cross(zeros({2}), zeros({2})); }) != "");
}

BOOST_AUTO_TEST_CASE(covariances_of_whole_numbers_and_of_one) {
  BOOST_TEST(equal(cov(tensor({{1, 2}, {3, 5}})), tensor({{0.5, 1.0}, {1.0, 2.0}})));
  BOOST_TEST(std::isnan(cov(tensor(1.0)).item()));
  BOOST_TEST(cov(tensor({1.0, 3.0}), INT64_MIN).item() == 2 / 0x1p63);
}

BOOST_AUTO_TEST_CASE(areas_under_points) {
  const Tensor y = reshape(arange(6.0), {2, 3});
  BOOST_TEST(equal(trapezoid(y, tensor({0.0, 1.0, 3.0})), tensor({3.5, 12.5})));
  BOOST_TEST(equal(trapezoid(y, tensor({0.0, 2.0}), 0), tensor({3.0, 5.0, 7.0})));
  BOOST_TEST(equal(trapezoid(y, y), tensor({2.0, 8.0})));
  BOOST_TEST(trapezoid(y, zeros({3})).sum().item() == 0);
  BOOST_TEST(error_of([&] { trapezoid(y, zeros({2})); }) ==
             "trapezoid: x must be like y, (2, 3), or a vector of 3 numbers, got (2)");
  BOOST_TEST(error_of([&] { trapezoid(y, zeros({1})); }) ==
             "trapezoid: x must be like y, (2, 3), or a vector of 3 numbers, got (1)");
  BOOST_TEST(error_of([&] { trapezoid(zeros({3}), zeros({1})); }) ==
             "trapezoid: x must be like y, (3), or a vector of 3 numbers, got (1)");
}

BOOST_AUTO_TEST_CASE(norms_of_zeros_and_of_all_kinds) {
  const Tensor x = tensor({{3.0, -4.0}, {0.0, 0.0}});
  BOOST_TEST(equal(nn::normalize(x, inf), tensor({{0.75, -1.0}, {0.0, 0.0}})));
  BOOST_TEST(equal(nn::normalize(x, 1, 0), tensor({{1.0, -1.0}, {0.0, 0.0}})));
  const Variable leaf(x, true);
  nn::normalize(leaf, 3).sum().backward();
  BOOST_TEST(all(isfinite(leaf.grad().value())).item() == 1);
  BOOST_TEST(error_of([&] { nn::normalize(x, 0); }) ==
             "normalize: p must be positive, got 0");
  BOOST_TEST(std::isinf(hypot(tensor(inf), tensor(nan)).item()));
  BOOST_TEST(std::isinf(hypot(tensor(nan), tensor(-inf)).item()));
  BOOST_TEST(std::isnan(hypot(tensor(nan), tensor(1.0)).item()));
}

BOOST_AUTO_TEST_CASE(dimensions_that_do_not_fit_are_refused) {
  const Tensor x = zeros({2, 2});
  BOOST_TEST(error_of([&] {
               tensordot(x, x, {0, 0}, {0, 1});
             }) == "tensordot: a dimension must be named once, got (0, 0) and (0, 1)");
  BOOST_TEST(error_of([&] {
               tensordot(x, x, {0, 1}, {1, -1});
             }) == "tensordot: a dimension must be named once, got (0, 1) and (1, -1)");
  BOOST_TEST(error_of([&] {
               rot90(x, 2, {0, -2});
             }) == "rot90: two different dimensions must be named, got (0, -2)");
  BOOST_TEST(error_of([&] { rot90(x, 0, {0, 2}); }) != "");
  BOOST_TEST(error_of([&] {
               nn::pad(zeros({3}), {-2, -2});
             }) == "pad: -2 and -2 cut off more than dimension -1 of (3) has");
  BOOST_TEST(error_of([&] {
               nn::pad(zeros({3}), {5, -4});
             }) == "pad: 5 and -4 cut off more than dimension -1 of (3) has");
  BOOST_TEST(nn::pad(zeros({3}), {-2, -1}).numel() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed
