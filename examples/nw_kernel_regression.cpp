// How much does attention gain by learning? Nadaraya-Watson kernel regression three ways:
// average pooling, which attends to every row alike; a Gaussian kernel, which attends to
// the rows near the query; and the same kernel with a width that is learned.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <heed.h>

#include "examples/support/figures.h"
#include "examples/support/graph.h"
#include "examples/support/input_error.h"
#include "examples/support/program.h"

namespace {

using namespace heed;
using namespace heed::support;

constexpr std::int64_t book_rows = 50;  // of the tutorial's data
constexpr double largest_x = 5;         // of the tutorial's data
// Of a table: the program attends from each row to every other.
constexpr std::size_t max_rows = 5000, max_columns = 1000;

struct Options {
  std::uint64_t seed = 1339640095;
  std::int64_t epochs = 5;
  double lr = 0.5;
  std::int64_t train_size = book_rows;
  double noise = 0.5;
  DType dtype = float32;
  std::optional<std::string> data, x, y;
  FigureOptions figures;
  bool live = false, explain = false;
  std::optional<std::string> graph;
};

// A column of the user's table: the program computes with (number - offset) / unit.
struct Axis {
  std::string name;
  double offset = 0, unit = 1;

  std::vector<double> restore(const Tensor& scaled) const {
    return (scaled.to(float64) * unit + offset).to_vector<double>();
  }
};

struct Data {
  Tensor x_train, y_train;      // (n), x in rising order
  Tensor x_test;                // (m), in rising order
  std::optional<Tensor> truth;  // (m), the curve that the noise was added to
  Axis x{"x"}, y{"y"};
};

// --- the tutorial's data and training

Tensor true_curve(const Tensor& x) { return 2 * sin(x) + pow(x, 0.8); }

Data draw_data(const Options& options) {
  const Shape n{options.train_size};
  Data data;
  data.x_train = sort(rand(n, options.dtype) * largest_x);
  data.y_train = true_curve(data.x_train) + normal(0.0, options.noise, n, options.dtype);
  data.x_test = arange(0, largest_x, 0.1, options.dtype);
  data.truth = true_curve(data.x_test);
  return data;
}

// For each row, all rows but itself: (n) -> (n, n - 1).
Tensor leave_one_out(const Tensor& column) {
  const std::int64_t n = column.size(0);
  const Tensor tile = repeat(column, {n, 1});               // (n, n)
  const Tensor others = logical_not(eye(n, boolean));       // (n, n)
  return reshape(masked_select(tile, others), {n, n - 1});  // (n, n - 1)
}

// Prints and returns the loss of each epoch: that of the predictions before its step.
std::vector<double> train(nn::NWKernelRegression& net, const Data& data, double lr,
                          const Options& options) {
  const Tensor keys = leave_one_out(data.x_train);    // (n, n - 1)
  const Tensor values = leave_one_out(data.y_train);  // (n, n - 1)
  const auto compute_loss = [&] {
    const Variable prediction = net(data.x_train, keys, values);  // (n)
    return sum(nn::mse_loss(prediction, data.y_train, nn::Reduction::none));
  };
  optim::SGD optimiser(nn::parameters(net), {.lr = lr});
  const auto live = live_chart(options.live,
                               {.title = "Loss of each epoch",
                                .xlabel = "epoch",
                                .ylabel = "sum of squared errors",
                                .curves = {{"heed"}},
                                .whole_x = true},
                               options.figures);
  viz::ProgressOptions progress_options = progress_beside(live.get(), "epochs");
  progress_options.delay = 2;
  // Where no line is rewritten, those of the epochs are enough.
  if (!progress_options.in_place) progress_options.write = [](std::string_view) {};
  viz::Progress progress(options.epochs, progress_options);
  if (options.explain) {
    fmt::print("The gradient of the first step:\n{}\n",
               explain(compute_loss(), nn::named_parameters(net)));
  }
  std::vector<double> losses;
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    optimiser.zero_grad();
    const Variable loss = compute_loss();
    loss.backward();
    optimiser.step();
    losses.push_back(loss.item());
    if (epoch == 1 && !std::isfinite(losses.back()))  // the data of a file are scaled
      input_error("--noise: it is too large for {}, got {}: the first loss is {}",
                  name(options.dtype), options.noise, losses.back());
    check(std::isfinite(losses.back()),
          "the training diverged in epoch {}; a smaller --lr may help", epoch);
    progress.clear();
    if (live) live->clear();
    fmt::print("epoch {}, loss {:.6f}\n", epoch, losses.back());
    if (live) live->add(static_cast<double>(epoch), {losses.back()});
    progress.show(epoch, losses.back());
  }
  if (live) finish(*live);
  save_graph(options.graph, nn::named_parameters(net), compute_loss);
  return losses;
}

