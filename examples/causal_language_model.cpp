// What does a model learn from a sentence? The tutorial's four steps for
// "<BOS> I like you <EOS>": each asks for the next token, and the causal mask lets one
// pass over the sentence learn all four.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <heed.h>

#include "examples/support/claims.h"
#include "examples/support/figures.h"
#include "examples/support/graph.h"
#include "examples/support/listing.h"

namespace {

using namespace heed;
using namespace heed::support;

// A token's number is its place here, and the sentence is the vocabulary in order.
const std::vector<std::string> vocabulary = {"<BOS>", "I", "like", "you", "<EOS>"};
const auto vocab_size = static_cast<std::int64_t>(vocabulary.size());
const std::int64_t prediction_steps = vocab_size - 1;  // the last token has no next one

constexpr std::int64_t dim = 16, n_heads = 2;
constexpr int training_steps = 100;

const std::string& word(std::int64_t token) {
  return vocabulary[static_cast<std::size_t>(token)];
}

struct LanguageModel {
  nn::Embedding tokens, positions;  // what a token is, and where it stands
  nn::CausalMultiHeadAttention attention;
  nn::Linear head;

  explicit LanguageModel(DType dtype)
      : tokens(vocab_size, dim, {.dtype = dtype}),
        positions(prediction_steps, dim, {.dtype = dtype}),
        attention({.dim = dim,
                   .n_heads = n_heads,
                   .max_seq_len = prediction_steps,
                   .dtype = dtype}),
        head(dim, vocab_size, {.dtype = dtype}) {
    attention.keep_weights = true;
  }

  // ids (batch, n) -> the logits (batch, n, vocab_size) of the token after each of them.
  Variable operator()(const Tensor& ids) {
    const Variable x = tokens(ids) + positions(arange(ids.size(1)));  // (batch, n, dim)
    return head(x + attention(x));  // (batch, n, vocab_size)
  }

