#include "autograd/functional.h"

#include "autograd/elementwise.h"
#include "autograd/joining.h"
#include "autograd/node.h"
#include "autograd/views.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"

namespace heed {

void backward(const std::vector<Variable>& values, BackwardOptions options) {
  check(!values.empty(), "backward: there must be at least one value");
  std::vector<Variable> seeds;
  for (std::size_t i = 0; i < values.size(); ++i) {
    check(values[i].numel() == 1,
          "backward: each value must have one element, got the shape {} for value {}",
          values[i].shape(), i);
    seeds.push_back(ones_like(values[i].value()));
  }
  run_backward(values, seeds, {}, options);
}

Tensor jacobian(const std::function<Variable(const Variable&)>& f, const Tensor& x) {
  const SetGradEnabled recording(true);
  const Variable point(x, true);
  const Variable y = f(point);
  const Variable elements = flatten(y);
  Tensor rows = zeros({y.numel(), x.numel()}, x.dtype());
  for (std::int64_t i = 0; i < y.numel() && y.requires_grad(); ++i) {
    const Variable row = grad(elements[i], {point}, {.retain_graph = true})[0];
    rows[i].copy_(flatten(row.value()));
  }
  Shape shape = y.shape();
  for (int d = 0; d < x.dim(); ++d) shape.push_back(x.size(d));
  return reshape(rows, shape);
}

Tensor hessian(const std::function<Variable(const Variable&)>& f, const Tensor& x) {
  return jacobian(
      [&](const Variable& point) {
        const Variable y = f(point);
        check(y.numel() == 1, "hessian: f(x) must have one element, got the shape {}",
              y.shape());
        if (!y.requires_grad()) return Variable(zeros_like(x));
        return grad(y, {point}, {.create_graph = true})[0];
      },
      x);
}

}  // namespace heed