struct Fits {
  Tensor average, gaussian, trained;         // (n), predictions
  Tensor gaussian_weights, trained_weights;  // (n, m), attention
};

// The three answers to queries (n), each with keys and values (n, m) of its own.
Fits pool(nn::NWKernelRegression& net, const Tensor& queries, const Tensor& keys,
          const Tensor& values) {
  NoGrad no_grad;
  Fits fits;
  fits.average = mean(values, 1);
  fits.gaussian_weights = softmax(-square(unsqueeze(queries, 1) - keys) / 2, 1);
  fits.gaussian = sum(fits.gaussian_weights * values, 1);
  fits.trained = net(queries, keys, values).value();
  fits.trained_weights = net.attention_weights;
  return fits;
}

// --- a user's table

// The columns for x and y: those that the options name, otherwise the first free one.
std::array<std::size_t, 2> pick_columns(const data::Table& table,
                                        const Options& options) {
  if (table.names.size() < 2)
    input_error("{}:1: two columns are needed, separated by commas", table.source);
  std::optional<std::size_t> x, y;
  if (options.x) x = data::find_column(table, *options.x);
  if (options.y) y = data::find_column(table, *options.y);
  if (!x) x = y == 0u ? 1 : 0;
  if (!y) y = x == 0u ? 1 : 0;
  if (x == y)
    input_error("--x and --y: two columns are needed, got {} twice",
                shown(table.names[*x]));
  return {*x, *y};
}

// The rows in the order of x; x scaled to [0, 5] and y to mean 0 and variance 1.
Data read_data(const Options& options) {
  const data::Table table =
      data::read_csv(*options.data, {.max_rows = max_rows, .max_columns = max_columns});
  const auto [x_column, y_column] = pick_columns(table, options);
  const std::vector<double> x_numbers = numbers(table, x_column);
  const std::vector<double> y_numbers = numbers(table, y_column);
  const std::size_t n = x_numbers.size();
  if (n < 2) input_error("{}: at least two rows are needed, found {}", table.source, n);

  const Tensor x = from_vector(x_numbers), y = from_vector(y_numbers);
  const double low = amin(x).item(), high = amax(x).item();
  const double deviation = std::sqrt(var(y).item());
  Data data;
  data.x = {table.names[x_column], low, (high - low) / largest_x};
  data.y = {table.names[y_column], mean(y).item(), deviation == 0 ? 1 : deviation};
  if (!(data.x.unit > 0))
    input_error("{}: all values of {} are equal", table.source, shown(data.x.name));
  if (!std::isfinite(data.x.unit) || !std::isfinite(data.y.unit))
    input_error("{}: the numbers are too far apart", table.source);

  const auto [x_sorted, order] = sort((x - data.x.offset) / data.x.unit);
  data.x_train = x_sorted.to(options.dtype);
  data.y_train =
      index_select((y - data.y.offset) / data.y.unit, 0, order).to(options.dtype);
  data.x_test = linspace(0, largest_x, 201, options.dtype);
  return data;
}

// --- what is printed

struct PublishedRun {
  std::uint64_t seed;
  std::string_view where;
  std::array<double, 5> read_off;  // the losses, from the figure
  std::array<double, 5> pytorch;   // PyTorch 1.13's, float32, from the same seed
};

// The book (Zhang, Lipton, Li, Smola: Dive into Deep Learning) shows the losses of these
// runs as curves only. These seeds give the data and the losses of the figures.
constexpr PublishedRun published_runs[] = {
    {1339640095,
     "d2l-zh 2.0.0, its PyTorch edition",
     {48.2168, 15.6214, 13.5169, 12.8248, 12.3652},
     {48.216827, 15.621449, 13.516937, 12.824774, 12.365227}},
    {1792466818,
     "d2l-en, the PyTorch notebook of the chapter",
     {51.2009, 18.4354, 14.1928, 14.1521, 14.1209},
     {51.200890, 18.435369, 14.192819, 14.152143, 14.120892}},
};

