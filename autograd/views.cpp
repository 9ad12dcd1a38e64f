#include "autograd/views.h"

#include "autograd/indexing.h"
#include "autograd/record.h"

namespace heed {
namespace {

// An op that only changes the shape: the gradient takes the input's shape again.
Variable reshaped(const char* name, Tensor value, const Variable& x) {
  return record({name, "dx = g in the shape of x"}, std::move(value),
                rule(x, [before = x.shape()](auto& g) { return reshape(g, before); }));
}

// The pieces that the tensor layer cuts x into, each as a recorded slice.
std::vector<Variable> slices(const Variable& x, const std::vector<Tensor>& pieces,
                             Dim dim) {
  std::vector<Variable> result;
  std::int64_t start = 0;
  for (const Tensor& piece : pieces) {
    const std::int64_t stop = start + piece.size(dim);
    result.push_back(slice(x, dim, start, stop));
    start = stop;
  }
  return result;
}

}  // namespace

Variable Variable::contiguous() const {
  if (value_.is_contiguous()) return *this;
  return reshaped("contiguous", value_.contiguous(), *this);
}

Variable Variable::clone() const { return reshaped("clone", value_.clone(), *this); }

Variable reshape(const Variable& x, const Shape& shape) {
  return reshaped("reshape", reshape(x.value(), shape), x);
}

Variable view(const Variable& x, const Shape& shape) {
  return reshaped("view", view(x.value(), shape), x);
}

Variable flatten(const Variable& x, Dim start, Dim end) {
  return reshaped("flatten", flatten(x.value(), start, end), x);
}

Variable squeeze(const Variable& x) { return reshaped("squeeze", squeeze(x.value()), x); }

Variable squeeze(const Variable& x, Dim dim) {
  return reshaped("squeeze", squeeze(x.value(), dim), x);
}

Variable unsqueeze(const Variable& x, Dim dim) {
  return reshaped("unsqueeze", unsqueeze(x.value(), dim), x);
}

Variable transpose(const Variable& x, Dim a, Dim b) {
  return record({"transpose", "dx = g transposed back"}, transpose(x.value(), a, b),
                rule(x, [a, b](auto& g) { return transpose(g, a, b); }));
}

Variable permute(const Variable& x, const Dims& dims) {
  Tensor value = permute(x.value(), dims);
  Dims inverse = dims;
  for (int i = 0; i < dims.rank(); ++i) {
    inverse[normalize_dim("permute", dims[i], x.dim())] = i;
  }
  return record({"permute", "dx = g in the order of x"}, std::move(value),
                rule(x, [inverse](auto& g) { return permute(g, inverse); }));
}

// backward sums g to the shape of x.
Variable expand(const Variable& x, const Shape& shape) {
  return record({"expand", "dx = g, summed to the shape of x"}, expand(x.value(), shape),
                rule(x, [](auto& g) { return g; }));
}

// x[start:stop:step]
Variable slice(const Variable& x, Dim dim, Integer start, Integer stop, Integer step) {
  return record({"slice", "dx = zeros with g in that place"},
                slice(x.value(), dim, start, stop, step),
                rule(x, [dim, start, step](auto& g) {
                  return SliceGradient{g, dim, start, step};
                }));
}

// x[index]
Variable select(const Variable& x, Dim dim, Integer index) {
  return record({"select", "dx = zeros with g in that place"},
                select(x.value(), dim, index),
                rule(x, [dim = normalize_dim("select", dim, x.dim()), index](auto& g) {
                  return SliceGradient{unsqueeze(g, dim), dim, index, 1};
                }));
}

std::vector<Variable> split(const Variable& x, Size size, Dim dim) {
  return slices(x, split(x.value(), size, dim), dim);
}

std::vector<Variable> split_with_sizes(const Variable& x,
                                       const std::vector<std::int64_t>& sizes, Dim dim) {
  return slices(x, split_with_sizes(x.value(), sizes, dim), dim);
}

std::vector<Variable> chunk(const Variable& x, Size chunks, Dim dim) {
  return slices(x, chunk(x.value(), chunks, dim), dim);
}

}  // namespace heed