  void visit(auto&& f) {
    f("tokens", tokens);
    f("positions", positions);
    f("attention", attention);
    f("head", head);
  }
};

// --- predictions

// The probabilities of every next token: (n, vocab_size) for ids (1, n).
Tensor probabilities(LanguageModel& net, const Tensor& ids) {
  NoGrad no_grad;
  return softmax(net(ids).value(), -1)[0];
}

// Step i sees the first i + 1 tokens and nothing else: (n, vocab_size) for ids (1, n).
Tensor step_by_step(LanguageModel& net, const Tensor& ids) {
  std::vector<Tensor> rows;
  for (std::int64_t i = 0; i < ids.size(1); ++i) {
    rows.push_back(probabilities(net, slice(ids, 1, 0, i + 1))[i]);  // (vocab_size)
  }
  return stack(rows);
}

// p (n, vocab_size), a row for each step.
void print_predictions(const Tensor& p) {
  fmt::print("step  input           ");
  for (const std::string& token : vocabulary) fmt::print("{:>8}", token);
  fmt::print("   predicted\n");
  std::string input;
  for (std::int64_t i = 0; i < p.size(0); ++i) {
    input += (i > 0 ? " " : "") + word(i);
    fmt::print("{:4}  {:16}", i + 1, input);
    for (std::int64_t token = 0; token < vocab_size; ++token) {
      fmt::print("{:8.4f}", p.at({i, token}));
    }
    const auto likeliest = static_cast<std::int64_t>(argmax(p[i], 0).item());
    fmt::print("   {}{}\n", word(likeliest),
               likeliest == i + 1 ? "" : ", not " + word(i + 1));
  }
}

// What the model writes if it is given <BOS> and then its own words.
std::string generated(LanguageModel& net) {
  std::string text;
  std::vector<std::int64_t> ids = {0};
  for (std::int64_t n = 1; n <= prediction_steps; ++n) {
    const Tensor p = probabilities(net, from_vector(ids, {1, n}));
    ids.push_back(static_cast<std::int64_t>(argmax(p[n - 1], 0).item()));
    text += (n > 1 ? " " : "") + word(ids.back());
  }
  return text;
}

// --- the program

struct Training {
  std::vector<double> losses;            // the first is that before any step
  std::vector<viz::Snapshot> snapshots;  // of the attention, every fifth step
};

// The mean of the steps' losses.
Variable loss_of(LanguageModel& net, const Tensor& inputs, const Tensor& targets) {
  const Variable logits = net(inputs);  // (1, 4, vocab_size)
  return nn::cross_entropy(reshape(logits, {-1, vocab_size}), targets);
}

Training train(LanguageModel& net, const Tensor& inputs, const Tensor& targets,
               const ListingOptions& options) {
  optim::SGD optimiser(nn::parameters(net), {.lr = 0.1});
  const auto live = live_chart(options.live,
                               {.title = "<BOS> I like you <EOS>",
                                .xlabel = "steps",
                                .ylabel = "loss",
                                .curves = {{"training"}},
                                .whole_x = true},
                               options.figures);
  Training training;
  for (int step = 0;; ++step) {
    optimiser.zero_grad();
    const Variable loss = loss_of(net, inputs, targets);
    training.losses.push_back(loss.item());
    if (step % 10 == 0) {
      if (live) live->clear();
      fmt::print("after {:3} steps, loss {:.6f}\n", step, loss.item());
    }
    if (live) live->add(step, {loss.item()});
    if (step % 5 == 0) {
      training.snapshots.push_back(
          {fmt::format("step {}", step), nn::attention_maps(net)});
    }
    if (step == training_steps) break;
    loss.backward();
    optimiser.step();
  }
  if (live) finish(*live);
  return training;
}

int run(const ListingOptions& options) {
  Claims claims;
  const Tensor sentence = arange(vocab_size);
  const Tensor inputs = unsqueeze(slice(sentence, 0, 0, prediction_steps), 0);  // (1, 4)
  const Tensor targets = slice(sentence, 0, 1);                                 // (4)
  manual_seed(options.seed);
  LanguageModel net(options.dtype);

  fmt::print("before training: the probability of each token to be the next\n");
  print_predictions(probabilities(net, inputs));
  // The layer has kept the weights of that one pass.
  const Tensor weights_before = net.attention.attention_weights;  // (1, 2, 4, 4)

  fmt::print("\ntraining: the mean of the four steps' losses, -log p(next token)\n");
  const Training training = train(net, inputs, targets, options);
  const std::vector<double>& losses = training.losses;

  fmt::print("\nafter training\n");
  const Tensor p = probabilities(net, inputs);             // (4, vocab_size)
  const Tensor weights = net.attention.attention_weights;  // (1, 2, 4, 4)
  print_predictions(p);
  const std::string alone = generated(net);
  fmt::print("\nfrom <BOS> and its own words it writes: {}\n", alone);

  const std::vector<std::string> names(vocabulary.begin(), vocabulary.end() - 1);
  fmt::print("\nwhat each token attends to, in the first of the {} heads\n", n_heads);
  print_table(weights[0][0], names,
              [](double weight) { return fmt::format("{:.4f}", weight); });
  fmt::print("\n");
  claims.expect(losses.back() < losses.front(), "the loss fell");
  claims.expect(is_equal(argmax(p, 1), targets), "all four tokens are predicted");
  claims.expect(alone == "I like you <EOS>", "it writes the sentence by itself");
  claims.expect(is_equal(triu(weights, 1), zeros_like(weights)),
                "above the diagonal the weights are exactly 0");
  claims.expect(is_close(step_by_step(net, inputs), p, 1e-5),
                "one pass predicts what the four steps predict one by one");

  const viz::Heatmaps triangles{
      .matrices = cat({weights_before, weights}),  // (2, 2, 4, 4)
      .xlabel = "Keys",
      .ylabel = "Queries",
      .titles = {"head 0 before training", "head 1 before training", "head 0 after",
                 "head 1 after"},
      .xticks = names,
      .yticks = names};
  show(options, "causal_language_model", triangles);
  std::vector<double> steps(losses.size());
  std::iota(steps.begin(), steps.end(), 0.0);
  const viz::Lines chart{.title = "<BOS> I like you <EOS>",
                         .xlabel = "steps",
                         .ylabel = "loss",
                         .curves = {{"training", steps, losses, viz::Style::thick_line}},
                         .whole_x = true};
  save_figures(options.figures, {{"loss", chart}});
  save_graph(options.graph, nn::named_parameters(net),
             [&] { return loss_of(net, inputs, targets); });
  if (options.html) {
    viz::attention_page(*options.html, names, training.snapshots,
                        {.title = "<BOS> I like you <EOS>",
                         .note = "A causal model of one layer learns the sentence."});
  }
  return claims.exit_code();
}

}  // namespace

int main(int argc, char** argv) {
  return run_listing(argc, argv, "causal_language_model",
                     "A small causal model learns the sentence <BOS> I like you <EOS>.",
                     run,
                     {.live = true, .html = true, .graph = "loss after the training"});
}
