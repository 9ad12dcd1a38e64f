// Can a position look ahead? Attention as a function; the causal mask; and a causal layer
// whose derivatives prove that no output depends on a later input.
#include <limits>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

const std::vector<std::string> tokens = {"<BOS>", "I", "like", "you", "<EOS>"};

// attention(query, key, value), and with one sequence for all three.
void as_a_function(const ListingOptions& options, Claims& claims) {
  manual_seed(options.seed);
  const Tensor q = randn({2, 3, 4}, options.dtype);      // (batch, queries, d_k)
  const Tensor k = randn({2, 5, 4}, options.dtype);      // (batch, keys, d_k)
  const Tensor v = randn({2, 5, 4}, options.dtype);      // (batch, keys, d_v)
  const auto [output, p_attn] = nn::attention(q, k, v);  // (2, 3, 4), (2, 3, 5)
  fmt::print("attention(query, key, value)\n{}\n", output);
  fmt::print("p_attn\n{}\n", p_attn);

  manual_seed(options.seed);
  const Tensor x = randn({2, 4, 6}, options.dtype);  // (batch, positions, d_k)
  const auto [self_output, self_p_attn] = nn::attention(x, x, x);
  fmt::print("\nattention(x, x, x)\n{}\n", self_output);
  fmt::print("p_attn\n{}\n\n", self_p_attn);
  claims.expect(are_shares(p_attn.value()) && are_shares(self_p_attn.value()),
                "every row of p_attn sums to 1");
}

// The mask that is added to the scores.
void the_mask(const ListingOptions& options, Claims& claims) {
  const std::int64_t max_seq_len = 5, seqlen = 4;
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor mask = triu(full({1, max_seq_len, max_seq_len}, -inf, options.dtype), 1);
  fmt::print("\nmask {}\n{}\n", mask.shape(), mask);

  manual_seed(options.seed);
  const Tensor scores = randn({1, seqlen, seqlen}, options.dtype);
  const Tensor cut = slice(slice(mask, 1, 0, seqlen), 2, 0, seqlen);  // (1, 4, 4)
  const Tensor weights = softmax(scores + cut, -1);                   // (1, 4, 4)
  fmt::print("softmax(scores + mask)\n{}\n\n", weights);
  claims.expect(is_equal(triu(weights, 1), zeros({1, 4, 4}, options.dtype)),
                "above the diagonal the weights are exactly 0");
  claims.expect(
      is_close(weights, nn::masked_softmax(scores, nn::Mask::causal()).value(), 1e-6),
      "Mask::causal() gives these weights");
  claims.expect(
      is_close(softmax(mask, -1),
               tril(ones_like(mask)) / reshape(arange(1, 6, 1, options.dtype), {1, 5, 1}),
               1e-7),
      "the mask alone weighs the i + 1 positions up to i alike");
}

// Element (i, j): the largest derivative of any feature of output i by any feature of
// input j, in size; output and x are (batch, n, dim).
Tensor influence(const Variable& output, const Variable& x) {
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < output.size(1); ++i) {
    Tensor largest = zeros({x.size(1)}, x.dtype());
    for (std::int64_t feature = 0; feature < output.size(2); ++feature) {
      Tensor chosen = zeros(output.shape(), x.dtype());
      select(select(chosen, 2, feature), 1, i).fill_(1);
      const Variable d =  // (batch, n, dim)
          grad({output}, {x}, {.grad_outputs = {chosen}, .retain_graph = true})[0];
      largest = maximum(largest, amax(abs(d.value()), {0, 2}));
    }
    rows.push_back(largest);
  }
  return stack(rows);  // (n, n)
}

// The layer on <BOS> I like you <EOS>, as random features of the five tokens.
void the_layer(const ListingOptions& options, Claims& claims) {
  manual_seed(options.seed);
  nn::CausalMultiHeadAttention attention(
      {.dim = 16, .n_heads = 4, .max_seq_len = 8, .dtype = options.dtype});
  attention.keep_weights = true;
  const Variable x(randn({2, 5, 16}, options.dtype), true);
  const Variable output = attention(x);  // (2, 5, 16)
  fmt::print("\ncausal multi-head attention: output {}, that of the first sequence\n{}\n",
             output.shape(), output.value()[0]);
  const Tensor weights = attention.attention_weights;  // (2, 4, 5, 5)
  fmt::print("\nwhat each token attends to, in the first of the four heads\n");
  print_table(weights[0][0], tokens,
              [](double weight) { return fmt::format("{:.4f}", weight); });

  Tensor replaced = x.value().clone();
  slice(replaced, 1, 3).copy_(randn({2, 2, 16}, options.dtype));
  const Tensor change = slice(attention(replaced).value() - output.value(), 1, 0, 3);
  fmt::print("\nlargest change of outputs 0 to 2 when tokens 3 and 4 are replaced: {}\n",
             max(abs(change)));

  const Tensor seen = influence(output, x);  // (5, 5)
  fmt::print(
      "\nwhich outputs (down) depend on which inputs (across): the derivative is\n"
      "0 exactly, or not (x)\n");
  print_table(seen, tokens, [](double) { return std::string("x"); });
  // The same layer, unmasked.
  attention.mask = {};
  const Tensor unmasked = influence(attention(x), x);  // (5, 5)
  fmt::print("\n");
  claims.expect(is_equal(triu(seen, 1), zeros({5, 5}, options.dtype)),
                "no output has a derivative by a later input");
  // The 1s are added above the diagonal, about which this claim says nothing.
  claims.expect(all(seen + triu(ones_like(seen), 1) > 0).item(),
                "every output has one by itself and by each earlier input");
  claims.expect(all(unmasked > 0).item(), "without the mask it has one by every input");
  claims.expect(max(abs(change)).item() == 0,
                "replacing later tokens changes no bit of an output");
  show(options, "causal_attention",
       {.matrices = unsqueeze(weights[0], 0),  // (1, 4, 5, 5)
        .xlabel = "Keys",
        .ylabel = "Queries",
        .titles = {"head 0", "head 1", "head 2", "head 3"},
        .xticks = tokens,
        .yticks = tokens});
}

int run(const ListingOptions& options) {
  Claims claims;
  as_a_function(options, claims);
  the_mask(options, claims);
  the_layer(options, claims);
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "causal_attention",
                     "Attention as a function, the causal mask, and a layer in which no "
                     "position looks ahead.",
                     run);
}
