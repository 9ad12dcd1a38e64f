#include "data/dataset.h"

#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"

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

std::vector<Tensor> random_parts(std::int64_t size, const std::vector<Size>& lengths,
                                 Generator& generator) {
  std::int64_t sum = 0;
  for (const std::int64_t length : lengths) {
    check(length >= 0, "random_split: a length must not be negative, got {}", length);
    check(length <= size, "random_split: a length must be at most {}, got {}", size,
          length);
    sum += length;
    if (sum > size) break;  // further lengths could make it overflow
  }
  check(sum == size,
        "random_split: the lengths must sum to the size of the dataset, {}, got {}", size,
        sum);
  const Tensor order = randperm(size, generator);
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
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
