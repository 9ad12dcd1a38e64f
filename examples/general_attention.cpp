// How does one sequence read another? General attention: queries come from one sequence,
// keys and values from the other, each through a projection of its own.
#include <fmt/core.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

int run(const ListingOptions& options) {
  manual_seed(options.seed);
  const std::int64_t d_model = 512, d_k = 64, d_v = 64;
  nn::GeneralAttention attention(d_model, d_k, d_v, options.dtype);
  attention.keep_weights = true;

  const std::int64_t batch_size = 32, seq_len_q = 10, seq_len_kv = 20;
  const Tensor query = randn({batch_size, seq_len_q, d_model}, options.dtype);
  const Tensor key_value = randn({batch_size, seq_len_kv, d_model}, options.dtype);

  const Tensor output = attention(query, key_value).value();  // (32, 10, 64)
  fmt::print("{}\n", output.shape());
  fmt::print("\nthe first numbers of the output\n{}\n", slice(output[0][0], 0, 0, 8));

  const Tensor weights = attention.attention_weights;  // (32, 10, 20)
  fmt::print("\nattention_weights {}, those of the first query\n{}\n", weights.shape(),
             weights[0][0]);
  fmt::print(
      "Before any training the scores are small: the 20 weights of a query lie around\n"
      "1/20, here all between {:.4f} and {:.4f}.\n\n",
      min(weights).item(), max(weights).item());

  Claims claims;
  claims.expect(output.shape() == Shape{32, 10, 64}, "the output is (32, 10, 64)");
  claims.expect(are_shares(weights), "every row of weights sums to 1");
  const Tensor V = attention.W_v(key_value).value();  // (32, 20, 64)
  claims.expect(is_close(bmm(weights, V), output, 1e-5),
                "the output is the mean of the values under these weights");
  claims.expect(all(output >= amin(V, 1, true) - 1e-5).item() &&
                    all(output <= amax(V, 1, true) + 1e-5).item(),
                "so no feature of it lies beyond the smallest and largest value");

  show(options, "general_attention",
       {.matrices = reshape(weights[0], {1, 1, seq_len_q, seq_len_kv}),
        .xlabel = "Positions of key_value",
        .ylabel = "Positions of query",
        .titles = {"General attention, untrained"}});
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "general_attention",
                     "Attention from one random sequence to another, through untrained "
                     "projections.",
                     run);
}
