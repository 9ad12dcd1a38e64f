#include "autograd/index_put.h"

namespace heed {
namespace {

// For masks the indices of their trues.
std::vector<Tensor> without_masks(const char* op, const Shape& shape,
                                  const std::vector<Tensor>& indices) {
  std::vector<Tensor> numbers;
  for (const Tensor& index : indices) {
    if (index.dtype() != boolean) {
      numbers.push_back(index);
      continue;
    }
    for (int d = 0; d < index.dim(); ++d) {
      const int at = static_cast<int>(numbers.size()) + d;
      check(at < shape.rank() && index.size(d) == shape[at],
            "{}: a mask must have the sizes of the dimensions in its place, got {} for "
            "the shape {}",
            op, index.shape(), shape);
    }
    for (const Tensor& column : unbind(nonzero(index), 1)) numbers.push_back(column);
  }
  return numbers;
}

// Where the elements are in x with its first `dims` dimensions flattened into one.
struct Places {
  Tensor places;
  int dims;
};
Places places_of(const char* op, const Shape& shape, const Indices& indices) {
  const std::vector<Tensor> numbers = without_masks(op, shape, indices.tensors());
  const int dims = static_cast<int>(numbers.size());
  check(0 < dims && dims <= shape.rank(),
        "{}: there must be an index for one or more of the dimensions of {}, got {}", op,
        shape, dims);
  Tensor places = zeros({}, int64);
  for (int d = 0; d < dims; ++d) {
    const Tensor& index = numbers[d];
    const std::int64_t n = shape[d];
    check(index.dtype() == int64, "{}: an index must be int64 or bool, got {}", op,
          name(index.dtype()));
    for (const std::int64_t i : index.to_vector<std::int64_t>()) {
      check(-n <= i && i < n,
            "{}: the index of dimension {} must be from {} to {}, got {}", op, d, -n,
            n - 1, i);
    }
    const Tensor from_start = where(index < 0, index + tensor(n), index);
    broadcast(op, places.shape(), index.shape());  // throws in the name of `op`
    places = places * tensor(n) + from_start;
  }
  return {places, dims};
}

}  // namespace

template <Array X>
X index(const X& x, const Indices& indices) {
  const auto [places, dims] = places_of("index", x.shape(), indices);
  Shape shape = places.shape();
  for (int d = dims; d < x.dim(); ++d) shape.push_back(x.size(d));
  const X rows = flatten(x, 0, dims - 1);  // (places, ...)
  return reshape(index_select(rows, 0, flatten(places)), shape);
}

template <Array X, Array V>
Joint<X, V> index_put(const X& x, const Indices& indices, const V& values,
                      bool accumulate) {
  const auto [places, dims] = places_of("index_put", x.shape(), indices);
  Shape shape = places.shape();  // of what is replaced
  for (int d = dims; d < x.dim(); ++d) shape.push_back(x.size(d));
  check(broadcasts_to(values.shape(), shape),
        "index_put: the values must broadcast to {}, got {}", shape, values.shape());
  check_same_dtype("index_put", detail::value_of(x), detail::value_of(values));
  const X rows = flatten(x, 0, dims - 1);  // (places, ...)
  Shape each = rows.shape();
  each[0] = places.numel();
  const V source = reshape(expand(values, shape), each);
  if (accumulate) {
    return reshape(index_add(rows, 0, flatten(places), source), x.shape());
  }
  Shape column = each;
  for (int d = 1; d < column.rank(); ++d) column[d] = 1;
  const Tensor index = expand(reshape(places, column), each);
  return reshape(scatter(rows, 0, index, source), x.shape());
}

template <Array X>
X index_put(const X& x, const Indices& indices, Number value, bool accumulate) {
  return index_put(x, indices, full({}, value, x.dtype()), accumulate);
}

template <Array X>
X index_fill(const X& x, Dim dim, const Tensor& index, Number value) {
  const int along = normalize_dim("index_fill", dim, x.dim());
  check(index.dim() <= 1, "index_fill: the index must be a number or a vector, got {}",
        index.shape());
  Shape shape = x.shape();
  for (int d = 0; d < x.dim(); ++d) {
    if (d != along) shape[d] = 1;
  }
  const Tensor named =
      detail::origins("index_fill", {count(shape)}, 0, flatten(index)) > 0;
  return masked_fill(x, reshape(named, shape), value);
}

// For both kinds.
template Tensor index(const Tensor&, const Indices&);
template Variable index(const Variable&, const Indices&);
template Tensor index_put(const Tensor&, const Indices&, const Tensor&, bool);
template Variable index_put(const Tensor&, const Indices&, const Variable&, bool);
template Variable index_put(const Variable&, const Indices&, const Tensor&, bool);
template Variable index_put(const Variable&, const Indices&, const Variable&, bool);
template Tensor index_put(const Tensor&, const Indices&, Number, bool);
template Variable index_put(const Variable&, const Indices&, Number, bool);
template Tensor index_fill(const Tensor&, Dim, const Tensor&, Number);
template Variable index_fill(const Variable&, Dim, const Tensor&, Number);

}  // namespace heed
