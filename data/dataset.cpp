#include "data/dataset.h"

#include <cmath>

#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tensor/indexing/joining.h"
#include "tensor/reduce/reductions.h"
#include "tensor/reduce/sorting.h"

namespace heed::data {
namespace detail {

void check_first_dimensions(std::span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    check(tensor.dim() > 0,
          "TensorDataset: a tensor must have a dimension of examples, got a scalar");
    check(tensor.size(0) == tensors[0].size(0),
          "TensorDataset: the tensors must have equal first sizes, got {} and {}",
          tensors[0].shape(), tensor.shape());
  }
}

void select_rows(std::span<const Tensor> tensors, const Tensor& indices,
                 std::span<Tensor> rows) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    rows[i] = index_select(tensors[i], 0, indices);
  }
}

void check_indices(const char* dataset, std::int64_t size, const Tensor& indices) {
  check(indices.dtype() == int64 && indices.dim() == 1,
        "{}: the indices must be int64 (n), got {} {}", dataset, name(indices.dtype()),
        indices.shape());
  if (indices.numel() == 0) return;
  for (const Tensor& index : {min(indices), max(indices)}) {
    const auto i = index.item<std::int64_t>();
    check(0 <= i && i < size, "{}: an index must be from 0 to {}, got {}", dataset,
          size - 1, i);
  }
}

std::int64_t example_of(const char* dataset, std::int64_t size, std::int64_t i) {
  check(-size <= i && i < size, "{}: the example must be from {} to {}, got {}", dataset,
        -size, size - 1, i);
  return i < 0 ? i + size : i;
}

Sides sides_of(const Tensor& indices, std::int64_t first_size, std::int64_t second_size) {
  check_indices("ConcatDataset", first_size + second_size, indices);
  const Tensor is_first = indices < first_size;
  // The places of the rows in the batch, those of the first dataset first.
  const Tensor places = flatten(cat({nonzero(is_first), nonzero(!is_first)}));
  return {indices[is_first], indices[!is_first] - first_size, argsort(places)};
}

Tensor merged(const Tensor& first, const Tensor& second, const Tensor& rows) {
  return index_select(cat({first, second}), 0, rows);
}

namespace {

// The numbers of examples that the lengths of random_split mean.
std::vector<std::int64_t> part_sizes(std::int64_t size, std::span<const Number> lengths) {
  double total = 0;
  for (const Number& length : lengths) total += length.real();
  const bool fractions = total <= 1 && total >= 1 - 1e-9;
  std::vector<std::int64_t> sizes;
  std::int64_t sum = 0;
  for (const Number& length : lengths) {
    const double x = length.real();
    if (fractions) {
      check(0 <= x && x <= 1, "random_split: a fraction must be from 0 to 1, got {}", x);
      sizes.push_back(static_cast<std::int64_t>(static_cast<double>(size) * x));
    } else {
      check(x == std::floor(x),
            "random_split: the lengths must be whole numbers, or fractions that sum to "
            "1; got {}, and the sum {}",
            x, total);
      sizes.push_back(length.as<std::int64_t>("random_split"));
    }
    const std::int64_t n = sizes.back();
    check(n >= 0, "random_split: a length must not be negative, got {}", n);
    check(n <= size, "random_split: a length must be at most {}, got {}", size, n);
    sum += n;
    if (sum > size) break;  // further lengths could make it overflow
  }
  if (fractions) {
    for (std::size_t i = 0; sum < size; i = (i + 1) % sizes.size(), ++sum) ++sizes[i];
  }
  check(sum == size,
        "random_split: the lengths must sum to the size of the dataset, {}, got {}", size,
        sum);
  return sizes;
}

}  // namespace

std::vector<Tensor> random_parts(std::int64_t size, std::span<const Number> lengths,
                                 Generator& generator) {
  const std::vector<std::int64_t> sizes = part_sizes(size, lengths);
  const Tensor order = randperm(size, generator);
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  for (const std::int64_t length : sizes) {
    parts.push_back(slice(order, 0, begin, begin + length));
    begin += length;
  }
  return parts;
}

}  // namespace detail

TokenDataset::TokenDataset(Tensor tokens, Size length)
    : tokens_(std::move(tokens)), length_(length) {
  check(tokens_.dtype() == int64 && tokens_.dim() == 1,
        "TokenDataset: the tokens must be int64 (n), got {} {}", name(tokens_.dtype()),
        tokens_.shape());
  check(length_ >= 1 && tokens_.numel() > length_,
        "TokenDataset: the length of a piece must be from 1 to less than the number of "
        "tokens, got {} and {} tokens",
        length_, tokens_.numel());
}

TokenBatch TokenDataset::operator[](const Tensor& places) const {
  check(places.dtype() == int64 && places.dim() == 1,
        "TokenDataset: the places must be int64 (batch), got {} {}", name(places.dtype()),
        places.shape());
  const Tensor list = places.contiguous();
  for (const std::int64_t place :
       std::span(list.data<std::int64_t>(), static_cast<std::size_t>(list.numel()))) {
    check(place >= 0 && place < size(),
          "TokenDataset: a place must be from 0 to {}, got {}", size() - 1, place);
  }
  const Tensor all = unsqueeze(list, 1) + arange(length_ + 1);  // (batch, length + 1)
  const Tensor tokens = reshape(index_select(tokens_, 0, flatten(all)), all.shape());
  // As copies: a program may write to the inputs, to hide tokens, and needs the targets.
  return {slice(tokens, 1, 0, length_).clone(), slice(tokens, 1, 1).clone()};
}

}  // namespace heed::data
