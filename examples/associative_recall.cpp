// Can attention learn to compare, and find a value by it? Additive, dot-product or
// multi-head attention, trained from scratch, gets pairs of keys and values and a noisy
// query, and fetches the value of its key; a baseline averages the values.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <heed.h>

#include "examples/associative_recall/models.h"
#include "examples/associative_recall/task.h"
#include "examples/support/claims.h"
#include "examples/support/figures.h"
#include "examples/support/graph.h"
#include "examples/support/html.h"
#include "examples/support/program.h"

namespace {

using namespace heed;
using namespace heed::recall;
using namespace heed::support;

constexpr std::int64_t batch_size = 64, test_size = 2000;
constexpr double momentum = 0.9;
constexpr double claimed = 0.95;  // of the answers to unseen examples

struct Options {
  std::string attention = "additive";
  std::int64_t steps = 5000;
  std::uint64_t seed = 0;
  double lr = 0.1;
  std::int64_t heads = 4;  // of multihead
  FigureOptions figures;
  bool live = false;
  std::optional<std::string> html, graph;

  std::string name() const {
    if (attention == "multihead")
      return fmt::format("multi-head attention, {} head{}", heads, heads == 1 ? "" : "s");
    return attention == "dot" ? "dot-product attention" : "additive attention";
  }
  bool claims() const { return steps >= Options().steps; }
};

// --- a model in training

// The digits with the highest scores, and their share of the right answers.
Tensor answers_of(const Tensor& scores, const Batch& batch) {
  return reshape(argmax(scores, 1), batch.asked.shape());  // (batch, asked)
}
double accuracy(const Tensor& answers, const Batch& batch) {
  return mean((answers == batch.answers()).to(float64)).item();
}

// A model in training. Each step records loss and accuracy, as before its update.
template <class Model>
struct Learner {
  Model net;
  optim::SGD optimiser;
  std::vector<double> losses, accuracies;

  explicit Learner(Model model)
      : net(std::move(model)), optimiser(nn::parameters(net), {.momentum = momentum}) {}

