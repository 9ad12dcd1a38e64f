// Variables as values: undefined ones, temporaries, updates in place, freezing, members.
#include <sstream>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/compare.h"
#include "tests/errors.h"

using namespace heed;

namespace {

const char* const undefined =
    "Tensor: used while undefined, that is default-constructed or moved from";

Variable leaf() { return Variable(tensor({{1.0, 2.0}, {3.0, 4.0}}), true); }

}  // namespace

BOOST_AUTO_TEST_SUITE(variables)

BOOST_AUTO_TEST_CASE(an_undefined_variable_refuses_every_use) {
  Variable moved = leaf();
  const Variable taken = std::move(moved);
  for (Variable x : {Variable(), moved}) {
    BOOST_TEST(!x.defined());
    BOOST_TEST(!x.requires_grad());
    BOOST_TEST(fmt::format("{}", x) == "tensor(undefined)");
    BOOST_TEST(error_of([&] { x.shape(); }) == undefined);
    BOOST_TEST(error_of([&] { x.item(); }) == undefined);
    BOOST_TEST(error_of([&] { x.backward(); }) == undefined);
    BOOST_TEST(error_of([&] { x.requires_grad_(); }) == undefined);
    BOOST_TEST(error_of([&] { x[0]; }) == undefined);
    BOOST_TEST(error_of([&] { x.sum(); }) == undefined);
    BOOST_TEST(error_of([&] { x += taken; }) == undefined);
  }
  BOOST_TEST(taken.requires_grad());
  // A sum that was not begun.
  Variable total;
  BOOST_TEST(error_of([&] { total = total + sum(taken); }) == undefined);
}

// What a temporary returns outlives it. ASan would see the difference.
BOOST_AUTO_TEST_CASE(values_of_temporaries_live_on) {
  const Variable x = leaf();
  const Tensor& value = (x * 2).value();
  BOOST_TEST(sum(value).item() == 20);
  std::int64_t product = 1;
  for (const std::int64_t size : randn({2, 3}).shape()) product *= size;
  for (const std::int64_t size : (x + 1).shape()) product *= size;
  BOOST_TEST(product == 24);
  sum(x * x).backward();
  const Tensor& gradient = x.grad().value();
  BOOST_TEST(sum(gradient).item() == 20);
}

// PyTorch's derivatives at a tie with a number, and of elu at 0 and far from it.
BOOST_AUTO_TEST_CASE(derivatives_at_special_places) {
  Variable x(tensor({1.0, 2.0, 3.0}), true);
  maximum(x, 2).sum().backward();
  BOOST_TEST(equal(x.grad(), tensor({0.0, 0.5, 1.0})));
  x.zero_grad();
  minimum(x, 2).sum().backward();
  BOOST_TEST(equal(x.grad(), tensor({1.0, 0.5, 0.0})));
  const Variable z(tensor({0.0, 1000.0}), true);
  const Variable first = grad(elu(z).sum(), {z}, {.create_graph = true})[0];
  BOOST_TEST(equal(first, ones({2})));
  BOOST_TEST(equal(grad(first.sum(), {z})[0], zeros({2})));
}

BOOST_AUTO_TEST_CASE(a_leaf_that_was_frozen_after_its_use_gets_no_gradient) {
  Variable w = leaf(), v = leaf();
  const Variable y = sum(w * v);
  w.requires_grad_(false);
  y.backward();
  BOOST_TEST(!w.has_grad());
  BOOST_TEST(v.has_grad());
}

BOOST_AUTO_TEST_CASE(a_frozen_leaf_is_a_constant_until_it_is_thawed) {
  Variable w = leaf(), other = w;
  w.requires_grad_(false);
  BOOST_TEST(!other.requires_grad());
  BOOST_TEST(other.is_leaf());
  BOOST_TEST(!sum(other * other).requires_grad());
  BOOST_TEST(error_of([&] { w.backward(ones_like(w)); }) ==
             "backward: the value is a leaf that requires_grad_(false) has frozen");
  const Variable x = leaf();
  sum(x * other).backward();
  BOOST_TEST(x.has_grad());
  BOOST_TEST(!w.has_grad());
  // What was recorded while it was frozen knows nothing of it, even once it is thawed.
  const Variable recorded = sum(x * other);
  other.requires_grad_();
  recorded.backward();
  BOOST_TEST(!w.has_grad());
  sum(w * w).backward();
  BOOST_TEST(same(other.grad().value(), w.value() * 2));
  Variable constant = tensor({1.0});
  constant.requires_grad_();
  sum(constant * 3).backward();
  BOOST_TEST(constant.grad().item() == 3);
  // As a list of parameters holds it: the Variable itself would stay a constant.
  Variable bias = zeros({1});
  std::vector<Variable> list{bias, constant};
  const std::string copied =
      "requires_grad_: this is a copy of another Variable, such as one in a list, and "
      "the "
      "other would stay without a gradient; ask for it before the copy is made, as "
      "Variable(value, true) does";
  BOOST_TEST(error_of([&] { list[0].requires_grad_(); }) == copied);
  Variable assigned;
  assigned = bias;
  BOOST_TEST(error_of([&] { assigned.requires_grad_(); }) == copied);
  list[1].requires_grad_();
  BOOST_TEST(!list[0].requires_grad_(false).requires_grad());
  Variable moved = std::move(bias);
  BOOST_TEST(moved.requires_grad_().requires_grad());
  Variable whole = tensor({1});
  BOOST_TEST(error_of([&] { whole.requires_grad_(); }) ==
             "Variable: only float32 and float64 have gradients, got int64");
  Variable result = w * 2;
  BOOST_TEST(error_of([&] { result.requires_grad_(false); }) ==
             "requires_grad_: it must be a leaf, got the result of mul");
}

