// The fused attention against the one composed of ops: values, first and second
// derivatives, and what a graph keeps of it.
#include "autograd/attention.h"

#include <boost/test/unit_test.hpp>

#include <heed.h>

using namespace heed;

namespace {

using Attention = Variable (*)(const Variable&, const Variable&, const Variable&,
                               const std::optional<Tensor>&, double);

Variable fused(const Variable& q, const Variable& k, const Variable& v,
               const std::optional<Tensor>& lens, double scale) {
  return scaled_dot_product_attention(q, k, v, lens, scale);
}

Tensor numbers(const Shape& shape) {
  static Generator generator(41);
  return randn(shape, float64, generator);
}

double difference(const Variable& a, const Variable& b) {
  BOOST_TEST_REQUIRE(a.shape() == b.shape());
  return max(abs(a.value() - b.value())).item();
}

struct Problem {
  Variable q{numbers({2, 3, 14, 5}), true};
  Variable k{numbers({2, 3, 35, 5}), true};
  Variable v{numbers({2, 3, 35, 4}), true};
  Variable g{numbers({2, 3, 14, 4}), true};

  // The value; its gradients; and those of an uneven sum of the gradients.
  std::vector<Variable> all(Attention f, const std::optional<Tensor>& lens,
                            bool create_graph) const {
    const Variable y = f(q, k, v, lens, 0.4);
    std::vector<Variable> result = {y};
    const std::vector<Variable> first =
        grad(y, {q, k, v}, {.create_graph = create_graph, .grad_outputs = {g}});
    result.insert(result.end(), first.begin(), first.end());
    if (!create_graph) return result;
    Generator generator(42);
    Variable uneven = sum(first[0] * rand(q.shape(), float64, generator));
    uneven = uneven + sum(first[1] * rand(k.shape(), float64, generator));
    uneven = uneven + sum(first[2] * rand(v.shape(), float64, generator));
    for (const Variable& second : grad(uneven, {q, k, v, g})) result.push_back(second);
    return result;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(attention)

BOOST_AUTO_TEST_CASE(the_fused_op_is_the_composed_one) {
  const Problem p;
  Generator generator(43);
  const std::optional<Tensor> prefixes[] = {std::nullopt, arange(1, 15, 1, int64),
                                            randint(0, 37, {2, 1, 14}, generator)};
  for (const std::optional<Tensor>& lens : prefixes) {
    for (const bool create_graph : {false, true}) {
      const std::vector<Variable> a = p.all(fused, lens, create_graph);
      const std::vector<Variable> b = p.all(composed_attention, lens, create_graph);
      BOOST_TEST_REQUIRE(a.size() == b.size());
      BOOST_TEST(a.size() == (create_graph ? 8u : 4u));
      for (std::size_t i = 0; i < a.size(); ++i) {
        BOOST_TEST_INFO("number " << i);
        BOOST_TEST(difference(a[i], b[i]) < 1e-12);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(weights_are_a_constant_on_the_side) {
  const Problem p;
  const Tensor lens = arange(1, 15, 1, int64);
  Tensor weights;
  const Variable y = scaled_dot_product_attention(p.q, p.k, p.v, lens, 0.4, &weights);
  BOOST_TEST(weights.shape() == (Shape{2, 3, 14, 35}));
  BOOST_TEST(difference(matmul(weights, p.v.value()), y) < 1e-12);
  BOOST_TEST(difference(y, fused(p.q, p.k, p.v, lens, 0.4)) == 0);
}

BOOST_AUTO_TEST_CASE(only_what_is_asked_for_is_differentiated) {
  const Problem p;
  const Variable y = fused(p.q.detach(), p.k, p.v.detach(), {}, 0.4);
  sum(y * p.g.value()).backward();
  BOOST_TEST(!p.q.has_grad());
  BOOST_TEST(!p.v.has_grad());
  BOOST_TEST(difference(p.k.grad(), p.all(fused, {}, false)[2]) == 0);
}

// The scores of all heads are never there at once: a call needs less memory than they,
// forwards and backwards.
BOOST_AUTO_TEST_CASE(the_scores_are_never_held) {
  const int before = num_threads();
  set_num_threads(1);
  const std::int64_t heads = 16, t = 256, width = 8;
  const Variable x(zeros({heads, t, width}), true);
  const Tensor lens = arange(1, t + 1, 1, int64);
  const std::int64_t live = memory::bytes_live();
  memory::reset_peak();
  const std::int64_t scores = 4 * heads * t * t;
  {
    const Variable y = fused(x, x, x, lens, 1);
    BOOST_TEST(memory::bytes_live() - live < scores / 16);
    sum(y).backward();
  }
  BOOST_TEST(memory::bytes_peak() - live < scores / 2);
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(prefixes_that_were_overwritten_are_refused) {
  const Problem p;
  Tensor lens = arange(1, 15, 1, int64);
  const Variable y = fused(p.q, p.k, p.v, lens, 0.4);
  lens.set({3}, 1);
  BOOST_CHECK_EXCEPTION(sum(y).backward(), Error, [](const Error& e) {
    return std::string(e.what()) ==
           "backward: a tensor of shape (14) that scaled_dot_product_attention needs for "
           "its derivative was overwritten after scaled_dot_product_attention ran; write "
           "to a clone() of it, or after the backward";
  });
}

BOOST_AUTO_TEST_CASE(weights_may_take_the_place_of_an_operand) {
  const Tensor q = randn({2, 3}), k = randn({40, 3}), v = randn({40, 3});
  Tensor weights, query = q, key = k;
  const Tensor expected = scaled_dot_product_attention(q, k, v, {}, 1, &weights).output;
  BOOST_TEST(all(scaled_dot_product_attention(query, k, v, {}, 1, &query).output ==
                 expected)
                 .item());
  BOOST_TEST(all(scaled_dot_product_attention(q, key, v, {}, 1, &key).output == expected)
                 .item());
  BOOST_TEST(all(query == weights).item());
  BOOST_TEST(all(key == weights).item());
}

BOOST_AUTO_TEST_SUITE_END()