  void learn(const Batch& batch, double lr) {
    optimiser.options().lr = lr;
    optimiser.zero_grad();
    const Variable scores = net(batch, batch.mask());
    const Variable loss = nn::cross_entropy(scores, flatten(batch.answers()));
    loss.backward();
    optimiser.step();
    losses.push_back(loss.item());
    accuracies.push_back(accuracy(answers_of(scores.value(), batch), batch));
    check(std::isfinite(losses.back()),
          "the training diverged in step {}; a smaller --lr may help", losses.size());
  }
};

using Baseline = Learner<Recall<AveragePooling>>;

// The steps from one point of a curve to the next.
std::size_t spacing(const Options& options) {
  return static_cast<std::size_t>(std::max<std::int64_t>(options.steps / 100, 1));
}

double average(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         static_cast<double>(numbers.size());
}

// --- what the models say

template <class Model>
Tensor ask(Model& net, const Batch& batch, const nn::Mask& mask) {
  NoGrad no_grad;
  return answers_of(net(batch, mask).value(), batch);
}

// Where a model looks: (batch, heads, pairs).
template <class Attention>
Tensor weights(Recall<Attention>& net, const Batch& batch) {
  net.attention.keep_weights = true;
  (void)ask(net, batch, batch.mask());
  net.attention.keep_weights = false;
  return reshape(net.attention.attention_weights, {batch.keys.size(0), -1, pairs});
}

// --- training

// The weights of ten queries that ask for each key in turn, as a map (1, heads, queries,
// keys) of the attention page.
template <class Attention>
viz::Snapshot snapshot(Recall<Attention>& net, const Batch& each, std::int64_t step) {
  const Tensor map = transpose(weights(net, each), 0, 1);  // (heads, queries, keys)
  return {fmt::format("step {}", step), {{"attention", unsqueeze(map, 0)}}};
}

// New examples in each step; the learning rate falls evenly to 0. Returns snapshots for
// the attention page, if there is to be one.
template <class Attention>
std::vector<viz::Snapshot> train(Learner<Recall<Attention>>& learner, Baseline& baseline,
                                 const World& world, const Batch& each,
                                 const Options& options) {
  const auto live = live_chart(options.live,
                               {.title = options.name(),
                                .xlabel = "step",
                                .ylabel = "cross entropy",
                                .curves = {{"attention"}, {"average of the values"}},
                                .whole_x = true},
                               options.figures);
  viz::Progress progress(options.steps,
                         progress_beside(live.get(), "examples", batch_size));
  std::vector<viz::Snapshot> snapshots;
  const std::size_t n = spacing(options);
  const std::int64_t between = std::max<std::int64_t>(options.steps / 25, 1);
  for (std::int64_t step = 1; step <= options.steps; ++step) {
    if (options.html && (step - 1) % between == 0)
      snapshots.push_back(snapshot(learner.net, each, step - 1));
    const Batch batch = world.draw(batch_size, default_generator());
    const double lr = options.lr * static_cast<double>(options.steps - step + 1) /
                      static_cast<double>(options.steps);
    learner.learn(batch, lr);
    baseline.learn(batch, lr);
    if (learner.losses.size() % n != 0 && step != options.steps) continue;
    const std::span losses(learner.losses), accuracies(learner.accuracies);
    if (live)
      live->add(static_cast<double>(step),
                {average(losses.last(n)), average(std::span(baseline.losses).last(n))});
    progress.show(step, average(losses.last(n)),
                  fmt::format("accuracy {:.1f} %", 100 * average(accuracies.last(n))));
  }
  if (live) finish(*live);
  if (options.html) snapshots.push_back(snapshot(learner.net, each, options.steps));
  return snapshots;
}

// --- what is printed

void print_task(const Options& options, std::int64_t asked) {
  fmt::print(
      "An example: {} to {} pairs of a key ({} numbers) and a value (a digit), and a\n"
      "query ({} numbers) that shows, blurred and in another way, what {}.\n"
      "{}?\n\n"
      "{}, {} steps of {} new examples, seed {}\n",
      fewest_pairs, pairs, key_size, query_size,
      asked == 1 ? "one of the keys shows" : "two of the keys show",
      asked == 1 ? "Which digit is its value" : "Which digits are their values",
      options.name(), options.steps, batch_size, options.seed);
}

// How much of the weight lies on the keys that are asked for, on average.
void print_shares(const Batch& batch, const Tensor& weights, double even) {
  const std::int64_t heads = weights.size(1), asked = batch.asked.size(1);
  const Tensor there =
      gather(weights, 2, expand(unsqueeze(batch.asked, 1), {-1, heads, -1}));
  const Tensor shares = mean(there, 0);  // (heads, asked)
  constexpr std::string_view keys[] = {"first key", "second key"};
  fmt::print("\nWhere it looks, on average:\n");
  for (std::int64_t i = 0; i < asked; ++i) {
    const auto [share, head] = max(select(shares, 1, i), 0);
    fmt::print("{:5.1f} %  of the weight{} is on the {} asked for\n", 100 * share.item(),
               heads == 1 ? "" : fmt::format(" of head {}", head.item()),
               asked == 1 ? "key" : keys[i]);
  }
  fmt::print("{:5.1f} %  would be there if all keys had the same weight\n", 100 * even);
}

// The first example that has padding; weights (batch, heads, pairs), answers (batch,
// asked).
void print_example(const Batch& batch, const Tensor& weights, const Tensor& answers) {
  std::int64_t i = 0;
  while (batch.lens[i].item() == pairs) ++i;
  std::vector<std::string> asked;
  for (std::int64_t place : batch.asked[i].to_vector<std::int64_t>())
    asked.push_back(key_name(place));
  fmt::print("\nOne example, which asks for {}:\nkey     ", fmt::join(asked, " and "));
  for (std::int64_t j = 0; j < pairs; ++j)
    fmt::print("{:>7}", j < batch.lens[i].item() ? key_name(j) : "masked");
  fmt::print("\nvalue   {:7}\n",
             fmt::join(batch.labels[i].to_vector<std::int64_t>(), ""));
  const std::int64_t heads = weights.size(1);
  for (std::int64_t head = 0; head < heads; ++head)
    fmt::print("{:8}{:7.3f}\n", heads == 1 ? "weight" : fmt::format("head {}", head),
               fmt::join(weights[i][head].to_vector<float>(), ""));
  fmt::print("It answers {}.\n",
             fmt::join(answers[i].to_vector<std::int64_t>(), " and "));
}

// --- figures and the page

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < pairs; ++i) names.push_back(key_name(i));
  return names;
}

