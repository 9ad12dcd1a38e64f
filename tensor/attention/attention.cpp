// Attention forwards. For each head w queries at a time, as many as a tile of a product
// has columns (32 floats on AVX-512) or half as many, go through
//
//   Sᵀ = scale K Qᵀ     (keys, w); plus the bias
//   Eᵀ = exp(Sᵀ - max)  down the columns, in place; the sums; then dropout
//   O = E V             (w, value features), divided by the sums
//
// Turned round like this, the scores of a query are a column: its exponentials and sums
// are computed for w queries at once. Qᵀ is packed for each w queries, and so is the
// bias. K and V are read where they are; or where a tile could not read them, or only
// slowly, they are copied, whenever a thread comes to a head: for example where five or
// more heads lie side by side in a projection (see PaddedRows in attention_heads.h, one
// rule for both). A thread holds the scores of w queries, what is packed, and the copies.
// Keys beyond the longest of the w
// lens are left out, so causal attention is about half the work.
//
// A few queries go row by row, in attention_rows.cpp.
//
// All scores of a query are in memory at once, so the plain softmax serves; Rabe and
// Staats (2021) and Dao et al. (2022) cut the keys as well, and must correct their sums.
// worker.h and tile_kernels.h explain the products. kernels::get() gives heed's kernel of
// them at every level. BLIS's, which products use at the baseline level, would ignore the
// strides of the first matrix.
#include "tensor/attention/attention.h"

#include <limits>
#include <optional>
#include <utility>

#include "tensor/attention/attention_heads.h"
#include "tensor/core/factories.h"
#include "tensor/product/tile_kernels.h"
#include "tensor/product/vector_kernels.h"

namespace heed {
namespace {

using std::int64_t;

constexpr std::string_view op = "scaled_dot_product_attention";

template <class T>
struct Results {
  Matrices<T> output;
  T *largest, *inverse_sums;  // (heads, queries), contiguous
  std::optional<Matrices<T>> weights;
};

// The queries of a head that are computed at once: as many as a tile has columns, or half
// as many where that is enough for all.
struct Block {
  int64_t head, first_query, queries;
  int64_t lens[kernels::widest_tile], longest_len;

  template <class T>
  Block(const AttentionOperands<T>& heads, int64_t i) {
    const int64_t width = columns_for<T>(heads.queries);
    const int64_t blocks = ceil_div(heads.queries, width);
    head = i / blocks;
    first_query = i % blocks * width;
    queries = std::min(width, heads.queries - first_query);
    longest_len = heads.valid_lens.read(head, first_query, first_query + queries, lens);
    std::fill(lens + queries, lens + width, longest_len);  // columns of no query
  }
};

// What one thread does, and its memory.
template <class T>
class Forward {
 public:
  Forward(const AttentionOperands<T>& heads, const Results<T>& results)
      : h_(heads),
        results_(results),
        keys_(h_.key, h_.keys, h_.features),
        values_(h_.value, h_.keys, h_.value_features),
        queries_(width_, width_, h_.features),
        bias_(width_, width_, h_.bias ? h_.keys : 0),
        scores_(h_.keys * width_) {}

  void compute_blocks(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Block block(h_, i);
      if (i == begin || block.first_query == 0) {
        keys_.read(block.head, 0, h_.keys);
        values_.read(block.head, 0, h_.keys);
      }
      compute_block(block);
    }
  }

 private:
  const AttentionOperands<T>& h_;
  const Results<T>& results_;
  const kernels::TileKernels<T>& tiles_ = kernels::get<kernels::TileKernels<T>>();
  const kernels::VectorKernels<T>& vectors_ = kernels::get<kernels::VectorKernels<T>>();
  const kernels::AttentionKernels<T>& loops_ =
      kernels::get<kernels::AttentionKernels<T>>();
  const int64_t width_ = columns_for<T>(h_.queries);
  PaddedRows<T> keys_, values_;
  Packed<T> queries_, bias_;
  Buffer<T> scores_;  // Sᵀ, then Eᵀ