// The published run that these options repeat, if any.
const PublishedRun* published(const Options& options) {
  const Options book;
  if (options.data || options.epochs != book.epochs || options.lr != book.lr ||
      options.train_size != book.train_size || options.noise != book.noise ||
      options.dtype != book.dtype)
    return nullptr;
  for (const PublishedRun& run : published_runs)
    if (run.seed == options.seed) return &run;
  return nullptr;
}

// Prints the published losses beside ours; true if they agree.
bool compare(const PublishedRun& run, const std::vector<double>& losses) {
  constexpr double tolerance = 1e-4;
  fmt::print("\nThe published run ({}) beside this one:\n", run.where);
  fmt::print("epoch  its figure  PyTorch 1.13       heed\n");
  double worst = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    fmt::print("{:5}  {:10.4f}  {:12.6f}  {:9.6f}\n", i + 1, run.read_off[i],
               run.pytorch[i], losses[i]);
    worst = std::max(worst, std::abs(losses[i] / run.pytorch[i] - 1));
  }
  const bool agree = worst <= tolerance;
  fmt::print("The losses {}: the largest relative difference is {:.1e}.\n",
             agree ? "agree" : "DO NOT AGREE", worst);
  return agree;
}

void print_errors(const Fits& fits, const Tensor& target, double unit) {
  const auto print = [&](const char* name, const Tensor& fit) {
    const double error = mean(square(fit - target)).item() * unit * unit;
    const bool is_plain = error == 0 || (0.001 <= error && error < 1e6);
    fmt::print("  {:15}  {}\n", name,
               is_plain ? fmt::format("{:.4f}", error) : fmt::format("{:.4g}", error));
    return error;
  };
  print("average pooling", fits.average);
  const double gaussian = print("Gaussian kernel", fits.gaussian);
  if (print("trained kernel", fits.trained) > gaussian) {
    fmt::print("The training has not helped: too few rows or epochs, or a wrong --lr.\n");
  }
}

// --- figures

void draw_figures(const Options& options, const Data& data, const Fits& fits,
                  const viz::Heatmaps& heatmaps, const std::vector<double>& losses) {
  std::vector<double> epochs(losses.size());
  std::iota(epochs.begin(), epochs.end(), 1.0);
  viz::Lines loss{"Loss of each epoch", "epoch", "sum of squared errors", {}, true};
  loss.curves.push_back({"heed", epochs, losses, viz::Style::line_with_points});
  if (const PublishedRun* run = published(options))
    loss.curves.push_back({"published",
                           epochs,
                           {run->read_off.begin(), run->read_off.end()},
                           viz::Style::circles});

  const std::vector<double> x = data.x.restore(data.x_test);
  viz::Lines curves{"Three ways to pool", data.x.name, data.y.name, {}};
  curves.curves = {
      {"average pooling", x, data.y.restore(fits.average), viz::Style::line},
      {"Gaussian kernel", x, data.y.restore(fits.gaussian), viz::Style::line},
      {"trained kernel", x, data.y.restore(fits.trained), viz::Style::thick_line},
      {"training rows", data.x.restore(data.x_train), data.y.restore(data.y_train),
       viz::Style::points},
  };
  if (data.truth)
    curves.curves.push_back(
        {"true curve", x, data.y.restore(*data.truth), viz::Style::dashed_line});

  save_figures(options.figures,
               {{"loss", loss}, {"fits", curves}, {"attention", heatmaps}});
}

// --- the program

