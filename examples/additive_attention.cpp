// How are queries and keys of different sizes compared? Additive attention: first the
// book's toy, where all keys are equal, so only the valid lengths can make a difference;
// then random keys, and the comparison by hand.
#include <fmt/core.h>
#include <heed.h>

#include "examples/equal_keys.h"
#include "examples/support/claims.h"
#include "examples/support/graph.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

void toy(const ListingOptions& options, Claims& claims) {
  const DType dtype = options.dtype;
  manual_seed(options.seed);
  // (batch, queries, size), (batch, keys, size), (batch, keys, 4)
  const auto [queries, keys, values, mask] = equal_keys::toy(/*query_size=*/20, dtype);

  nn::AdditiveAttention attention(/*key_size=*/2, /*query_size=*/20, /*num_hiddens=*/8,
                                  /*dropout=*/0.1, dtype);
  attention.keep_weights = true;
  nn::eval(attention);                                                   // no dropout
  const Tensor output = attention(queries, keys, values, mask).value();  // (2, 1, 4)
  const Tensor weights = attention.attention_weights;                    // (2, 1, 10)
  fmt::print("output\n{}\n", output);
  fmt::print("attention_weights\n{}\n", weights);
  fmt::print(
      "Equal keys leave nothing to prefer: the 2 and the 6 keys that count share the\n"
      "attention, and each output is the mean of their values.\n");

  nn::train(attention);
  manual_seed(options.seed);
  fmt::print("\noutput in training, with dropout 0.1\n{}\n",
             attention(queries, keys, values, mask));
  fmt::print(
      "Dropout takes away one weight in ten, on average, and divides the others by 0.9;\n"
      "so a row no longer sums to 1, but on average it does.\n\n");

  equal_keys::expect_means(output, weights, claims);
  claims.expect(is_equal(slice(weights[0], 1, 2), zeros({1, 8}, dtype)) &&
                    is_equal(slice(weights[1], 1, 6), zeros({1, 4}, dtype)),
                "the weights of the others are exactly 0");
  claims.expect(is_equal(attention.attention_weights, weights),
                "the weights that are kept are those before dropout");

  show(options, "additive_attention",
       {.matrices = reshape(weights, {1, 1, 2, 10}),  // as the book draws them
        .xlabel = "Keys",
        .ylabel = "Queries",
        .titles = {"Additive attention"}});
}

// The weights by hand: a small network compares each query with each key.
Variable by_hand(const nn::AdditiveAttention& attention, const Variable& queries,
                 const Variable& keys, const nn::Mask& mask) {
  const Variable q = unsqueeze(attention.W_q(queries), 2);          // (batch, n, 1, h)
  const Variable k = unsqueeze(attention.W_k(keys), 1);             // (batch, 1, m, h)
  const Variable scores = squeeze(attention.w_v(tanh(q + k)), -1);  // (batch, n, m)
  return nn::masked_softmax(scores, mask);                          // (batch, n, m)
}

void comparison(const ListingOptions& options, Claims& claims) {
  manual_seed(options.seed);
  const Tensor queries = randn({2, 2, 20}, options.dtype);  // (batch, queries, size)
  const Tensor others = randn({2, 6, 2}, options.dtype);    // (batch, keys, size)
  const Tensor values = randn({2, 6, 4}, options.dtype);    // (batch, keys, 4)
  const nn::Mask mask = nn::Mask::valid_lens(tensor({2, 6}));
  nn::AdditiveAttention attention(/*key_size=*/2, /*query_size=*/20, /*num_hiddens=*/8,
                                  /*dropout=*/0, options.dtype);
  attention.keep_weights = true;
  (void)attention(queries, others, values, mask);      // (2, 2, 4)
  const Tensor weights = attention.attention_weights;  // (2, 2, 6)
  fmt::print("\nattention_weights of two queries to random keys\n{}\n", weights);
  fmt::print("Keys that differ are weighed differently, and by each query anew.\n\n");

  claims.expect(
      is_close(weights, by_hand(attention, queries, others, mask).value(), 1e-6),
      "by hand, softmax(w_v tanh(W_q q + W_k k)), they are the same");
  claims.expect(are_shares(weights), "every row of weights sums to 1");

  const Variable q(queries, true), k(others, true), v(values, true);
  NamedVariables names = nn::named_parameters(attention);
  names.insert(names.end(), {{"queries", q}, {"keys", k}, {"values", v}});
  save_graph(options.graph, names,
             [&] { return bmm(by_hand(attention, q, k, mask), v); });
}

int run(const ListingOptions& options) {
  Claims claims;
  toy(options, claims);
  comparison(options, claims);
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "additive_attention",
                     "Additive attention: the book's toy, equal keys of which 2 and 6 "
                     "count, and random keys compared by hand.",
                     run, {.graph = "attention to random keys, by hand"});
}
