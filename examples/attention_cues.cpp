// What do queries, keys and values do? Three lookups: of queries that are keys; of a
// query that is none, with weights given by hand; and of the same query with weights
// computed from word vectors, which is attention.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/figures.h"
#include "examples/support/graph.h"
#include "examples/support/program.h"

namespace {

using namespace heed;
using namespace heed::support;

// The numbers of x[i].
std::vector<float> row(const Tensor& x, std::size_t i) {
  return x[static_cast<std::int64_t>(i)].to_vector<float>();
}

// --- 1. queries that are keys

void look_up_equals(viz::Heatmaps& heatmaps, Claims& claims) {
  const Tensor keys = arange(10.0), queries = keys;  // (10)
  const Tensor values = square(keys);                // (10)
  const Tensor weights =
      (unsqueeze(queries, 1) == unsqueeze(keys, 0)).to(float32);  // (10, 10)
  const Tensor answers = matmul(weights, values);                 // (10)
  heatmaps = {reshape(weights, {1, 1, 10, 10}), "keys", "queries"};

  fmt::print(
      "1. Every query is a key\n\n"
      "keys and queries  {}\n"
      "values            {}\n\n"
      "The weight of a key is 1 where the query equals it, and 0 elsewhere. The answer\n"
      "to a query is the sum of the values, each times the weight of its key.\n\n"
      "answers           {}\n\n",
      keys, values, answers);
  claims.expect(is_equal(weights, eye(10)), "the weights are the identity matrix");
  claims.expect(is_equal(answers, values), "the answers are the values, unchanged");
  show_heatmaps(heatmaps);
}

// --- a dictionary, for what follows

const std::vector<std::string> keys{"apple", "banana", "chair"};
const std::vector<std::string> queries{"fruit", "apple", "banana", "chair"};

Tensor dictionary_values() { return tensor({10.0, 5.0, 2.0}); }  // (3), of the keys

// --- 2. a query that is no key

void look_up_by_hand(Claims& claims) {
  const Tensor values = dictionary_values();       // (3)
  const Tensor weights = tensor({0.6, 0.4, 0.0});  // (3)
  const double answer = matmul(weights, values).item();

  fmt::print("\n\n2. A query that is no key\n\n");
  for (std::size_t j = 0; j < keys.size(); ++j)
    fmt::print("{:8}{:2}\n", keys[j], values.to_vector<float>()[j]);
  fmt::print(
      "\n'apple' is a key and finds 10. 'fruit' is none and finds nothing, though apple\n"
      "and banana are fruit. With the weights 0.6, 0.4 and 0 it finds\n\n"
      "0.6 * 10 + 0.4 * 5 + 0 * 2 = {}\n\n",
      answer);
  claims.expect(answer == 8, "the answer is 8");
}

// --- 3. weights from word vectors

// A row for each query: is it edible, is it round, is it furniture? Chosen by hand; a
// model learns them.
Tensor word_vectors() {
  return tensor({
      {2.0, 0.2, -2.0},   // fruit
      {1.0, 1.0, -1.0},   // apple
      {1.0, -1.0, -1.0},  // banana
      {-1.0, -1.0, 1.0},  // chair
  });
}

// attention(Q, K, v) = softmax(Q Kᵀ) v, beside an exact lookup.
void look_up_by_meaning(viz::Heatmaps& heatmaps, Claims& claims) {
  const Tensor Q = word_vectors();                      // (4, 3)
  const Tensor K = slice(Q, 0, 1, 4);                   // (3, 3): 'fruit' is no key
  const Tensor values = dictionary_values();            // (3)
  const Tensor scores = matmul(Q, transpose(K, 0, 1));  // (4, 3), dot products
  const Tensor weights = softmax(scores, 1);            // (4, 3)
  const Tensor answers = matmul(weights, values);       // (4)

  // In an exact lookup a key has all the weight of the query that equals it.
  const Tensor exact_weights = cat({zeros({1, 3}), eye(3)}, 0);           // (4, 3)
  heatmaps = {.matrices = unsqueeze(stack({exact_weights, weights}), 0),  // (1, 2, 4, 3)
              .xlabel = "keys",
              .ylabel = "queries",
              .titles = {"exact lookup", "soft lookup"},
              .xticks = keys,
              .yticks = queries};

  fmt::print(
      "\n\n3. Weights from the meanings of words\n\n"
      "        edible  round  furniture\n");
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::vector<float> word = row(Q, i);
    fmt::print("{:8}{:6.1f}{:7.1f}{:11.1f}\n", queries[i], word[0], word[1], word[2]);
  }
  fmt::print(
      "\nThe score of a key is the dot product of its vector and the query's, large if\n"
      "they mean the same. softmax turns scores into weights, which sum to 1.\n\n"
      "        scores                  weights                  answer\n"
      "query    apple  banana   chair   apple  banana   chair    soft  exact\n");
  for (std::size_t i = 0; i < queries.size(); ++i)
    fmt::print("{:6}{:8.2f}{:8.3f}{:8.2f}{:>7}\n", queries[i],
               fmt::join(row(scores, i), ""), fmt::join(row(weights, i), ""),
               answers.to_vector<float>()[i],
               i == 0 ? "none" : fmt::format("{}", values.to_vector<float>()[i - 1]));
  fmt::print("\n");
  claims.expect(is_close(weights[0], tensor({0.6, 0.4, 0.0}), 0.01),
                "the weights of 'fruit' are 0.6, 0.4 and 0 to within 0.01");
  claims.expect(std::abs(answers[0].item() - 8) < 0.1, "its answer is 8 to within 0.1");