int run(const Options& options) {
  manual_seed(options.seed);
  const Data data =
      options.data ? from_user([&] { return read_data(options); }) : draw_data(options);
  check_graph(options.graph);
  make_folder(options.figures);
  const std::int64_t n = data.x_train.size(0), m = data.x_test.size(0);

  fmt::print("{}\n", build_info());
  double lr = options.lr;
  const std::string x_name = shown(data.x.name), y_name = shown(data.y.name);
  if (options.data) {
    lr *= static_cast<double>(book_rows) / static_cast<double>(n);
    fmt::print(
        "{} rows of {}: {} against {}.\n"
        "So that the tutorial's step size makes sense, {} is scaled to [0, {}] and {}\n"
        "to mean 0 and variance 1; the loss is a sum over rows, so the learning rate\n"
        "is {} * {}/{} = {:.4g}.\n",
        n, printable(*options.data), y_name, x_name, x_name, largest_x, y_name,
        options.lr, book_rows, n, lr);
  } else {
    fmt::print("{} rows from seed {}: y = 2 sin(x) + x^0.8 + noise of deviation {}, {}\n",
               n, options.seed, options.noise, name(options.dtype));
  }

  nn::NWKernelRegression net(options.dtype);
  fmt::print("w starts at {:.6f}\n", net.w.item());
  const std::vector<double> losses = train(net, data, lr, options);
  fmt::print("w ends at {:.6f}\n", net.w.item());
  fmt::print("Each loss is that of the predictions before the epoch's step.\n");
  const PublishedRun* const book_run = published(options);
  const bool agree = book_run == nullptr || compare(*book_run, losses);

  const Fits fits =
      pool(net, data.x_test, repeat(data.x_train, {m, 1}), repeat(data.y_train, {m, 1}));
  if (data.truth) {
    fmt::print("\nMean squared error to the true curve at x = 0, 0.1, ..., 4.9:\n");
    print_errors(fits, *data.truth, 1);
  } else {
    fmt::print("\nMean squared error, each row predicted from all others, in {}^2:\n",
               y_name);
    print_errors(
        pool(net, data.x_train, leave_one_out(data.x_train), leave_one_out(data.y_train)),
        data.y_train, data.y.unit);
  }

  const viz::Heatmaps heatmaps{
      unsqueeze(stack({fits.gaussian_weights, fits.trained_weights}), 0),  // (1, 2, m, n)
      "sorted training inputs",
      data.truth ? "sorted testing inputs" : "evenly spaced queries",
      {"Gaussian kernel (w = 1)",
       fmt::format("trained kernel (w = {:.2f})", net.w.item())}};
  show_heatmaps(heatmaps);
  draw_figures(options, data, fits, heatmaps, losses);
  return agree ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine app(
      "Nadaraya-Watson kernel regression: average pooling, a Gaussian kernel, and a\n"
      "kernel whose width is learned, on the tutorial's data or on a table of your own.\n"
      "Exit codes: 0 all is well, 1 the losses differ from the published ones or the\n"
      "training failed, 2 wrong options or input.",
      "nw_kernel_regression");
  constexpr double any = std::numeric_limits<double>::max();
  app.add_number("--seed", options.seed, std::uint64_t{0},
                 std::numeric_limits<std::uint64_t>::max(),
                 "Where the random numbers start; the default is that of the book's run");
  app.add_number("--epochs", options.epochs, std::int64_t{1}, std::int64_t{1000000},
                 "Steps of training");
  app.add_number("--lr", options.lr, 0.0, any,
                 "Learning rate; that of a table of n rows is this times 50/n");
  const CommandLine::Option size =
      app.add_number("--train-size", options.train_size, std::int64_t{2},
                     std::int64_t{max_rows}, "Rows of random data");
  const CommandLine::Option noise =
      app.add_number("--noise", options.noise, 0.0, any,
                     "Standard deviation of the noise in the random data");
  app.add_dtype(options.dtype);
  const CommandLine::Option data =
      app.add_text("--data", options.data, "FILE.csv",
                   "Fit this table instead of random data: comma-separated values,\n"
                   "the first line naming the columns")
          .excludes(size)
          .excludes(noise);
  app.add_text("--x", options.x, "COLUMN",
               "The table's column of inputs (the default is the first)")
      .needs(data);
  app.add_text("--y", options.y, "COLUMN",
               "The table's column to predict (the default is the second)")
      .needs(data);
  app.add_figures(options.figures,
                  "Draw loss, fits and attention weights into this folder");
  app.add_live(options.live);
  add_graph(app, options.graph, "loss after the training");
  app.add_flag("--explain", options.explain,
               "Tell how the gradient of the first step is found, op by op");
  app.add_threads();
  return app.run(argc, argv, [&] { return run(options); });
}