// Of the queries of ask_for_each_key.
std::vector<std::string> query_names(std::int64_t asked) {
  std::vector<std::string> names = key_names();
  for (std::int64_t i = 0; asked > 1 && i < pairs; ++i)
    names[static_cast<std::size_t>(i)] += ", " + key_name(pairs - 1 - i);
  return names;
}

void write_page(const Options& options, const std::vector<viz::Snapshot>& snapshots,
                std::int64_t asked) {
  viz::attention_page(*options.html, query_names(asked), snapshots,
                      {.title = "Associative recall: " + options.name(),
                       .note = "Ten queries, named by the keys that they ask for.",
                       .source = key_names(),
                       .reads = [](std::string_view) { return viz::Reads::cross; }});
}

// How the two learners did over the steps.
viz::Lines chart_of(const std::string& ylabel, const Options& options,
                    const std::vector<double>& learner,
                    const std::vector<double>& baseline) {
  const auto curve = [n = spacing(options)](const std::string& name,
                                            const std::vector<double>& numbers) {
    viz::Curve curve{name, {}, {}, viz::Style::thick_line};
    for (std::size_t end = n; end <= numbers.size(); end += n) {
      curve.x.push_back(static_cast<double>(end));
      curve.y.push_back(average(std::span(numbers).subspan(end - n, n)));
    }
    return curve;
  };
  return {
      .title = options.name(),
      .xlabel = "step",
      .ylabel = ylabel,
      .curves = {curve("attention", learner), curve("average of the values", baseline)},
      .whole_x = true};
}

// A row for each query of ask_for_each_key; both weights are (queries, heads, keys).
viz::Heatmaps heatmaps_of(const Tensor& before, const Tensor& after, std::int64_t asked) {
  const std::int64_t heads = before.size(1);
  const Tensor panels =
      transpose(stack({before, after}), 1, 2);  // (2, heads, queries, keys)
  // One head: the two side by side. Several: one below the other.
  viz::Heatmaps heatmaps{heads == 1 ? transpose(panels, 0, 1) : panels, "keys",
                         "queries"};
  heatmaps.xticks = key_names();
  heatmaps.yticks = query_names(asked);
  for (const std::string_view when : {"before training", "after"})
    for (std::int64_t head = 0; head < heads; ++head)
      heatmaps.titles.push_back(heads == 1 ? std::string(when)
                                           : fmt::format("head {} {}", head, when));
  return heatmaps;
}

// --- the program

