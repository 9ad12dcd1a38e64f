// How does a sequence read itself? Self-attention: queries, keys and values are three
// projections of the same positions.
#include <cmath>

#include <fmt/core.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/graph.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

// The same attention written out, softmax(Q Kᵀ / √d) V.
Variable written_out(const nn::SelfAttention& attention, const Variable& x) {
  const Variable Q = attention.W_q(x), K = attention.W_k(x);   // (batch, n, d_k)
  const Variable V = attention.W_v(x);                         // (batch, n, d_v)
  const double scale = 1 / std::sqrt(double(Q.size(2)));       // of d_k features
  const Variable scores = bmm(Q, transpose(K, 1, 2)) * scale;  // (batch, n, n)
  return bmm(softmax(scores, 2), V);                           // (batch, n, d_v)
}

int run(const ListingOptions& options) {
  manual_seed(options.seed);
  const std::int64_t batch_size = 2, seq_len = 3, d_model = 4, d_k = 5, d_v = 6;
  const Tensor x = randn({batch_size, seq_len, d_model}, options.dtype);
  nn::SelfAttention attention(d_model, d_k, d_v, options.dtype);
  attention.keep_weights = true;

  const Tensor output = attention(x).value();  // (2, 3, 6)
  fmt::print("output shape: {}\n", output.shape());
  fmt::print("\noutput\n{}\n", output);
  const Tensor weights = attention.attention_weights;  // (2, 3, 3)
  fmt::print("\nattention_weights: row i is what position i attends to\n{}\n\n", weights);

  Claims claims;
  claims.expect(output.shape() == Shape{2, 3, 6}, "the output is (2, 3, 6)");
  claims.expect(are_shares(weights), "every row of weights sums to 1");

  const Variable input(x, true);
  claims.expect(is_close(written_out(attention, input).value(), output, 1e-5),
                "written out, softmax(Q Kᵀ / √d) V, it is the same");

  // The positions in another order: the same answers in that order.
  const Tensor order = tensor({2, 0, 1});
  const Tensor moved = attention(index_select(x, 1, order)).value();  // (2, 3, 6)
  claims.expect(
      is_close(moved, index_select(output, 1, order), 1e-5),
      "positions that change places take their outputs along: it knows no order");

  show(options, "self_attention",
       {.matrices = unsqueeze(weights, 0),  // (1, 2, 3, 3)
        .xlabel = "Keys",
        .ylabel = "Queries",
        .titles = {"sequence 0", "sequence 1"}});
  NamedVariables names = nn::named_parameters(attention);
  names.emplace_back("x", input);
  save_graph(options.graph, names, [&] { return written_out(attention, input); });
  if (options.html) {
    viz::attention_page(*options.html, {"position 0", "position 1", "position 2"},
                        {{"sequence 0", weights[0]}, {"sequence 1", weights[1]}},
                        {.title = "Self-attention of two random sequences",
                         .note = "The projections are untrained."});
  }
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "self_attention",
                     "Self-attention of two random sequences, through untrained "
                     "projections.",
                     run, {.html = true, .graph = "attention, written out"});
}
