// The tutorials' errors, repeated on purpose, each beside what heed does instead.
//
// The tutorials are the notes on attention that heed follows: kernel regression and
// scoring functions (after "Dive into Deep Learning", chapter 10), general and multi-head
// attention, and sections 2.1 to 2.3 of happy-llm, whose numbers stand below. Names and
// sizes are the tutorials'.

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/nn/checks.h"

using namespace heed;
using nn::CausalAlign;
using nn::CausalMultiHeadAttention;
using nn::EmptyRows;
using nn::Mask;

BOOST_AUTO_TEST_SUITE(errata)

// Listing of 2.1.6: forward() reads self.is_causal, which __init__ never assigns, so the
// first call is an AttributeError. In heed it is a field of the options, with a default,
// and both of its values work.
BOOST_AUTO_TEST_CASE(is_causal_is_never_assigned) {
  const Tensor x = randn({1, 4, 8});
  const auto hidden_weights = [&](bool is_causal) {
    CausalMultiHeadAttention net(
        {.dim = 8, .n_heads = 2, .max_seq_len = 4, .is_causal = is_causal});
    net.keep_weights = true;
    net(x);
    return sum(net.attention_weights == 0).item();
  };
  BOOST_TEST(hidden_weights(true) == 2 * 6);  // two heads, six places above the diagonal
  BOOST_TEST(hidden_weights(false) == 0);
}

// The same listing asserts n_embd % n_head, but splits dim into n_heads. With these
// arguments the assertion holds, and the division by heads loses two of six features
// without an error. heed checks the numbers that it divides.
BOOST_AUTO_TEST_CASE(the_assertion_is_about_other_fields) {
  const struct {
    int n_embd = 8, n_head = 2;  // what the assertion reads
    int dim = 6, n_heads = 4;    // what is divided
  } args;
  BOOST_TEST(args.n_embd % args.n_head == 0);
  const int head_dim = args.dim / args.n_heads;
  BOOST_TEST(args.n_heads * head_dim == 4);  // of 6
  BOOST_CHECK_EXCEPTION(
      CausalMultiHeadAttention({.dim = 6, .n_heads = 4, .max_seq_len = 8}), Error,
      says("CausalMultiHeadAttention: dim must be a multiple of n_heads, got 6 and 4"));
}

// Text of 2.1.4: "Q from the encoder's output, K and V from the decoder's input". It is
// the other way round: Q comes from the decoder. Only then has the output a row for each
// position of the decoder, to which it is added.
BOOST_AUTO_TEST_CASE(cross_attention_is_told_the_wrong_way_round) {
  const Tensor encoded = randn({1, 5, 8}), decoding = randn({1, 3, 8});
  nn::GeneralAttention net(8);
  const Variable as_told = net(encoded, decoding);
  BOOST_TEST((as_told.shape() == Shape{1, 5, 8}));
  BOOST_CHECK_EXCEPTION(decoding + as_told, Error,
                        says("add: the shapes must broadcast (equal sizes, or 1), got "
                             "(1, 3, 8) and (1, 5, 8)"));
  const Variable right = net(decoding, encoded);
  BOOST_TEST(((decoding + right).shape() == Shape{1, 3, 8}));
}

// Listing of 2.1.6: keys and values are viewed with seqlen, which is the queries', so
// attention to a sequence of another length fails; the decoder of 2.2 attends so. heed
// takes each length from its own tensor.
BOOST_AUTO_TEST_CASE(keys_are_viewed_with_the_length_of_the_queries) {
  const std::int64_t bsz = 2, seqlen = 10, heads = 4, head_dim = 2;
  const Tensor q = randn({bsz, seqlen, 8}), k = randn({bsz, 20, 8});
  BOOST_CHECK_EXCEPTION(view(k, {bsz, seqlen, heads, head_dim}), Error,
                        says("view: (2, 20, 8) has 320 elements, (2, 10, 4, 2) has 160"));
  CausalMultiHeadAttention net(
      {.dim = 8, .n_heads = 4, .max_seq_len = 20, .is_causal = false});
  BOOST_TEST((net(q, k, k).shape() == Shape{bsz, seqlen, 8}));
}