// `found` is how many numbers the attention returns.
template <class Attention>
int run(Attention attention, std::int64_t found, const World& world,
        const Options& options) {
  const std::int64_t asked = world.asked();
  Learner learner(Recall(std::move(attention), found, asked));
  Baseline baseline(Recall(AveragePooling{}, digits, asked));
  // From a generator of its own, so that no training has seen these examples.
  Generator generator(~options.seed);
  const Batch test = world.draw(test_size, generator);
  const Batch each = world.ask_for_each_key(generator);

  fmt::print("{}\n", build_info());
  print_task(options, asked);
  const double before = accuracy(ask(learner.net, test, test.mask()), test);
  const Tensor weights_before = weights(learner.net, each);
  const std::vector<viz::Snapshot> snapshots =
      train(learner, baseline, world, each, options);

  const Tensor answers = ask(learner.net, test, test.mask());
  const double after = accuracy(answers, test);
  const double chance = mean(1 / test.lens.to(float64)).item();
  fmt::print(
      "\nRight answers to {} unseen examples:\n"
      "{:5.1f} %  before training\n"
      "{:5.1f} %  after training\n"
      "{:5.1f} %  without the mask: padding repeats the key asked for with wrong values\n"
      "{:5.1f} %  average of the values, after the same training (chance: {:.1f} %)\n",
      test_size, 100 * before, 100 * after,
      100 * accuracy(ask(learner.net, test, {}), test),
      100 * accuracy(ask(baseline.net, test, test.mask()), test), 100 * chance);
  const Tensor weights_after = weights(learner.net, test);
  print_shares(test, weights_after, chance);
  print_example(test, weights_after, answers);
  Claims claims;
  fmt::print("\n");
  if (options.claims())
    claims.expect(after >= claimed,
                  fmt::format("at least {} % of the answers are right", 100 * claimed));
  else
    fmt::print("Nothing is claimed after {} steps.\n", options.steps);

  save_graph(options.graph, nn::named_parameters(learner.net), [&] {
    return nn::cross_entropy(learner.net(each, each.mask()), flatten(each.answers()));
  });
  if (options.html) write_page(options, snapshots, asked);
  const viz::Heatmaps heatmaps =
      heatmaps_of(weights_before, weights(learner.net, each), asked);
  show_heatmaps(heatmaps);
  save_figures(
      options.figures,
      {{"attention", heatmaps},
       {"loss", chart_of("cross entropy", options, learner.losses, baseline.losses)},
       {"accuracy",
        chart_of("right answers", options, learner.accuracies, baseline.accuracies)}});
  return claims.exit_code();
}

int run(const Options& options) {
  manual_seed(options.seed);
  const bool has_heads = options.attention == "multihead";
  if (has_heads && num_hiddens % options.heads != 0)
    input_error("--heads: the {} features cannot be divided among {} heads", num_hiddens,
                options.heads);
  check_html(options.html);
  check_graph(options.graph);
  make_folder(options.figures);
  if (has_heads)
    return run(nn::MultiHeadAttention(key_size, query_size, digits, num_hiddens,
                                      options.heads, 0),
               num_hiddens, World(2), options);
  const World world(1);
  if (options.attention == "dot")
    return run(ProjectedDotProductAttention(), digits, world, options);
  return run(nn::AdditiveAttention(key_size, query_size, num_hiddens, 0), digits, world,
             options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine app(
      fmt::format(
          "Learns to fetch the value of the key that a noisy query asks for, beside a\n"
          "baseline that averages the values. multihead fetches the values of two keys.\n"
          "After {} steps or more at least {} % of the answers to unseen examples must\n"
          "be right; after fewer nothing is claimed.\n"
          "Exit codes: 0 all is well, 1 the claim does not hold or the training failed,\n"
          "2 wrong options or input.",
          options.steps, 100 * claimed),
      "associative_recall");
  app.add_choice("--attention", options.attention, {"additive", "dot", "multihead"},
                 "What learns");
  app.add_number("--steps", options.steps, std::int64_t{1}, std::int64_t{1000000},
                 "Steps of training");
  app.add_number("--seed", options.seed, std::uint64_t{0},
                 std::numeric_limits<std::uint64_t>::max(),
                 "Where the random numbers start");
  app.add_number("--lr", options.lr, 0.0, std::numeric_limits<double>::max(),
                 "Learning rate of the first step; it falls evenly to 0");
  const CommandLine::Option heads =
      app.add_number("--heads", options.heads, std::int64_t{1}, std::int64_t{8},
                     "Heads of multihead; one alone cannot tell the two keys apart");
  app.add_figures(options.figures,
                  "Draw attention weights, loss and accuracy into this folder");
  app.add_live(options.live);
  add_html(app, options.html);
  add_graph(app, options.graph, "loss after the training");
  app.add_threads();
  return app.run(argc, argv, [&] {
    if (heads.is_given() && options.attention != "multihead")
      input_error("--heads: only --attention multihead has heads");
    return run(options);
  });
}