BOOST_AUTO_TEST_CASE(elements_and_dtypes) {
  Variable x = leaf();
  (x[1][0] + 2 * x[-1][1]).backward();
  BOOST_TEST(same(x.grad().value(), tensor({{0.0, 0.0}, {1.0, 2.0}})));
  const Variable wide = x.to(float64);
  BOOST_TEST((wide.dtype() == float64));
  x.zero_grad();
  sum(wide).backward();
  BOOST_TEST(same(x.grad().value(), ones({2, 2})));
  std::ostringstream out;
  out << x << " " << x.dtype() << " " << x.shape() << "\n" << max(tensor({1, 3}), 0);
  BOOST_TEST(out.str() ==
             "tensor([[1., 2.],\n        [3., 4.]]) float32 (2, 2)\n"
             "values=tensor(3),\nindices=tensor(1)");
}

// Each member against the function of its name, of Tensor and of Variable.
template <class T>
void check_members(const T& x) {
  const auto equal = [](const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Tensor>) {
      return same_bits(a, b);
    } else {
      return same_bits(a.value(), b.value());
    }
  };
  static_assert(
      !requires(const T& y) { norm(y, 1); } && !requires(const T& y) { y.norm(1); },
      "a power, or a dim");
  const T p = abs(x) + 1;
  const Tensor index = tensor({2, 0}), indices = tensor({{0, 2}, {1, 1}});
  const Tensor mask = tensor({{true, false, true}, {false, false, true}});
  const std::pair<const char*, std::pair<T, T>> pairs[] = {
      {"sum", {x.sum(), sum(x)}},
      {"sum of 1", {x.sum(1, true), sum(x, 1, true)}},
      {"mean", {x.mean({0}), mean(x, 0)}},
      {"prod", {x.prod(), prod(x)}},
      {"var", {x.var(1, 0), var(x, 1, 0)}},
      {"std", {x.std(), heed::std(x)}},
      {"norm", {x.norm(), norm(x)}},
      {"norm of 1", {x.norm({1}, true), norm(x, {1}, true)}},
      {"any", {x.any(0), any(x, 0)}},
      {"all", {x.all(), all(x)}},
      {"max", {x.max(), max(x)}},
      {"min", {x.min(), min(x)}},
      {"max of 1", {x.max(1).values, max(x, 1).values}},
      {"min of 1", {x.min(1, true).values, min(x, 1, true).values}},
      {"argmax", {x.argmax(), argmax(x)}},
      {"argmin", {x.argmin(), argmin(x)}},
      {"argmax of 1", {x.argmax(1), argmax(x, 1)}},
      {"argmin of 0", {x.argmin(0, true), argmin(x, 0, true)}},
      {"amax", {x.amax(1), amax(x, 1)}},
      {"amin", {x.amin({0, 1}), amin(x, {0, 1})}},
      {"sort", {x.sort(1, true).values, sort(x, 1, true).values}},
      {"argsort", {x.argsort(), argsort(x)}},
      {"topk", {x.topk(2).values, topk(x, 2).values}},
      {"repeat_interleave", {x.repeat_interleave(2), repeat_interleave(x, 2)}},
      {"repeat_interleave of 1", {x.repeat_interleave(2, 1), repeat_interleave(x, 2, 1)}},
      {"flip", {x.flip({1}), flip(x, {1})}},
      {"tril", {x.tril(1), tril(x, 1)}},
      {"triu", {x.triu(), triu(x)}},
      {"sign", {x.sign(), sign(x)}},
      {"floor", {x.floor(), floor(x)}},
      {"ceil", {x.ceil(), ceil(x)}},
      {"round", {x.round(), round(x)}},
      {"reshape", {x.reshape({3, 2}), reshape(x, {3, 2})}},
      {"view", {x.view({-1}), view(x, {-1})}},
      {"flatten", {x.flatten(), flatten(x)}},
      {"transpose", {x.transpose(0, 1), transpose(x, 0, 1)}},
      {"t", {x.t(), transpose(x, 0, 1)}},
      {"permute", {x.permute({1, 0}), permute(x, {1, 0})}},
      {"expand", {x.expand({2, 2, 3}), expand(x, {2, 2, 3})}},
      {"squeeze", {x.unsqueeze(0).squeeze(), x}},
      {"squeeze of 1", {x.unsqueeze(1).squeeze(1), x}},
      {"unsqueeze", {x.unsqueeze(1), unsqueeze(x, 1)}},
      {"abs", {x.abs(), abs(x)}},
      {"exp", {x.exp(), exp(x)}},
      {"log", {p.log(), log(p)}},
      {"sqrt", {p.sqrt(), sqrt(p)}},
      {"square", {x.square(), square(x)}},
      {"pow", {p.pow(1.5), pow(p, 1.5)}},
      {"sin", {x.sin(), sin(x)}},
      {"cos", {x.cos(), cos(x)}},
      {"tanh", {x.tanh(), tanh(x)}},
      {"sigmoid", {x.sigmoid(), sigmoid(x)}},
      {"relu", {x.relu(), relu(x)}},
      {"clamp", {x.clamp(-0.5, 0.5), clamp(x, -0.5, 0.5)}},
      {"clamp from below", {x.clamp(0), clamp_min(x, 0)}},
      {"clamp from above", {x.clamp({}, 0.5), clamp_max(x, 0.5)}},
      {"softmax", {x.softmax(1), softmax(x, 1)}},
      {"log_softmax", {x.log_softmax(-1), log_softmax(x, -1)}},
      {"logsumexp", {x.logsumexp(1, true), logsumexp(x, 1, true)}},
      {"cumsum", {x.cumsum(0), cumsum(x, 0)}},
      {"repeat", {x.repeat({2, 1}), repeat(x, {2, 1})}},
      {"slice", {x.slice(1, 0, 3, 2), slice(x, 1, 0, 3, 2)}},
      {"split", {x.split(2, 1)[1], split(x, 2, 1)[1]}},
      {"chunk", {x.chunk(2)[1], chunk(x, 2)[1]}},
      {"select", {x.select(1, -1), select(x, 1, -1)}},
      {"index_select", {x.index_select(1, index), index_select(x, 1, index)}},
      {"gather", {x.gather(1, indices), gather(x, 1, indices)}},
      {"masked_select", {x.masked_select(mask), masked_select(x, mask)}},
      {"masked_fill", {x.masked_fill(mask, 7), masked_fill(x, mask, 7)}},
      {"matmul", {x.matmul(x.t()), matmul(x, transpose(x, 0, 1))}},
  };
  for (const auto& [name, pair] : pairs) BOOST_TEST(equal(pair.first, pair.second), name);
  BOOST_TEST(error_of([&] { x[0].t(); }) == "t: it must be a matrix, got (3)");
}