// The same listing cuts the causal mask to [:seqlen, :seqlen], as if there were as many
// keys as queries. Where the lengths differ, heed refuses a mask that names no corner.
BOOST_AUTO_TEST_CASE(the_causal_mask_is_cut_as_if_all_lengths_were_equal) {
  const Tensor mask = triu(full({1, 1, 8, 8}, -infinity), 1);
  const Tensor scores = randn({1, 2, 3, 5});  // three queries, five keys
  BOOST_CHECK_EXCEPTION(scores + slice(slice(mask, 2, 0, 3), 3, 0, 3), Error,
                        says("add: the shapes must broadcast (equal sizes, or 1), got "
                             "(1, 2, 3, 5) and (1, 1, 3, 3)"));
  BOOST_CHECK_EXCEPTION(nn::masked_softmax(scores, Mask::causal()), Error,
                        says("Mask::causal: for 3 queries and 5 keys say which corner "
                             "the diagonal touches:\n"
                             "CausalAlign::top_left\n"
                             " x . . . .\n"
                             " x x . . .\n"
                             " x x x . .\n"
                             "CausalAlign::bottom_right\n"
                             " x x x . .\n"
                             " x x x x .\n"
                             " x x x x x"));
  const Mask cached = Mask::causal(CausalAlign::bottom_right);
  BOOST_TEST(sum(nn::masked_softmax(scores, cached).value() == 0).item() == 2 * 3);
}

