// Tensors of layers and losses, overwritten before the backward, which must refuse or
// not need them.

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/op_samples.h"
#include "tests/autograd/overwriting.h"
#include "tests/nn/forms.h"

using namespace heed;
using namespace heed::tests;
using nn::Mask;

namespace {

// First and second derivatives, each after everything was overwritten in turn. Returns
// how often that was refused.
int check(const Sample& sample) {
  return overwrite_in_turn(
             sample, [](Run&) {}, [](const Run& run) { return run.first(); }) +
         overwrite_in_turn(
             sample, [](Run& run) { run.differentiate(); },
             [](const Run& run) { return run.second(); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(versions)

BOOST_AUTO_TEST_CASE(of_attention) {
  const Mask masks[] = {Mask(), Mask::valid_lens(tensor({1, 0})),
                        Mask::keep(mask({3, 3})).empty_rows(nn::EmptyRows::uniform),
                        Mask::additive(u(-1, 1, {3, 3}))};
  for (const Form& form : attention_forms()) {
    int refusals = 0;
    for (const Mask& mask : masks) {
      Sample sample{{u(-1, 1, {2, 3, 4}), u(-1, 1, {2, 3, 4}), u(-1, 1, {2, 3, 4})},
                    [&](In in) { return form.run(FormInputs::from(in), mask); }};
      sample.inputs.insert(sample.inputs.end(), form.parameters.begin(),
                           form.parameters.end());
      BOOST_TEST_CONTEXT(form.name) { refusals += check(sample); }
    }
    BOOST_TEST(refusals > 0, form.name);
  }
}

BOOST_AUTO_TEST_CASE(of_losses_and_lookups) {
  const Tensor scores = u(-1, 1, {3, 4}), targets = tensor({1, -100, 3});
  const Tensor ids = tensor({2, 0, 2});
  const Sample samples[] = {
      {{u(-1, 1, {3, 4}), scores}, [](In in) { return nn::mse_loss(in[0], in[1]); }},
      {{u(-1, 1, {3, 4}), scores}, [](In in) { return nn::l1_loss(in[0], in[1]); }},
      {{scores, targets},
       [](In in) { return nn::nll_loss(log_softmax(in[0], 1), in[1].value()); }},
      {{scores, targets},
       [](In in) {
         return nn::cross_entropy(in[0], in[1].value(), {.label_smoothing = 0.1});
       }},
      {{scores, ids}, [](In in) { return nn::embedding(in[1].value(), in[0]); }},
      {{scores, ids}, [](In in) { return nn::embedding(in[1].value(), in[0], 2); }},
      {{scores},
       [](In in) {
         Generator generator(1);
         return nn::dropout(in[0], 0.5, true, generator);
       }},
      {{scores, u(-1, 1, {2, 4}), u(-1, 1, {2})},
       [](In in) { return nn::linear(in[0], in[1], in[2]); }},
      {{scores, u(-1, 1, {4}), u(-1, 1, {4})},
       [](In in) { return nn::layer_norm(in[0], {4}, in[1], in[2]); }},
      {{scores, tensor({1, 3, 0})},
       [](In in) { return nn::masked_softmax(in[0], Mask::valid_lens(in[1].value())); }},
  };
  int refusals = 0;
  for (const Sample& sample : samples) refusals += check(sample);
  BOOST_TEST(refusals > 20);
}

// The same of the weights that a layer keeps for its user.
BOOST_AUTO_TEST_CASE(of_weights_that_are_shown) {
  int refusals = 0;
  const auto check_weights = [&](auto net) {
    if constexpr (requires { net.keep_weights; }) net.keep_weights = true;
    const Variable x(u(-1, 1, {2, 3, 4}), true);
    for (const Mask& mask : {Mask(), Mask::additive(u(-1, 1, {3, 3}))}) {
      const auto gradient = [&](bool overwritten) {
        const Variable y = sum(square(net(x, x, x, mask)));
        if (overwritten) overwrite(net.attention_weights);
        return unless_refused([&] {
          Bits bits;
          append_bits(bits, grad(y, {x})[0].value());
          return bits;
        });
      };
      const std::optional<Bits> expected = gradient(false), got = gradient(true);
      BOOST_TEST((!got || *got == *expected));
      refusals += !got;
    }
  };
  check_weights(nn::DotProductAttention(0));
  check_weights(nn::ScaledDotProductAttention(2, 0));
  check_weights(nn::AdditiveAttention(4, 4, 3, 0, float64));
  check_weights(nn::MultiHeadAttention(4, 4, 4, 2, float64));
  check_weights(nn::PackedMultiHeadAttention(4, 2, {.dtype = float64}));
  check_weights(nn::CausalMultiHeadAttention(
      {.dim = 4, .n_heads = 2, .max_seq_len = 3, .dtype = float64}));
  BOOST_TEST(refusals == 2);  // AdditiveAttention is composed: it needs what it shows

  nn::NWKernelRegression net(float64);
  const Variable q(u(-1, 1, {3}), true), k(u(-1, 1, {3, 4}));
  const Variable y = sum(net(q, k, k));
  overwrite(net.attention_weights);
  BOOST_CHECK_THROW(y.backward(), Error);
}

BOOST_AUTO_TEST_SUITE_END()
