// Datasets: numbered examples, several of which are taken at once.
//
// A dataset has size(), the number of its examples, and operator[](indices), which takes
// int64 indices (batch) and gives those examples together, as a struct or an array of
// tensors whose first dimension is the batch. A struct of yours with these two is one
// too: DataLoader (data_loader.h) takes any.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tensor/core/tensor.h"
#include "tensor/random/random.h"

namespace heed::data {

template <class T>
concept Dataset = requires(const T& dataset, const Tensor& indices) {
  { dataset.size() } -> std::convertible_to<std::int64_t>;
  dataset[indices];
};

namespace detail {
void check_first_dimensions(std::span<const Tensor> tensors);
void select_rows(std::span<const Tensor> tensors, const Tensor& indices,
                 std::span<Tensor> rows);
}  // namespace detail

// Tensors of one first dimension, for example inputs and labels: example i is row i of
// each. torch.utils.data.TensorDataset.
//
//   data::TensorDataset dataset(x, y);             // x (n, ...), y (n)
//   auto [inputs, labels] = dataset[tensor({2, 0})];
template <std::size_t N>
class TensorDataset {
 public:
  // Throws Error unless all tensors have a first dimension, of one size.
  template <std::convertible_to<Tensor>... Tensors>
  requires(sizeof...(Tensors) == N) explicit TensorDataset(Tensors... tensors)
      : TensorDataset(std::array<Tensor, N>{std::move(tensors)...}) {}
  explicit TensorDataset(std::array<Tensor, N> tensors) : tensors_(std::move(tensors)) {
    detail::check_first_dimensions(tensors_);
  }

  std::int64_t size() const { return tensors_[0].size(0); }
  // The rows of these indices, int64 (batch), of each tensor: (batch, ...). Throws Error
  // for an index that is not from 0 to size() - 1.
  std::array<Tensor, N> operator[](const Tensor& indices) const {
    std::array<Tensor, N> rows;
    detail::select_rows(tensors_, indices, rows);
    return rows;
  }
  // Example i alone, views without the dimension of the batch; -1 is the last one. Throws
  // Error when there is no such example.
  std::array<Tensor, N> operator[](Integer i) const {
    std::array<Tensor, N> rows;
    for (std::size_t k = 0; k < N; ++k) rows[k] = tensors_[k][i];
    return rows;
  }
  const std::array<Tensor, N>& tensors() const& { return tensors_; }
  // Of a temporary by value, so that it outlives the dataset.
  std::array<Tensor, N> tensors() && { return std::move(tensors_); }

 private:
  std::array<Tensor, N> tensors_;
};

template <std::convertible_to<Tensor>... Tensors>
TensorDataset(Tensors...) -> TensorDataset<sizeof...(Tensors)>;
template <std::size_t N>
TensorDataset(std::array<Tensor, N>) -> TensorDataset<N>;

namespace detail {
// Throws Error, naming the dataset, unless the indices are int64 (n) and from 0 to
// size - 1.
void check_indices(const char* dataset, std::int64_t size, const Tensor& indices);
// i, or size + i if it is negative. Throws Error, naming the dataset, when there is no
// such example.
std::int64_t example_of(const char* dataset, std::int64_t size, std::int64_t i);
}  // namespace detail

// Some examples of a dataset: example i is example indices[i] of the whole.
// torch.utils.data.Subset.
template <Dataset D>
class Subset {
 public:
  // `indices` are int64 (n). Throws Error for another dtype or shape, and for an index
  // that is not from 0 to dataset.size() - 1.
  Subset(D dataset, Tensor indices)
      : dataset_(std::move(dataset)), indices_(std::move(indices)) {
    detail::check_indices("Subset", dataset_.size(), indices_);
  }

  std::int64_t size() const { return indices_.numel(); }
  const D& dataset() const& { return dataset_; }
  D dataset() && { return std::move(dataset_); }
  Tensor indices() const { return indices_; }
  // Throws Error as the constructor does, with size() in place of dataset.size().
  auto operator[](const Tensor& indices) const {
    detail::check_indices("Subset", size(), indices);
    return dataset_[indices_[indices]];
  }
  // Example i alone, as the dataset gives it; -1 is the last one. Throws Error when there
  // is no such example.
  auto operator[](Integer i) const requires requires(const D& d) { d[i]; }
  {
    const Tensor index = indices_[detail::example_of("Subset", size(), i)];
    return dataset_[index.item<std::int64_t>()];
  }