// Formula of 2.1.2: softmax(x)_i = softmax(e^x_i / sum e^x_j), a softmax of a softmax. It
// adds up to 1 as well, but no weight can become nearly 1: for three keys all weights lie
// between 0.21 and 0.58, whatever the scores.
BOOST_AUTO_TEST_CASE(the_formula_applies_softmax_twice) {
  const Tensor scores = tensor({10.0, 0.0, 0.0});
  const Tensor once = exp(scores) / sum(exp(scores));
  const Tensor twice = softmax(once, 0);
  BOOST_TEST(sum(twice).item() == 1, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(max(twice).item() < 0.58);
  BOOST_TEST(distance(softmax(scores, 0), once) < 1e-7);
  BOOST_TEST(max(softmax(scores, 0)).item() > 0.999);
}

// Grid of 2.1.5: five rows of masked tokens for a task of four steps. Of five tokens the
// last is never an input and the first never a target, so training needs four by four.
// (The last row of the grid also spells its tokens <BoS> and </EOS>.)
BOOST_AUTO_TEST_CASE(the_grid_has_a_row_too_many) {
  const std::vector<std::string> text = {"<BOS>", "I", "like", "you", "<EOS>"};
  const auto n = static_cast<std::int64_t>(text.size()) - 1;
  const Tensor seen = Mask::causal().on({n, n}).visible(n);
  std::vector<std::string> steps;
  for (std::int64_t i = 0; i < n; ++i) {
    std::string step;
    for (std::int64_t j = 0; j < n; ++j) step += seen.at({i, j}) ? text[j] + " " : "";
    steps.push_back(step + "-> " + text[i + 1]);
  }
  const std::vector<std::string> expected = {"<BOS> -> I", "<BOS> I -> like",
                                             "<BOS> I like -> you",
                                             "<BOS> I like you -> <EOS>"};
  BOOST_TEST(steps == expected, boost::test_tools::per_element());
}

// Masked softmax, in the note on scoring functions: sequence_mask writes its value into
// a reshaped view of the scores it was given, so the caller's scores are gone after the
// call. heed's returns another tensor.
BOOST_AUTO_TEST_CASE(sequence_mask_overwrites_the_caller_s_scores) {
  const Tensor lens = tensor({2, 3});
  Tensor scores = ones({2, 1, 4});
  Tensor flat = reshape(scores, {-1, 4});  // a view: the same elements
  flat.copy_(where(arange(4) >= unsqueeze(lens, 1), -1e6, flat));  // X[~mask] = -1e6
  BOOST_TEST(same(scores, tensor({{{1.0, 1.0, -1e6, -1e6}}, {{1.0, 1.0, 1.0, -1e6}}})));

  scores = ones({2, 1, 4});
  const Tensor masked = nn::sequence_mask(reshape(scores, {-1, 4}), lens, -1e6);
  BOOST_TEST(same(masked, reshape(flat, {2, 4})));
  nn::masked_softmax(scores, lens);
  BOOST_TEST(same(scores, ones({2, 1, 4})));
}

// The same masked softmax of a sequence with no valid key: all scores are -1e6 then, and
// softmax shares evenly among the padding. heed makes all these weights 0, and on
// request gives the book's answer, NaN, or an Error.
BOOST_AUTO_TEST_CASE(a_valid_length_of_0_attends_to_the_padding) {
  const Tensor scores = tensor({{1.0, 2.0, 3.0, 4.0}});
  const Tensor book = softmax(nn::sequence_mask(scores, tensor({0}), -1e6), -1);
  BOOST_TEST(same(book, full({1, 4}, 0.25)));

  const Mask mask = Mask::valid_lens(tensor({0}));
  const auto weights = [&](const Mask& mask) {
    return nn::masked_softmax(scores, mask).value();
  };
  BOOST_TEST(same(weights(mask), zeros({1, 4})));
  BOOST_TEST(same(weights(mask.empty_rows(EmptyRows::uniform)), book));
  BOOST_TEST(all(isnan(weights(mask.empty_rows(EmptyRows::nan)))).item() == 1);
  BOOST_CHECK_THROW(weights(mask.empty_rows(EmptyRows::error)), Error);
}

// Kernel regression, in the first note: the loss that an epoch prints is that of the
// weights before the epoch's step. (The heading says Nadaraya-Warson for Watson.) heed's
// program says so beside its numbers.
BOOST_AUTO_TEST_CASE(the_printed_loss_is_of_the_weights_before_the_step) {
  nn::NWKernelRegression net;
  const Tensor x = tensor({0.0, 1.0, 2.0}), y = tensor({0.0, 1.0, 4.0});
  const Tensor keys = tensor({{1.0, 2.0}, {0.0, 2.0}, {0.0, 1.0}});
  const Tensor values = square(keys);
  const auto loss = [&] {
    return sum(nn::mse_loss(net(x, keys, values), y, nn::Reduction::none));
  };
  const double before = loss().item();
  optim::SGD optimiser(nn::parameters(net), {.lr = 0.1});
  const Variable l = loss();
  l.backward();
  optimiser.step();
  BOOST_TEST(l.item() == before);  // what the epoch prints, after the step
  BOOST_TEST(loss().item() < before);
}

// Table of 2.3.2, positions added to the embeddings of "I like to code": its last row
// ends in 0.895 1.655, which is base 100, as in the code below it; the other rows and the
// formula have base 10000, and so has heed: 0.630 1.700. (The table cuts digits off.)
BOOST_AUTO_TEST_CASE(the_table_of_positions_has_two_bases) {
  const Tensor x = tensor({{{0.1, 0.2, 0.3, 0.4},
                            {0.2, 0.3, 0.4, 0.5},
                            {0.3, 0.4, 0.5, 0.6},
                            {0.4, 0.5, 0.6, 0.7}}});
  const Tensor table = tensor({{0.1, 1.2, 0.3, 1.4},
                               {1.041, 0.84, 0.41, 1.49},
                               {1.209, -0.016, 0.52, 1.59},
                               {0.541, -0.489, 0.895, 1.655}});
  const Tensor found = nn::PositionalEncoding(4, 0)(x).value()[0];
  BOOST_TEST(distance(slice(found, 0, 0, 3), slice(table, 0, 0, 3)) < 0.01);
  BOOST_TEST(distance(found[3], tensor({0.541, -0.490, 0.630, 1.700})) < 1e-3);
  const auto last_row = [](double base) {
    const double angle = 3 / std::pow(base, 2.0 / 4);  // position 3, columns 2 and 3
    return tensor({0.6 + std::sin(angle), 0.7 + std::cos(angle)});
  };
  BOOST_TEST(distance(last_row(100), slice(table[3], 0, 2)) < 1e-3);
  BOOST_TEST(distance(last_row(10000), slice(found[3], 0, 2)) < 1e-6);
}

// Code of 2.2.5: x = norm(x); h = x + attention(x). The residual path then carries the
// normalised x, not x: a block whose attention gives 0 is not the identity, and no path
// leads unchanged past all blocks. Correct is h = x + attention(norm(x)).
BOOST_AUTO_TEST_CASE(the_residual_adds_what_was_normalised) {
  CausalMultiHeadAttention attention({.dim = 4, .n_heads = 2, .max_seq_len = 3});
  Tensor projection = attention.wo.weight.value();
  projection.fill_(0);  // so that it adds nothing yet
  const Tensor x = 5 + 3 * randn({1, 3, 4});
  const Variable normalised = nn::layer_norm(x, {4});
  const Tensor right = (x + attention(normalised)).value();
  const Tensor wrong = (normalised + attention(normalised)).value();
  BOOST_TEST(same(right, x));
  BOOST_TEST(distance(wrong, x) > 1);
}

// LayerNorm of 2.2.3: divides by (std + eps) with the unbiased std, n - 1 below the line.
// The paper and nn.LayerNorm divide by √(variance + eps), n below the line; so does heed.
BOOST_AUTO_TEST_CASE(layer_norm_divides_by_another_deviation) {
  const Tensor x = tensor({{1.0, 2.0}, {2.0, 3.0}});
  const Tensor centered = x - mean(x, -1, true);
  const Tensor listed = centered / (heed::std(x, -1, 1, true) + 1e-6);
  BOOST_TEST(distance(listed, tensor({{-0.70711, 0.70711}, {-0.70711, 0.70711}})) < 1e-5);
  const Tensor right = nn::layer_norm(x, {2}).value();
  BOOST_TEST(distance(right, tensor({{-0.99998, 0.99998}, {-0.99998, 0.99998}})) < 1e-5);
}

BOOST_AUTO_TEST_SUITE_END()