  // Larger scores have larger differences: softmax gives nearly all weight to one key.
  const Tensor sharp = matmul(softmax(8 * scores, 1), values);  // (4)
  fmt::print(
      "\nThe lookup is soft: even a key finds a little of the other values. With scores\n"
      "eight times as large the three keys find {:.2f}, as in an exact lookup;\n"
      "but 'fruit' finds {:.2f}: the apple, almost alone.\n\n",
      fmt::join(slice(sharp, 0, 1, 4).to_vector<float>(), ", "), sharp[0].item());
  claims.expect(is_close(slice(sharp, 0, 1, 4), values, 0.001),
                "the answers to the keys are then exact to within 0.001");
  show_heatmaps(heatmaps);
}

// The graph of this lookup: how queries, keys and values flow into answers.
void save_flow(const std::optional<std::string>& graph) {
  const Variable Q(word_vectors(), true);                  // (4, 3)
  const Variable K(slice(word_vectors(), 0, 1, 4), true);  // (3, 3)
  const Variable values(dictionary_values(), true);        // (3)
  save_graph(graph, {{"queries", Q}, {"keys", K}, {"values", values}}, [&] {
    return matmul(softmax(matmul(Q, transpose(K, 0, 1)), 1), values);  // (4)
  });
}

// --- the program

int run(const FigureOptions& figures, const std::optional<std::string>& graph) {
  check_graph(graph);
  make_folder(figures);
  viz::Heatmaps identity, lookups;
  Claims claims;
  look_up_equals(identity, claims);
  look_up_by_hand(claims);
  look_up_by_meaning(lookups, claims);
  save_flow(graph);
  save_figures(figures, {{"identity", identity}, {"lookups", lookups}});
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  FigureOptions figures;
  std::optional<std::string> graph;
  CommandLine app(
      "Queries, keys and values: a lookup of queries that are keys, one with weights\n"
      "given by hand, and one with weights from word vectors, which is attention.\n"
      "Exit codes: 0 all is well, 1 a claim does not hold, 2 wrong options or input.",
      "attention_cues");
  app.add_figures(figures, "Draw the weights into this folder");
  add_graph(app, graph, "lookup by word vectors");
  return app.run(argc, argv, [&] { return run(figures, graph); });
}
