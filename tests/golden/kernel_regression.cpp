// The kernel-regression tutorial: its data, the fit without parameters, the trained one.
#include "autograd/elementwise.h"
#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/matmul.h"
#include "autograd/reductions.h"
#include "autograd/softmax.h"
#include "autograd/views.h"
#include "nn/loss.h"
#include "nn/nw_kernel_regression.h"
#include "optim/sgd.h"
#include "tensor/core/factories.h"
#include "tensor/random/random.h"
#include "tests/golden/feed.h"
#include "tests/golden/replay.h"

namespace heed::golden {
namespace {

// 2 sin(x) + x^0.8
Tensor true_curve(const Tensor& x) { return 2 * sin(x) + pow(x, 0.8); }

struct Data {
  Tensor uniform, x_train, order, f_train, noise, y_train, x_test;
};

// What the tutorial draws after the seed of the case.
Data draw_data(const Case& c) {
  manual_seed(static_cast<std::uint64_t>(c.integer("seed")));
  const Shape shape = {c.integer("n_train")};
  Data data;
  data.uniform = rand(shape, c.dtype());
  const WithIndices<Tensor> sorted = sort(data.uniform * 5);
  data.x_train = sorted.values;
  data.order = sorted.indices;
  data.f_train = true_curve(data.x_train);
  data.noise = normal(0.0, 0.5, shape, c.dtype());
  data.y_train = data.f_train + data.noise;
  data.x_test = arange(0, 5, 0.1, c.dtype());
  return data;
}

// Uniforms, what is made of them by one product, and ranges have no error.
void expect_drawn(const Data& data, const Case& c, Report& report) {
  report.expect("in.x_train", data.x_train, exact);
  report.expect("in.y_train", data.y_train);
  if (c.has("in.x_test")) report.expect("in.x_test", data.x_test, exact);
}

// Weights softmax(-(x_test - x_train)² / 2) over the training points, their means of
// y_train, and the plain mean for each query.
Outputs pool(const Variable& x_test, const Variable& x_train, const Variable& y_train) {
  const std::int64_t n = x_train.numel();
  const Variable queries = reshape(repeat_interleave(x_test, n), {x_test.numel(), n});
  const Variable weights = softmax(-square(queries - x_train) / 2, 1);
  Outputs outputs;
  outputs["y"] = matmul(weights, y_train);
  outputs["weights"] = weights;
  outputs["average"] = repeat_interleave(mean(y_train), x_test.numel());
  return outputs;
}

// For each training point all the other ones: (n) -> (n, n - 1).
Tensor all_but_own(const Tensor& x) {
  const std::int64_t n = x.numel();
  return reshape(masked_select(repeat(x, {n, 1}), eye(n) == 0.0), {n, n - 1});
}

// Trains a kernel that starts at w. Everything that a case of nw_parametric holds, by the
// names of its tensors.
std::map<std::string, Tensor> train(const Case& c, const Tensor& w, const Tensor& x_train,
                                    const Tensor& y_train, const Tensor& x_test) {
  std::map<std::string, Tensor> found;
  const Tensor keys = found["out.keys"] = all_but_own(x_train);
  const Tensor values = found["out.values"] = all_but_own(y_train);

  nn::NWKernelRegression net(w.dtype());
  net.w = Variable(w.clone(), true);
  optim::SGD optimiser({net.w}, {.lr = c.number("lr")});
  std::vector<Tensor> before, after, gradients, losses, predictions;
  for (std::int64_t epoch = 0; epoch < c.integer("epochs"); ++epoch) {
    optimiser.zero_grad();
    before.push_back(net.w.value().clone());
    const Variable prediction = net(x_train, keys, values);
    const Variable loss = sum(nn::mse_loss(prediction, y_train, nn::Reduction::none));
    loss.backward();
    gradients.push_back(net.w.grad().value().clone());
    optimiser.step();
    losses.push_back(reshape(loss.value(), {1}));
    after.push_back(net.w.value().clone());
    predictions.push_back(prediction.value());
  }
  found["step.w_before"] = cat(before);
  found["step.w_after"] = cat(after);
  found["step.grad_w"] = cat(gradients);
  found["step.loss"] = cat(losses);
  found["step.y_hat"] = stack(predictions);

  const NoGrad no_grad;
  const std::int64_t queries = x_test.numel();
  found["out.y_hat"] =
      net(x_test, repeat(x_train, {queries, 1}), repeat(y_train, {queries, 1})).value();
  found["out.weights"] = net.attention_weights;
  return found;
}

}  // namespace

void replay_nw_data(const Case& c, Report& report) {
  const Data data = draw_data(c);
  report.expect("out.uniform", data.uniform, exact);
  report.expect("out.x_train", data.x_train, exact);
  report.expect("out.order", data.order);
  report.expect("out.f_train", data.f_train);
  report.expect("out.noise", data.noise);
  report.expect("out.y_train", data.y_train);
  report.expect("out.x_test", data.x_test, exact);
  report.expect("out.y_truth", true_curve(data.x_test));
}

void replay_nw_nonparametric(const Case& c, Report& report) {
  const Feed in(c);
  expect_all(in, pool(in["x_test"], in["x_train"], in["y_train"]), report);
  if (!c.gives("seed")) return;
  report.again(from_seed);
  const Data data = draw_data(c);
  expect_drawn(data, c, report);
  for (const auto& [name, output] : pool(data.x_test, data.x_train, data.y_train)) {
    if (c.has("out." + name)) report.expect("out." + name, output.value());
  }
}

void replay_nw_parametric(const Case& c, Report& report) {
  for (const auto& [name, tensor] : train(c, c.input("w"), c.input("x_train"),
                                          c.input("y_train"), c.input("x_test"))) {
    if (c.has(name)) report.expect(name, tensor);
  }
  if (!c.gives("seed")) return;
  report.again(from_seed);
  const Data data = draw_data(c);
  const Tensor w = nn::NWKernelRegression(c.dtype()).w.value();
  expect_drawn(data, c, report);
  report.expect("in.w", w, exact);
  for (const auto& [name, tensor] :
       train(c, w, data.x_train, data.y_train, data.x_test)) {
    if (c.has(name)) report.expect(name, tensor);
  }
}

}  // namespace heed::golden
