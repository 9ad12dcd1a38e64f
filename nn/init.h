// Initial values of weights, drawn as PyTorch draws them: same distributions, same order,
// same bits. What ends in _ fills `w` and returns it.
#pragma once

#include "autograd/variable.h"
#include "tensor/random/random.h"

namespace heed::nn::init {

using heed::normal_;
using heed::uniform_;
// A weight of any shape.
Tensor& constant_(Tensor& w, double value);
Tensor& zeros_(Tensor& w);
Tensor& ones_(Tensor& w);
// Ones on the diagonal, zeros elsewhere. Throws Error unless w has two dimensions.
Tensor& eye_(Tensor& w);

// The inputs and outputs of a weight (out, in, ...): in and out, both times the sizes
// that follow. Throws Error for fewer than two dimensions, as do xavier_ and kaiming_.
struct Fan {
  double in, out;
};
Fan fans(const Tensor& w);

// Uniform between ±gain √(6 / (in + out)), and normal with std gain √(2 / (in + out)).
// Throws Error when gain is negative or in + out is 0. (Glorot and Bengio, 2010)
Tensor& xavier_uniform_(Tensor& w, double gain = 1);
Tensor& xavier_normal_(Tensor& w, double gain = 1);

enum class Nonlinearity { linear, sigmoid, tanh, relu, leaky_relu, selu };
// The factor for the weights in front of this function that keeps the variance of what
// passes through the layers, PyTorch's: 5/3 for tanh, √2 for relu, √(2 / (1 + a²)) for
// leaky_relu with the slope a below 0, 3/4 for selu, 1 for the others.
double calculate_gain(Nonlinearity nonlinearity, double a = 0.01);

enum class FanMode { fan_in, fan_out };
struct KaimingOptions {
  double a = 0;  // the slope of leaky_relu below 0
  // fan_in keeps the variance of the values forward, fan_out that of the gradients.
  FanMode mode = FanMode::fan_in;
  Nonlinearity nonlinearity = Nonlinearity::leaky_relu;
};
// Uniform between ±gain √(3 / fan), and normal with std gain / √fan, where `mode` says
// which fan. A weight without elements stays as it is. (He et al., 2015)
Tensor& kaiming_uniform_(Tensor& w, KaimingOptions options = {});
Tensor& kaiming_normal_(Tensor& w, KaimingOptions options = {});

// Normal, drawn again until it is from a to b; the numbers of PyTorch 2.15 (older
// versions use the inverse of the distribution function), except of a range so wide that
// PyTorch would keep less than one number in 10^4: there only its likely part is drawn
// from. Throws Error unless mean and std are finite, std > 0 and a < b, and where w's
// dtype has no likely number of that range.
Tensor& trunc_normal_(Tensor& w, double mean = 0, double std = 1, double a = -2,
                      double b = 2);

// The same for the value of a Variable, as a layer's weight; nothing is recorded.
inline Variable& constant_(Variable& w, double value) {
  Tensor x = w.value();
  constant_(x, value);
  return w;
}
inline Variable& zeros_(Variable& w) {
  Tensor value = w.value();
  zeros_(value);
  return w;
}
inline Variable& ones_(Variable& w) {
  Tensor value = w.value();
  ones_(value);
  return w;
}
inline Variable& eye_(Variable& w) {
  Tensor value = w.value();
  eye_(value);
  return w;
}
inline Variable& uniform_(Variable& w, double low = 0, double high = 1) {
  Tensor value = w.value();
  uniform_(value, low, high);
  return w;
}
inline Variable& normal_(Variable& w, double mean = 0, double std = 1) {
  Tensor value = w.value();
  normal_(value, mean, std);
  return w;
}
inline Variable& trunc_normal_(Variable& w, double mean = 0, double std = 1,
                               double a = -2, double b = 2) {
  Tensor value = w.value();
  trunc_normal_(value, mean, std, a, b);
  return w;
}
inline Variable& xavier_uniform_(Variable& w, double gain = 1) {
  Tensor value = w.value();
  xavier_uniform_(value, gain);
  return w;
}
inline Variable& xavier_normal_(Variable& w, double gain = 1) {
  Tensor value = w.value();
  xavier_normal_(value, gain);
  return w;
}
inline Variable& kaiming_uniform_(Variable& w, KaimingOptions options = {}) {
  Tensor value = w.value();
  kaiming_uniform_(value, options);
  return w;
}
inline Variable& kaiming_normal_(Variable& w, KaimingOptions options = {}) {
  Tensor value = w.value();
  kaiming_normal_(value, options);
  return w;
}

}  // namespace heed::nn::init
