// Attention forwards. For each head the keys are packed once; then w queries at a time,
// as many as the micro-kernel's tile has columns (32 floats on AVX-512), go through
//
//   Sᵀ = scale K Qᵀ     (keys, w), tile by tile; plus the bias
//   Eᵀ = exp(Sᵀ - max)  down the columns, in place; the sums; then dropout
//   Oᵀ = Vᵀ Eᵀ          (value features, w), divided by the sums
//
// Turned round like this, the scores of a query are a column: its exponentials and sums
// are computed for w queries at once, and what the first product writes is, as it
// stands, a packed operand of the second. A thread holds a head's packed keys and
// values, and the scores of w queries. Keys beyond the longest of the w lens are left
// out, so causal attention is half the work.
//
// A few queries would leave most columns of a tile empty: they go row by row, in
// attention_rows.cpp.
//
// All scores of a query are in memory at once, so the plain softmax serves; Rabe and
// Staats (2021) and Dao et al. (2022) cut the keys as well, and must correct their sums.
// panels.h explains how operands are packed, blis.h the tiles.
#include "tensor/attention/attention.h"

#include <limits>
#include <optional>
#include <utility>

#include "tensor/attention/attention_heads.h"
#include "tensor/core/factories.h"

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

// As many queries of a head as a tile of the micro-kernel has columns.
struct Block {
  int64_t head, first, count;
  int64_t lens[blis::widest_tile], longest;

  template <class T>
  Block(const AttentionOperands<T>& heads, int64_t i) {
    const int64_t width = blis::tile_kernel<T>().columns;
    const int64_t blocks = ceil_div(heads.queries, width);
    head = i / blocks;
    first = i % blocks * width;
    count = std::min(width, heads.queries - first);
    longest = heads.valid_lens.read(head, first, first + count, lens);
    std::fill(lens + count, lens + width, longest);  // columns that nobody looks at
  }
};

// What one thread does, and its memory.
template <class T>
class Forward {
 public:
  Forward(const AttentionOperands<T>& heads, const Results<T>& results)
      : h_(heads),
        results_(results),
        keys_(h_.keys, tile_rows_, h_.features),
        values_(h_.value_features, tile_rows_, h_.keys),
        queries_(tile_columns_, tile_columns_, h_.features),
        bias_(tile_columns_, tile_columns_, h_.bias ? h_.keys : 0),
        scores_(keys_.count() * tile_size_ + multiply_.slack),
        output_(values_.count() * tile_size_) {}

