#include "nn/dropout.h"

#include <fmt/format.h>

#include "autograd/elementwise.h"
#include "autograd/record.h"
#include "tensor/core/factories.h"

namespace heed::nn {
namespace {

// x times a mask of zeros and factors. An op of its own, so that the graph shows dropout.
Variable masked(const Variable& x, const Tensor& mask) {
  return record({"dropout", "dx = g mask"}, x.value() * mask,
                rule(x, save(mask), [](auto& g, auto& mask) { return g * mask; }));
}

void check_probability(double p) {
  check(0 <= p && p <= 1, "dropout: p must be from 0 to 1, got {}", p);
}

}  // namespace

Variable dropout(const Variable& x, double p, bool training, Generator& generator) {
  check_probability(p);
  if (!training || p == 0 || x.numel() == 0) return x;
  if (p == 1) return masked(x, zeros_like(x.value()));
  // The scaled mask first, then the product: the order decides the last bits. The mask is
  // drawn in row-major order whatever the strides of x.
  Tensor mask = empty(x.shape(), x.dtype());
  bernoulli_(mask, 1 - p, generator);
  return masked(x, mask / (1 - p));
}

Variable dropout(const Variable& x, const DropoutDraw& draw) {
  if (!draw.bits.defined()) return x;
  const Tensor mask = unpack_bits(draw.bits, x.size(-1), x.dtype());
  return masked(x, mask / draw.keep_probability);
}

DropoutDraw Dropout::draw(const Shape& shape) const {
  if (!training || p == 0 || count(shape) == 0) return {};
  if (p < 1) return {bernoulli_bits(shape, 1 - p), 1 - p};
  Generator unused;  // nothing is drawn where nothing can stay
  return {bernoulli_bits(shape, 0, unused)};
}

Dropout::Dropout(double p) : p(p) { check_probability(p); }

std::string Dropout::summary() const { return fmt::format("p={:#}, inplace=False", p); }

}  // namespace heed::nn
