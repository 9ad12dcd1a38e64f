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
  const Tensor all = unsqueeze(places, 1) + arange(length_ + 1);  // (batch, length + 1)
  const Tensor tokens = reshape(index_select(tokens_, 0, flatten(all)), all.shape());
  return {slice(tokens, 1, 0, length_), slice(tokens, 1, 1)};
}

}  // namespace heed::data