  void compute_blocks(int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Block block(h_, i);
      if (i == begin || block.first == 0) pack_head(block.head);
      compute_block(block);
    }
  }

 private:
  const AttentionOperands<T>& h_;
  const Results<T>& results_;
  const blis::TileKernel<T>& multiply_ = blis::tile_kernel<T>();
  const int64_t tile_rows_ = multiply_.rows, tile_columns_ = multiply_.columns;
  const kernels::ProductKernels<T>& loops_ = kernels::get<kernels::ProductKernels<T>>();
  const int64_t tile_size_ = tile_rows_ * tile_columns_;
  Packed<T> keys_, values_, queries_, bias_;  // values_ is Vᵀ
  Buffer<T> scores_, output_;                 // Sᵀ, then Eᵀ; Oᵀ

  void pack_head(int64_t head) {
    keys_.pack(h_.keys, h_.features, h_.key[head], h_.key.row_step, h_.key.column_step);
    values_.pack(h_.value_features, h_.keys, h_.value[head], h_.value.column_step,
                 h_.value.row_step);
  }

  void compute_block(const Block& block) {
    const int64_t width = tile_columns_, first = block.first, longest = block.longest;
    T* const scores = scores_.first();
    queries_.pack(block.count, h_.features,
                  h_.query[block.head] + first * h_.query.row_step, h_.query.row_step,
                  h_.query.column_step);
    // Sᵀ = scale K Qᵀ
    for (int64_t t = 0; t < ceil_div(longest, tile_rows_); ++t) {
      multiply_(h_.features, keys_[t], queries_[0], scores + t * tile_size_, width,
                h_.scale);
    }
    if (h_.bias) {
      const Matrices<const T>& bias = *h_.bias;
      bias_.pack(block.count, longest, bias[block.head] + first * bias.row_step,
                 bias.row_step, bias.column_step);
      kernels::get<kernels::AttentionKernels<T>>().add_bias(longest, width, bias_[0],
                                                            width, 1, scores, width);
    }
    // Eᵀ in place; the largest scores and 1 / Σ, for the way back too
    T largest[blis::widest_tile], inverse_sums[blis::widest_tile];
    kernels::get<kernels::AttentionKernels<T>>().exp_columns(
        longest, width, block.lens, scores, largest, inverse_sums);
    const int64_t at = block.head * h_.queries + first;
    for (int64_t j = 0; j < block.count; ++j) {
      const bool sees = block.lens[j] > 0;
      results_.largest[at + j] = sees ? largest[j] : T{0};
      results_.inverse_sums[at + j] = sees ? inverse_sums[j] : T{0};
    }
    if (results_.weights) write_weights(block, inverse_sums, *results_.weights);
    if (h_.bits) {
      kernels::get<kernels::AttentionKernels<T>>().drop_columns(
          longest, width, block.count, h_.bits_of(block.head, first), h_.words, scores);
      for (int64_t j = 0; j < width; ++j) inverse_sums[j] *= h_.stay_factor;
    }
    // Oᵀ = Vᵀ Eᵀ, divided as it is written
    for (int64_t t = 0; t < values_.count(); ++t) {
      multiply_(longest, values_[t], scores, output_.first() + t * tile_size_, width);
    }
    write(block, h_.value_features, output_.first(), inverse_sums, results_.output);
  }

  void write_weights(const Block& block, const T* inverse_sums,
                     const Matrices<T>& to) const {
    write(block, block.longest, scores_.first(), inverse_sums, to);
    T* row = to[block.head] + block.first * to.row_step;
    for (int64_t j = 0; j < block.count; ++j, row += to.row_step) {
      std::fill(row + block.lens[j], row + h_.keys, T{0});
      h_.clear_hidden(block.head, block.first + j, block.lens[j], row);
    }
  }

  // Writes the columns of x (n, tile columns), each times its factor, to the block's rows
  // of `to`; zeros for a query that sees no key.
  void write(const Block& block, int64_t n, const T* x, const T* factors,
             const Matrices<T>& to) const {
    T* row = to[block.head] + block.first * to.row_step;
    loops_.transpose(n, block.count, x, tile_columns_, row, to.row_step);
    for (int64_t j = 0; j < block.count; ++j, row += to.row_step) {
      if (block.lens[j] > 0) {
        loops_.scale(n, row, 1, factors[j], row);
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
  const int64_t width = blis::tile_kernel<T>().columns;
  std::vector<int64_t> work;
  for (int64_t i = 0; i < heads.count * ceil_div(heads.queries, width); ++i) {
    work.push_back(Block(heads, i).longest * width *
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
  const bool by_rows = query.size(-2) <= few_queries;
  const Shape rows = without_last(query.shape(), 1);
  AttentionResult result;
  result.output = rows_like(query, value.size(-1));
  if (!by_rows) {
    result.largest = zeros(rows, query.dtype());
    result.inverse_sums = zeros(rows, query.dtype());
  }
  // Without results there may be more keys than memory could hold scores.
  const bool has_output = result.output.numel() > 0;
  // A tensor of its own until the end: `weights` may be the place of an operand.
  Tensor probabilities;
  if (weights || (by_rows && has_output)) {
    probabilities = empty(append(rows, {key.size(-2)}), query.dtype());
  }
  if (has_output || has_elements(probabilities)) {
    const auto laid_out = [&](const Tensor& x) {
      return by_rows ? with_dense_rows(x) : x;
    };
    const Tensor q = laid_out(query), k = laid_out(key), v = laid_out(value);
    const AttentionOptions read = keep_as_bias(options, query, key);
    dispatch_floating(op, query.dtype(), [&]<class T>() {
      const AttentionOperands<T> operands(q, k, v, read, scale);
      if (by_rows) {
        attention_by_rows(operands, result, probabilities);
      } else {
        attention_in_tiles(operands, result, weights ? &probabilities : nullptr);
      }
    });
  }
  if (by_rows) result.weights = probabilities;
  // The caller may write into its weights, and the backward needs these.
  if (weights) *weights = by_rows ? probabilities.clone() : std::move(probabilities);
  return result;
}

}  // namespace heed
