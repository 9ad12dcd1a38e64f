// What becomes of keys that do not count? Softmax over the first keys of a row alone,
// their number given for each batch or for each query.
#include <fmt/core.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;
using nn::EmptyRows, nn::Mask, nn::masked_softmax;

int run(const ListingOptions& options) {
  manual_seed(options.seed);
  const Tensor X = rand({2, 2, 4}, options.dtype);  // (batch, queries, keys)
  const Tensor X_before = X.clone();

  const Tensor one_a_batch = masked_softmax(X, tensor({2, 3})).value();
  fmt::print("valid_lens [2, 3], one for each batch:\n{}\n", one_a_batch);

  const Tensor one_a_query = masked_softmax(X, tensor({{1, 3}, {2, 4}})).value();
  fmt::print("\nvalid_lens [[1, 3], [2, 4]], one for each query:\n{}\n", one_a_query);

  const Tensor no_mask = masked_softmax(X).value();
  fmt::print("\nno valid_lens:\n{}\n", no_mask);

  // A length of 0 leaves no key to attend to. The book fills with -1e6, and a softmax of
  // equal scores is uniform, over padding; here such a query gets nothing unless asked.
  const Mask none_and_all = Mask::valid_lens(tensor({0, 9}));
  const Tensor zero = masked_softmax(X, none_and_all).value();
  const Tensor uniform =
      masked_softmax(X, none_and_all.empty_rows(EmptyRows::uniform)).value();
  fmt::print("\nvalid_lens [0, 9], EmptyRows::zero (the default):\n{}\n", zero);
  fmt::print("\nvalid_lens [0, 9], EmptyRows::uniform (the tutorial's):\n{}\n", uniform);

  fmt::print("\n");
  Claims claims;
  const Tensor first_two = slice(X[0], 1, 0, 2);  // (queries, 2)
  claims.expect(is_equal(slice(one_a_batch[0], 1, 2), zeros({2, 2}, options.dtype)),
                "keys beyond the valid length weigh exactly 0");
  claims.expect(is_close(slice(one_a_batch[0], 1, 0, 2), softmax(first_two, 1), 1e-6),
                "the others weigh as if those keys were not there");
  claims.expect(is_equal(one_a_query[0][0], tensor({1, 0, 0, 0}, options.dtype)),
                "a single key that counts weighs exactly 1");
  claims.expect(are_shares(one_a_batch) && are_shares(one_a_query) && are_shares(no_mask),
                "every row sums to 1");
  claims.expect(is_equal(zero[0], zeros({2, 4}, options.dtype)) &&
                    is_equal(uniform[0], full({2, 4}, 0.25, options.dtype)),
                "a query without a key gets no weights, or equal ones, as was asked");
  claims.expect(is_equal(zero[1], no_mask[1]) && is_equal(uniform[1], no_mask[1]),
                "a length beyond the end hides nothing");
  claims.expect(is_equal(X, X_before),
                "the scores are as they were (the tutorial's function writes into them)");

  show(options, "masked_softmax",
       {.matrices = stack({one_a_batch, one_a_query, zero, uniform}, 1),  // (2, 4, 2, 4)
        .xlabel = "Keys",
        .ylabel = "Queries",
        .titles = {"length 2", "lengths 1 and 3", "length 0, zero", "length 0, uniform",
                   "length 3", "lengths 2 and 4", "length 9", "length 9"}});
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "masked_softmax",
                     "Softmax of rows of scores in which only the first keys count.",
                     run);
}