BOOST_AUTO_TEST_CASE(members_are_the_functions_of_their_names) {
  const Tensor x = tensor({{-1.0, 0.25, 2.0}, {0.5, -3.0, 1.5}});
  check_members(x);
  check_members(Variable(x, true));
  const Variable leaf(x, true);
  (leaf - 1).pow(2).mean().backward();
  BOOST_TEST(distance(leaf.grad().value(), (x - 1) / 3) < 1e-6);
}

BOOST_AUTO_TEST_CASE(an_index_may_be_a_tensor) {
  const Tensor x = arange(12.0).reshape({3, 2, 2});
  const Tensor index = tensor({{2, 0}, {0, 0}});
  const Tensor picked = x[index];
  BOOST_TEST((picked.shape() == Shape{2, 2, 2, 2}));
  BOOST_TEST(equal(picked[0][0], x[2]));
  BOOST_TEST(equal(picked[1], stack({x[0], x[0]})));
  BOOST_TEST(equal(x[tensor(1)], x[1]));
  BOOST_TEST(equal(x[tensor({-1, -3})], stack({x[2], x[0]})));
  BOOST_TEST(equal(x[x > 4.5], masked_select(x, x > 4.5)));
  const Tensor rows = tensor({1, 0, 1}) == 1;
  BOOST_TEST(equal(x[rows], stack({x[0], x[2]})));
  BOOST_TEST(equal(x[expand(rows.reshape({3, 1}), {3, 2})], x[rows].reshape({4, 2})));
  BOOST_TEST((x[rows & !rows].shape() == Shape{0, 2, 2}));
  const Variable leaf(x, true);
  sum(leaf[tensor({2, 2})] * 3).backward();
  BOOST_TEST(
      equal(leaf.grad().value(), x.masked_fill(x > -1, 0) + 6 * (x > 7.5).to(x.dtype())));
  const std::string sizes = "x[mask]: the mask must have the first sizes of x, got ";
  BOOST_TEST(error_of([&] { x[index > 0]; }) == sizes + "(3, 2, 2) and (2, 2)");
  BOOST_TEST(error_of([&] { x[tensor(1) > 0]; }) == sizes + "(3, 2, 2) and ()");
  BOOST_TEST(error_of([&] {
               x[tensor({0, 3})];
             }) == "index: the index of dimension 0 must be from -3 to 2, got 3");
  BOOST_TEST(error_of([&] { x[tensor({0.0})]; }) ==
             "index: an index must be int64 or bool, got float32");
}

