// What the two directions of attention share: the operands, head by head, and the sharing
// out of the work. Not for users.
//
// A head is one (queries, features) matrix of a batch with its keys and values; which of
// the leading dimensions means the batch and which the heads makes no difference here.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/attention/attention.h"
#include "tensor/attention/attention_kernels.h"
#include "tensor/core/buffer.h"
#include "tensor/core/parallel.h"
#include "tensor/core/tensor.h"
#include "tensor/kernels/level.h"
#include "tensor/product/matrix.h"
#include "tensor/product/panels.h"
#include "tensor/product/tile_kernels.h"

namespace heed {

// The matrices of a tensor (..., rows, columns), wherever they lie.
template <class T>
struct Matrices {
  T* first;
  Shape shape;
  Strides strides;
  std::int64_t row_stride, column_stride;

  Matrices(const Tensor& x, T* first)
      : first(first),
        shape(x.shape()),
        strides(x.strides()),
        row_stride(strides[x.dim() - 2]),
        column_stride(strides[x.dim() - 1]) {}

  // Where matrix i begins.
  T* operator[](std::int64_t i) const {
    std::int64_t at = 0;
    for (int d = shape.rank() - 3; d >= 0; --d) {
      at += i % shape[d] * strides[d];
      i /= shape[d];
    }
    return first + at;
  }
};

template <class T>
Matrices<const T> matrices(const Tensor& x) {
  return {x, x.data<T>()};
}
template <class T>
Matrices<T> mutable_matrices(Tensor& x) {
  return {x, x.mutable_data<T>()};
}

// How many columns a tile of a product has.
template <class T>
std::int64_t tile_columns() {
  return kernels::get<kernels::TileKernels<T>>().tile_columns;
}
// How many of them to compute where n are needed: half, which is one vector, if that is
// enough, else all.
template <class T>
std::int64_t columns_for(std::int64_t n) {
  return n <= tile_columns<T>() / 2 ? tile_columns<T>() / 2 : tile_columns<T>();
}

// Whether there is such an operand, and it has elements.
inline bool has_elements(const Tensor& x) { return x.defined() && x.numel() > 0; }

// The number of keys that count for each query: query i sees none from lens[i] on.
class ValidLens {
 public:
  // lens broadcasts to (..., queries); without elements all keys count for every query.
  ValidLens(const Tensor& lens, const Tensor& query, std::int64_t keys);

  // Writes the lens of queries begin to end - 1 of a head. Returns the largest.
  std::int64_t read(std::int64_t head, std::int64_t begin, std::int64_t end,
                    std::int64_t* lens) const;
  // Whether two heads read their lens from the same place.
  bool are_same(std::int64_t head, std::int64_t other) const {
    return !lens_ || (*lens_)[head] == (*lens_)[other];
  }

 private:
  std::optional<Matrices<const std::int64_t>> lens_;  // (..., queries, 1)
  std::int64_t keys_;
};

// Throws Error, naming `op`, unless the operands fit together.
void check_attention(std::string_view op, const Tensor& query, const Tensor& key,
                     const Tensor& value, const AttentionOptions& options);

// The options, already checked, as AttentionOperands reads them. Where `keep` is false,
// the bias is -inf; a query for which `keep` leaves no key has the length 0. A bias has
// all dimensions of the scores, and the bits of the dropout are contiguous.
AttentionOptions options_to_read(const AttentionOptions& options, const Tensor& query,
                                 const Tensor& key);

// An uninitialised tensor of x's shape except the last size, which is `columns`. Its
// rows are contiguous, and lie in memory in the order of x's rows.
Tensor rows_like(const Tensor& x, std::int64_t columns);

// What the loops read: the operands, checked, with options as options_to_read() gives
// them. It holds pointers: the tensors must live on.
template <class T>
struct AttentionOperands {
  std::int64_t count, queries, keys, features, value_features;
  Matrices<const T> query, key, value;
  ValidLens valid_lens;
  T scale;
  std::optional<Matrices<const T>> bias;  // (..., queries, keys)
  const std::int64_t* bits;               // null without dropout
  std::int64_t words;                     // of bits for a query
  T stay_factor;                          // of a weight that dropout leaves

  AttentionOperands(const Tensor& query, const Tensor& key, const Tensor& value,
                    const AttentionOptions& options, double scale)
      : count(1),
        queries(query.size(-2)),
        keys(key.size(-2)),
        features(query.size(-1)),
        value_features(value.size(-1)),
        query(matrices<T>(query)),
        key(matrices<T>(key)),
        value(matrices<T>(value)),
        valid_lens(options.lens, query, keys),
        scale(static_cast<T>(scale)),
        bits(nullptr),
        words(ceil_div(keys, 64)),
        stay_factor(1) {
    for (int d = 0; d < query.dim() - 2; ++d) count *= query.shape()[d];
    if (has_elements(options.bias)) bias = matrices<T>(options.bias);
    if (has_elements(options.dropout_bits)) {
      bits = options.dropout_bits.data<std::int64_t>();
      stay_factor = T{1} / static_cast<T>(options.keep_probability);
    }
  }

