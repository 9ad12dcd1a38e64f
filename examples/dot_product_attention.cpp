// How are queries and keys of one size compared? By dot products over √d, on the book's
// toy of equal keys; then what another divisor, a temperature, does to the weights.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <heed.h>

#include "examples/equal_keys.h"
#include "examples/support/claims.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

void book_toy(const ListingOptions& options, Claims& claims) {
  const DType dtype = options.dtype;
  manual_seed(options.seed);
  // (batch, queries, size), (batch, keys, size), (batch, keys, 4)
  const auto [queries, keys, values, mask] = equal_keys::toy(/*query_size=*/2, dtype);

  nn::DotProductAttention attention(/*dropout=*/0.5);
  attention.keep_weights = true;
  nn::eval(attention);                                                   // no dropout
  const Tensor output = attention(queries, keys, values, mask).value();  // (2, 1, 4)
  const Tensor weights = attention.attention_weights;                    // (2, 1, 10)
  fmt::print("output\n{}\n", output);
  fmt::print("attention_weights\n{}\n", weights);

  nn::train(attention);
  manual_seed(options.seed);
  fmt::print("\noutput in training, with dropout 0.5\n{}\n",
             attention(queries, keys, values, mask));
  fmt::print(
      "Each weight is either doubled or taken away; where all are taken, nothing is\n"
      "left of the values.\n\n");

  equal_keys::expect_means(output, weights, claims);
  show(options, "dot_product_attention",
       {.matrices = reshape(weights, {1, 1, 2, 10}),  // as the book draws them
        .xlabel = "Keys",
        .ylabel = "Queries",
        .titles = {"Scaled dot-product attention"}});
}

// softmax((Q / temperature) Kᵀ) V
void temperatures(const ListingOptions& options, Claims& claims) {
  manual_seed(options.seed);
  const std::int64_t d = 4;
  const Tensor q = randn({1, 1, 2, d}, options.dtype);  // (batch, heads, queries, d)
  const Tensor k = randn({1, 1, 3, d}, options.dtype);  // (batch, heads, keys, d)
  const Tensor v = randn({1, 1, 3, 2}, options.dtype);  // (batch, heads, keys, dv)

  std::vector<Tensor> weights;  // (1, 1, 2, 3) each
  std::vector<std::string> titles;
  for (double temperature : {0.5, std::sqrt(d), 8.0}) {
    nn::ScaledDotProductAttention attention(temperature, /*dropout=*/0);
    attention.keep_weights = true;
    const Variable output = attention(q, k, v);  // (1, 1, 2, 2)
    titles.push_back(fmt::format("temperature {}", temperature));
    weights.push_back(attention.attention_weights);
    fmt::print("\n{}: weights\n{}\n", titles.back(), weights.back());
    fmt::print("{}: output\n{}\n", titles.back(), output);
  }
  fmt::print("\n");

  nn::DotProductAttention plain(0);
  plain.keep_weights = true;
  (void)plain(q, k, v);
  claims.expect(is_close(weights[1], plain.attention_weights, 1e-6),
                "the temperature √d is scaled dot-product attention");
  const auto largest = [&](std::size_t i) { return amax(weights[i], -1); };  // (1, 1, 2)
  claims.expect(
      all(largest(0) > largest(1)).item() && all(largest(1) > largest(2)).item(),
      "a higher temperature spreads the weights: the largest of each row falls");
  show(options, "temperature",
       {.matrices = cat(weights, 1),  // (1, 3, 2, 3)
        .xlabel = "Keys",
        .ylabel = "Queries",
        .titles = titles});
}

int run(const ListingOptions& options) {
  Claims claims;
  book_toy(options, claims);
  temperatures(options, claims);
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "dot_product_attention",
                     "Scaled dot-product attention on the book's toy, and the same with "
                     "a temperature.",
                     run);
}