 private:
  D dataset_;
  Tensor indices_;
};

namespace detail {
// The indices in each of the datasets, and where the rows of a batch stand when those of
// the second follow those of the first. Throws Error as check_indices() does.
struct Sides {
  Tensor first, second, rows;
};
Sides sides_of(const Tensor& indices, std::int64_t first_size, std::int64_t second_size);
// The rows of two batches as one, in the order of the indices.
Tensor merged(const Tensor& first, const Tensor& second, const Tensor& rows);
}  // namespace detail

// The examples of two datasets one after the other, for batches that are arrays of
// Tensors. One of the two may be a ConcatDataset. torch.utils.data.ConcatDataset.
template <Dataset A, Dataset B>
class ConcatDataset {
 public:
  ConcatDataset(A first, B second)
      : first_(std::move(first)), second_(std::move(second)) {}

  std::int64_t size() const { return first_.size() + second_.size(); }
  // Throws Error for an index that is not from 0 to size() - 1.
  auto operator[](const Tensor& indices) const {
    const auto sides = detail::sides_of(indices, first_.size(), second_.size());
    auto batch = first_[sides.first];
    const decltype(batch) other = second_[sides.second];
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch[i] = detail::merged(batch[i], other[i], sides.rows);
    }
    return batch;
  }
  // Example i alone; -1 is the last one. Throws Error when there is no such example.
  auto operator[](Integer i) const {
    const std::int64_t at = detail::example_of("ConcatDataset", size(), i);
    const std::int64_t n = first_.size();
    return at < n ? first_[at] : second_[at - n];
  }

 private:
  A first_;
  B second_;
};

namespace detail {
// A random order of the numbers below `size`, in parts of these lengths.
std::vector<Tensor> random_parts(std::int64_t size, std::span<const Number> lengths,
                                 Generator& generator);
}  // namespace detail

// The examples in random order, as several datasets of these sizes; the same split as
// torch.utils.data.random_split for the same seed. Lengths that sum to 1 are fractions:
// each part gets that many of the examples, rounded down, and those that are left go to
// the first parts, one each. Throws Error unless the lengths are at least 0 and sum to
// the size of the dataset, or to 1.
//
//   auto [train, val] = data::random_split(dataset, {0.8, 0.2});
template <Dataset D, std::size_t N>
std::array<Subset<D>, N> random_split(const D& dataset, const Number (&lengths)[N],
                                      Generator& generator = default_generator()) {
  const auto parts = detail::random_parts(dataset.size(), lengths, generator);
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<Subset<D>, N>{Subset<D>(dataset, parts[i])...};
  }
  (std::make_index_sequence<N>());
}
// The same for lengths whose number is known when the program runs.
template <Dataset D, Arithmetic Length>
std::vector<Subset<D>> random_split(const D& dataset, const std::vector<Length>& lengths,
                                    Generator& generator = default_generator()) {
  const std::vector<Number> numbers(lengths.begin(), lengths.end());
  std::vector<Subset<D>> parts;
  for (Tensor& indices : detail::random_parts(dataset.size(), numbers, generator)) {
    parts.emplace_back(dataset, std::move(indices));
  }
  return parts;
}

// Pieces of a text and, for each token, the one that follows it: both (batch, length),
// each with elements of its own.
struct TokenBatch {
  Tensor inputs, targets;
};

// What a language model learns from: example i is the piece of `length` tokens that
// begins at token i.
class TokenDataset {
 public:
  // `tokens` are int64 (n). Throws Error unless n > length >= 1.
  TokenDataset(Tensor tokens, Size length);

  std::int64_t size() const { return tokens_.numel() - length_; }
  // The pieces that begin at these places, int64 (batch). Throws Error for a place that
  // is not from 0 to size() - 1.
  TokenBatch operator[](const Tensor& places) const;

 private:
  Tensor tokens_;
  std::int64_t length_;
};

}  // namespace heed::data
