// How are queries and keys of different sizes compared? Additive attention, on the book's
// toy: all keys are equal, so only the valid lengths can make a difference.
#include <fmt/core.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

int run(const ListingOptions& options) {
  const DType dtype = options.dtype;
  manual_seed(options.seed);
  const Tensor queries = normal(0.0, 1.0, {2, 1, 20}, dtype);  // (batch, queries, size)
  const Tensor keys = ones({2, 10, 2}, dtype);                 // (batch, keys, size)
  const Tensor values =  // (batch, keys, 4), the same in both
      repeat(reshape(arange(40, dtype), {1, 10, 4}), {2, 1, 1});
  const nn::Mask mask = nn::Mask::valid_lens(tensor({2, 6}));

  nn::AdditiveAttention attention(/*key_size=*/2, /*query_size=*/20, /*num_hiddens=*/8,
                                  /*dropout=*/0.1, dtype);
  attention.keep_weights = true;
  nn::eval(attention);  // no dropout
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
      "Dropout takes one weight in ten away and divides the others by 0.9; so a row no\n"
      "longer sums to 1, but on average it does.\n\n");

  Claims claims;
  claims.expect(
      is_close(output, tensor({{{2, 3, 4, 5}}, {{10, 11, 12, 13}}}, dtype), 1e-5),
      "the outputs are [2, 3, 4, 5] and [10, 11, 12, 13]");
  claims.expect(
      is_close(slice(weights[0], 1, 0, 2), full({1, 2}, 1.0 / 2, dtype), 1e-6) &&
          is_close(slice(weights[1], 1, 0, 6), full({1, 6}, 1.0 / 6, dtype), 1e-6),
      "the weights of the keys that count are 1/2 and 1/6");
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
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "additive_attention",
                     "Additive attention on the book's toy: equal keys, of which 2 and 6 "
                     "count.",
                     run);
}
