// What do several heads see that one does not? Each head attends in a part of the
// features, with weights of its own.
#include <string>
#include <vector>

#include <fmt/core.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/graph.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

// "name 0", "name 1", ...
std::vector<std::string> numbered(const char* name, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    names.push_back(fmt::format("{} {}", name, i));
  }
  return names;
}

// The same output, a head at a time: each has its d_k / num_heads and d_v / num_heads
// features of the projections.
Variable one_by_one(const nn::MultiHeadAttention& attention, const Variable& x) {
  const std::vector<Variable> Q = chunk(attention.W_q(x), attention.num_heads, 2);
  const std::vector<Variable> K = chunk(attention.W_k(x), attention.num_heads, 2);
  const std::vector<Variable> V = chunk(attention.W_v(x), attention.num_heads, 2);
  std::vector<Variable> heads;  // (batch, n, d_v / num_heads) each
  for (std::size_t i = 0; i < Q.size(); ++i) {
    heads.push_back(nn::attention(Q[i], K[i], V[i]).output);
  }
  return attention.W_o(cat(heads, 2));  // (batch, n, d_model)
}

// Self-attention, as the tutorial has it.
void tutorial(const ListingOptions& options, Claims& claims) {
  manual_seed(options.seed);
  const std::int64_t batch_size = 2, seq_len = 3, d_model = 4, d_k = 8, d_v = 8,
                     num_heads = 4;
  const Tensor x = randn({batch_size, seq_len, d_model}, options.dtype);
  nn::MultiHeadAttention attention(d_model, d_k, d_v, num_heads, options.dtype);
  attention.keep_weights = true;

  const Tensor output = attention(x).value();  // (2, 3, 4)
  fmt::print("output shape: {}\n", output.shape());
  fmt::print("\noutput\n{}\n", output);
  const Tensor weights = attention.attention_weights;  // (2, 4, 3, 3)
  fmt::print("\nattention_weights of the first sequence, a matrix a head\n{}\n",
             weights[0]);
  fmt::print("Each head reads the same positions with weights of its own.\n\n");

  claims.expect(output.shape() == Shape{2, 3, 4}, "the output is (2, 3, 4)");
  claims.expect(are_shares(weights), "every row of every head sums to 1");
  claims.expect(is_close(output, one_by_one(attention, x).value(), 1e-5),
                "four attentions one by one, joined and projected, give the same");
  show(options, "multi_head_self_attention",
       {.matrices = unsqueeze(weights[0], 0),
        .xlabel = "Keys",
        .ylabel = "Queries",
        .titles = numbered("head", num_heads)});
  NamedVariables names = nn::named_parameters(attention);
  const Variable input(x, true);
  names.emplace_back("x", input);
  save_graph(options.graph, names, [&] { return attention(input); });
}

// From 4 queries to 6 keys, of which 3 and 2 count: the book's sizes.
void book(const ListingOptions& options, Claims& claims) {
  manual_seed(options.seed);
  const std::int64_t num_hiddens = 100, num_heads = 5;
  nn::MultiHeadAttention attention(num_hiddens, num_hiddens, num_hiddens, num_hiddens,
                                   num_heads, /*dropout=*/0.5,
                                   {.bias = false, .dtype = options.dtype});
  attention.keep_weights = true;
  nn::eval(attention);  // no dropout
  // The book's X and Y are all ones: every head would attend to all keys alike.
  const Tensor X = randn({2, 4, num_hiddens}, options.dtype);
  const Tensor Y = randn({2, 6, num_hiddens}, options.dtype);
  const Tensor valid_lens = tensor({3, 2});
  const Tensor output =
      attention(X, Y, Y, nn::Mask::valid_lens(valid_lens)).value();  // (2, 4, 100)
  fmt::print("\nthe book's form, 100 units in 5 heads: output shape {}\n",
             output.shape());
  const Tensor weights = attention.attention_weights;  // (2, 5, 4, 6)
  fmt::print("\nthe weights of the first query in each of the 5 heads\n{}\n\n",
             select(weights[0], 1, 0));

  claims.expect(output.shape() == Shape{2, 4, 100}, "the output is (2, 4, 100)");
  claims.expect(are_shares(weights), "every row of every head sums to 1");
  claims.expect(is_equal(slice(weights[0], 2, 3), zeros({5, 4, 3}, options.dtype)) &&
                    is_equal(slice(weights[1], 2, 2), zeros({5, 4, 4}, options.dtype)),
                "no head attends beyond the valid lengths 3 and 2");
  std::vector<std::string> titles = numbered("sequence 1, head", num_heads);
  for (const std::string& title : numbered("sequence 2, head", num_heads)) {
    titles.push_back(title);
  }
  show(options, "multi_head_attention",
       {.matrices = weights, .xlabel = "Keys", .ylabel = "Queries", .titles = titles});
  if (options.html) {
    const std::vector<nn::AttentionMap> maps = {
        {"sequence 1, 3 keys count", unsqueeze(weights[0], 0)},
        {"sequence 2, 2 keys count", unsqueeze(weights[1], 0)}};
    viz::attention_page(*options.html, numbered("query", 4), maps,
                        {.title = "Multi-head attention",
                         .note = "4 queries and 6 keys, 100 units in 5 heads, untrained",
                         .source = numbered("key", 6)});
  }
}

int run(const ListingOptions& options) {
  Claims claims;
  tutorial(options, claims);
  book(options, claims);
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(
      argc, argv, "multi_head_attention",
      "Multi-head attention: the tutorial's within a sequence, which --graph draws, and\n"
      "the book's from one to another, which --html shows.",
      run, {.html = true, .graph = "tutorial's attention"});
}