  // Sets x[j], weights or their gradients, to 0 for the keys j < n that the bias hides
  // from a query. Weights are 0 there already, unless NaN among the scores has made the
  // whole row NaN.
  void clear_hidden(std::int64_t head, std::int64_t query, std::int64_t n, T* x) const {
    if (!bias) return;
    const T* const row = (*bias)[head] + query * bias->row_stride;
    for (std::int64_t j = 0; j < n; ++j) {
      if (row[j * bias->column_stride] == -std::numeric_limits<T>::infinity()) x[j] = 0;
    }
  }
  // The bits of a query's weights, if there are any.
  const std::int64_t* bits_of(std::int64_t head, std::int64_t query) const {
    return bits ? bits + (head * queries + query) * words : nullptr;
  }
};

// Whether a head has so few queries that they are computed row by row, and not in tiles:
// half a tile takes as long however few of its columns are queries.
inline bool goes_by_rows(const Tensor& query) { return query.size(-2) <= 8; }

// An operand as attention in tiles reads it, that is itself; or as attention by rows
// does: itself, or where its rows are not contiguous a copy.
inline Tensor operand_to_read(const Tensor& x, bool by_rows) {
  return by_rows && x.strides()[x.dim() - 1] != 1 ? x.contiguous() : x;
}

// Both directions of scaled_dot_product_attention for few queries, row by row. The rows
// of the operands and of g are contiguous; `weights` is (..., n, m); of the gradients
// those that have elements are written.
template <class T>
void attention_by_rows(const AttentionOperands<T>& operands, AttentionResult& result,
                       Tensor& weights);
template <class T>
void attention_by_rows_backward(const AttentionOperands<T>& operands, const Tensor& g,
                                const AttentionResult& result,
                                AttentionGradients& gradients);

// The matrices that the wanted gradients are written to.
template <class T>
struct GradientMatrices {
  std::optional<Matrices<T>> query, key, value;

  explicit GradientMatrices(AttentionGradients& gradients)
      : query(of(gradients.query)), key(of(gradients.key)), value(of(gradients.value)) {}

 private:
  static std::optional<Matrices<T>> of(Tensor& x) {
    if (!has_elements(x)) return {};
    return mutable_matrices<T>(x);
  }
};

// How a list of items, given the multiply-adds of each, is shared out.
struct Cuts {
  int threads;
  std::vector<std::int64_t> cuts;  // run i has the items cuts[i] to cuts[i + 1] - 1
};
// Runs of about equal work: several for each thread, if a second thread pays. No more
// threads than runs.
Cuts even_cuts(const std::vector<std::int64_t>& work);

// One worker, made as Worker(args...), for each thread. All are made before threads
// start: taking their memory may throw, and a thread must not. They do not move, hence
// the deque.
template <class Worker>
class Runs {
 public:
  template <class... Args>
  explicit Runs(const std::vector<std::int64_t>& work, const Args&... args)
      : cuts_(even_cuts(work)) {
    for (int i = 0; i < cuts_.threads; ++i) workers_.emplace_back(args...);
  }

  // Calls f(worker, begin, end) for each run, whose items are begin to end - 1.
  template <class F>
  void for_each(const F& f) {
    const auto runs = static_cast<std::int64_t>(cuts_.cuts.size()) - 1;
    parallel_stealing(runs, cuts_.threads, [&](std::int64_t thread, std::int64_t i) {
      f(workers_[thread], cuts_.cuts[i], cuts_.cuts[i + 1]);
    });
  }

 private:
  Cuts cuts_;
  std::deque<Worker> workers_;
};

// The rows of an operand, contiguous and padded to whole vectors, so that
// multiply_panels() (see tile_kernels.h) can read them as either operand: in place where
// they are like that, or copied. Rows that share a set of the L1 cache are copied too;
// and so are rows more than four times as far apart as they are long, for to read these
// again and again takes more time than to copy them.
template <class T>
class PaddedRows {
 public:
  // Of matrices with `columns` columns; `most` of their rows at a time.
  PaddedRows(const Matrices<const T>& x, std::int64_t most, std::int64_t columns)
      : x_(x),
        columns_(columns),
        vector_(tile_columns<T>() / 2),
        is_copied_(x.column_stride != 1 || columns % vector_ != 0 ||
                   4 * columns < x.row_stride || share_a_set<T>(x.row_stride)),
        stride_(is_copied_ ? ceil_div(columns, vector_) * vector_ : x.row_stride),
        memory_(is_copied_ ? most * stride_ : 0) {}

  // Reads `count` rows of a head from `first` on.
  void read(std::int64_t head, std::int64_t first, std::int64_t count) {
    const T* from = x_[head] + first * x_.row_stride;
    first_ = from;
    if (!is_copied_) return;
    first_ = memory_.first();
    for (std::int64_t i = 0; i < count; ++i, from += x_.row_stride) {
      T* const row = memory_.first() + i * stride_;
      if (x_.column_stride == 1) {  // a memcpy(), which is faster than the loop
        std::copy_n(from, columns_, row);
      } else {
        for (std::int64_t j = 0; j < columns_; ++j) row[j] = from[j * x_.column_stride];
      }
      std::fill(row + columns_, row + stride_, T{0});
    }
  }
  const T* operator[](std::int64_t row) const { return first_ + row * stride_; }
  std::int64_t stride() const { return stride_; }

 private:
  const Matrices<const T>& x_;
  std::int64_t columns_, vector_;
  bool is_copied_;
  std::int64_t stride_;
  Buffer<T> memory_;
  const T* first_ = nullptr;
};

// An operand packed in panels, with memory for the largest that it is made for.
template <class T>
class Packed {
 public:
  Packed(std::int64_t lines, std::int64_t width, std::int64_t depth)
      : panels_(lines, width, depth), memory_(panels_.total()) {}

  void pack(std::int64_t lines, std::int64_t depth, const T* x, std::int64_t stride,
            std::int64_t depth_stride) {
    panels_ = PanelLayout<T>(lines, panels_.width, depth);
    panels_.pack(x, stride, depth_stride, memory_.first());
  }
  const T* first() const { return memory_.first(); }
  std::int64_t size() const { return panels_.size; }  // of a panel

 private:
  PanelLayout<T> panels_;
  Buffer<T> memory_;
};

}  // namespace heed