BOOST_AUTO_TEST_CASE(item_has_the_type_that_is_asked_for) {
  const int count = sum(tensor({2, 3})).item<int>();
  BOOST_TEST(count == 5);
  const float third = Variable(tensor({1.0 / 3}, float32)).item<float>();
  BOOST_TEST(third == 1.0f / 3);
}

BOOST_AUTO_TEST_CASE(a_clone_has_elements_of_its_own_and_the_derivative) {
  const Variable x(tensor({1.0, 2.0, 3.0}), true);
  Variable copy = x.clone();
  BOOST_TEST(same_bits(copy.value(), x.value()));
  BOOST_TEST(copy.value().data<float>() != x.value().data<float>());
  sum(copy * tensor({4.0, 5.0, 6.0})).backward();
  BOOST_TEST(same(x.grad().value(), tensor({4.0, 5.0, 6.0})));
  const auto clone = [](const std::vector<Variable>& in) { return in[0].clone(); };
  BOOST_TEST(gradcheck(clone, {rand({2, 3}, float64)}).ok);
  BOOST_TEST(gradgradcheck(clone, {rand({2, 3}, float64)}).ok);
}

BOOST_AUTO_TEST_CASE(contiguous_is_a_recorded_copy_where_it_must_be) {
  const Variable x(tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}), true);
  BOOST_TEST(x.contiguous().value().data<float>() == x.value().data<float>());
  const Variable turned = x.transpose(0, 1).contiguous();
  BOOST_TEST(turned.value().is_contiguous());
  BOOST_TEST(same(turned.value(), tensor({{1.0, 4.0}, {2.0, 5.0}, {3.0, 6.0}})));
  sum(turned.view({2, 3}) * tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})).backward();
  BOOST_TEST(same(x.grad().value(), tensor({{1.0, 3.0, 5.0}, {2.0, 4.0, 6.0}})));
}

BOOST_AUTO_TEST_CASE(is_same_is_python_s_is) {
  Variable w(ones({2, 2}), true);
  const Variable copy = w, other(ones({2, 2}), true);
  BOOST_TEST(w.is_same(copy));
  BOOST_TEST(!w.is_same(other));
  BOOST_TEST(!w.is_same(w.detach()));
  BOOST_TEST(w.value().is_same(w.detach()));
  BOOST_TEST(w.data_ptr() == w.detach().data_ptr());
  const Tensor x = arange(4.0);
  BOOST_TEST(!x.is_same(x.clone()));
  BOOST_TEST(!x.is_same(x.reshape({2, 2})));
  BOOST_TEST(x[2].data_ptr() == x.data<float>() + 2);
  BOOST_TEST(Tensor().is_same(Tensor()));
}

BOOST_AUTO_TEST_CASE(a_gradient_can_be_set) {
  Variable w(ones({2}), true);
  w.set_grad(tensor({1.0, 2.0}));
  BOOST_TEST(equal(w.grad().value(), tensor({1.0, 2.0})));
  sum(w).backward();
  BOOST_TEST(equal(w.grad().value(), tensor({2.0, 3.0})));
  BOOST_TEST(error_of([&] { w.set_grad(ones({3})); }) ==
             "set_grad: the gradient must be like the value, float32 (2), got float32 "
             "(3)");
  BOOST_TEST(error_of([&] { (w * 2).set_grad(ones({2})); }) ==
             "set_grad: the value must be a leaf that requires a gradient, or "
             "retain_grad() have been called");
}

BOOST_AUTO_TEST_SUITE_END()