  void compute_block(Block& block) {
    const int64_t query = block.first_query, keys = block.longest_len;
    T* const scores = scores_.first();
    queries_.pack(block.queries, h_.features,
                  h_.query[block.head] + query * h_.query.row_stride, h_.query.row_stride,
                  h_.query.column_stride);
    // Sᵀ = scale K Qᵀ
    tiles_.multiply_panels({.m = keys,
                            .n = width_,
                            .k = h_.features,
                            .a = {keys_[0], keys_.stride(), 1},
                            .b = queries_.first(),
                            .b_stride = width_,
                            .panel_stride = 0,  // a single one
                            .c = scores,
                            .c_stride = width_,
                            .scale = h_.scale});
    if (h_.bias) {
      const Matrices<const T>& bias = *h_.bias;
      bias_.pack(block.queries, keys, bias[block.head] + query * bias.row_stride,
                 bias.row_stride, bias.column_stride);
      loops_.add_bias(keys, width_, bias_.first(), width_, 1, scores, width_);
    }
    // Eᵀ in place; the largest scores and 1 / Σ, for the backward pass too
    T largest[kernels::widest_tile], inverse_sums[kernels::widest_tile];
    loops_.exp_columns(keys, width_, block.lens, scores, largest, inverse_sums);
    const int64_t at = block.head * h_.queries + query;
    for (int64_t j = 0; j < block.queries; ++j) {
      // Where the bias hides every key, it is as if the length were 0.
      if (h_.bias && largest[j] == -std::numeric_limits<T>::infinity()) block.lens[j] = 0;
      const bool sees = block.lens[j] > 0;
      results_.largest[at + j] = sees ? largest[j] : T{0};
      results_.inverse_sums[at + j] = sees ? inverse_sums[j] : T{0};
    }
    if (results_.weights) write_weights(block, inverse_sums, *results_.weights);
    if (h_.bits) {
      loops_.drop_columns(keys, width_, block.queries, h_.bits_of(block.head, query),
                          h_.words, scores);
      for (int64_t j = 0; j < width_; ++j) inverse_sums[j] *= h_.stay_factor;
    }
    // O = E V, times 1 / Σ; where no key is seen, only zeros. So many keys at a time
    // that their part of Eᵀ stays in the L1 cache while the panels of V pass.
    const Matrices<T>& output = results_.output;
    T* const out = output[block.head] + query * output.row_stride;
    constexpr int64_t keys_at_once = 128;
    for (int64_t key = 0; key < keys; key += keys_at_once) {
      tiles_.multiply_panels({.m = block.queries,
                              .n = h_.value_features,
                              .k = std::min(keys_at_once, keys - key),
                              .a = {scores + key * width_, 1, width_},  // E: Eᵀ turned
                              .b = values_[key],
                              .b_stride = values_.stride(),
                              .panel_stride = tiles_.tile_columns,
                              .c = out,
                              .c_stride = output.row_stride,
                              .add = key > 0});
    }
    scale_rows(block, h_.value_features, inverse_sums, out, output.row_stride);
  }

  void write_weights(const Block& block, const T* inverse_sums,
                     const Matrices<T>& to) const {
    T* row = to[block.head] + block.first_query * to.row_stride;
    loops_.transpose(block.longest_len, block.queries, scores_.first(), width_, row,
                     to.row_stride);
    scale_rows(block, block.longest_len, inverse_sums, row, to.row_stride);
    for (int64_t j = 0; j < block.queries; ++j, row += to.row_stride) {
      std::fill(row + block.lens[j], row + h_.keys, T{0});
      h_.clear_hidden(block.head, block.first_query + j, block.lens[j], row);
    }
  }

  // Multiplies the block's rows of n elements by their factors; zeros for a query that
  // sees no key, whose column of Eᵀ is NaN.
  void scale_rows(const Block& block, int64_t n, const T* factors, T* row,
                  int64_t stride) const {
    for (int64_t j = 0; j < block.queries; ++j, row += stride) {
      if (block.lens[j] > 0) {
        vectors_.scale(n, row, 1, factors[j], row);
      } else {
        std::fill_n(row, n, T{0});
      }
    }
  }
};

template <class T>
void attention_in_tiles(const AttentionOperands<T>& heads, AttentionResult& result,
                        Tensor* weights) {
  Results<T> results{mutable_matrices<T>(result.output), result.largest.mutable_data<T>(),
                     result.inverse_sums.mutable_data<T>(), std::nullopt};
  if (weights) results.weights = mutable_matrices<T>(*weights);
  const int64_t width = columns_for<T>(heads.queries);
  std::vector<int64_t> work;
  for (int64_t i = 0; i < heads.count * ceil_div(heads.queries, width); ++i) {
    work.push_back(Block(heads, i).longest_len * width *
                   (heads.features + heads.value_features));
  }
  Runs<Forward<T>> runs(work, heads, results);
  runs.for_each([](Forward<T>& forward, int64_t begin, int64_t end) {
    forward.compute_blocks(begin, end);
  });
}

}  // namespace

AttentionResult scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                             const Tensor& value,
                                             const AttentionOptions& options,
                                             double scale, Tensor* weights) {
  check_attention(op, query, key, value, options);
  const bool by_rows = goes_by_rows(query);
  const Shape rows = without_last(query.shape(), 1);
  AttentionResult result;
  result.output = rows_like(query, value.size(-1));
  if (!by_rows) {
    result.largest = zeros(rows, query.dtype());
    result.inverse_sums = zeros(rows, query.dtype());
  }
  // Without elements in the output scores are computed only for `weights`. Otherwise they
  // could be more than memory holds, for a shape whose tensors have no elements.
  const bool has_output = result.output.numel() > 0;
  // A tensor of its own until the end: `weights` may be the place of an operand.
  Tensor probabilities;
  if (weights || (by_rows && has_output)) {
    probabilities = empty(append(rows, {key.size(-2)}), query.dtype());
  }
  if (has_output || has_elements(probabilities)) {
    const Tensor q = operand_to_read(query, by_rows), k = operand_to_read(key, by_rows),
                 v = operand_to_read(value, by_rows);
    const AttentionOptions read = options_to_read(options, query, key);
    dispatch_floating(op, query.dtype(), [&]<class T>() {
      const AttentionOperands<T> operands(q, k, v, read, scale);
      if (by_rows) {
        attention_by_rows(operands, result, probabilities);
      } else {
        attention_in_tiles(operands, result, weights ? &probabilities : nullptr);
      }
    });
  }
  if (by_rows) result.kept_weights = probabilities;
  // The caller may write into its weights, and the backward needs these.
  if (weights) *weights = by_rows ? probabilities.clone() : std::move(probabilities);
  return result;
}

}  // namespace heed
