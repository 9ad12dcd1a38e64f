#include "nn/sequential.h"

#include "tensor/core/error.h"

namespace heed::nn {

namespace detail {

void throw_takes_a_tensor(const std::string& layer) {
  fail(
      "Sequential: {} takes a Tensor, not a Variable: it has to be the first layer, and "
      "the sequence be called with a Tensor",
      layer);
}

}  // namespace detail

Sequential::Sequential(const Sequential& other) {
  for (const auto& layer : other.layers()) layers_->push_back(layer->copy());
}

Sequential& Sequential::operator=(const Sequential& other) {
  return *this = Sequential(other);
}

Variable Sequential::operator()(const Variable& x) const {
  Variable y = x;
  for (const auto& layer : layers()) y = layer->call(y);
  return y;
}

Variable Sequential::operator()(const Tensor& x) const {
  if (layers().empty()) return x;
  Variable y = layers()[0]->call(x);
  for (std::size_t i = 1; i < layers().size(); ++i) y = layers()[i]->call(y);
  return y;
}

int64_t Sequential::size() const { return static_cast<int64_t>(layers().size()); }

std::string Sequential::describe_parts(int indent) const {
  std::string lines;
  for (std::size_t i = 0; i < layers().size(); ++i) {
    lines += layers()[i]->line(std::to_string(i), indent);
  }
  return lines;
}

Sequential::AnyLayers& Sequential::layers() const {
  check(layers_ != nullptr, "Sequential: used after it was moved from");
  return *layers_;
}

detail::AnyLayer& Sequential::any_layer(int64_t i) const {
  const int64_t n = size();
  check(n > 0, "Sequential: there are no layers");
  check(-n <= i && i < n, "Sequential: the layer must be from {} to {}, got {}", -n,
        n - 1, i);
  return *layers()[i < 0 ? i + n : i];
}

std::vector<detail::Leaf> Sequential::leaves() const {
  std::vector<detail::Leaf> found;
  for (std::size_t i = 0; i < layers().size(); ++i) {
    for (detail::Leaf& leaf : layers()[i]->leaves(std::to_string(i))) {
      found.push_back(std::move(leaf));
    }
  }
  return found;
}

void Sequential::throw_other_type(int64_t i, const std::string& wanted) const {
  fail("Sequential: layer {} is a {}, not a {}", i, any_layer(i).type(), wanted);
}

}  // namespace heed::nn
