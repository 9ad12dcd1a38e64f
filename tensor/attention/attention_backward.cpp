// Attention backwards, head by head. Of O = P V with P = softmax(S) and S = scale Q Kᵀ +
// bias, given the gradient G of O:
//
//   dV = Pᵀ G                           as O is a product
//   dP = G Vᵀ
//   dS = P ∘ (dP - rowsum(dP ∘ P))      as ∂P_j / ∂S_k = P_j (1{j = k} - P_k) in a row;
//                                       ∘: elementwise
//   dQ = scale dS K                     as S is a product
//   dK = scale dSᵀ Q
//
// The sum of row i needs no dP:  Σ_j dP_ij P_ij = Σ_j (G_i·V_j) P_ij = G_i·O_i. With
// dropout, O = (F ∘ P) V for factors F of 0 and 1 / keep_probability: then
// dV = (F ∘ P)ᵀ G and dP = F ∘ (G Vᵀ), and the sum is G_i·O_i still.
//
// P is not kept from the forward pass, which never had it in one piece: it is computed
// again, as exp(S - max) / Σ, from the largest score and the sum that were kept of each
// row (as Dao et al., 2022, do; Dao, 2023, keeps max + log Σ: that loses the sum where
// scores are large). S has the bits that it had there: each score is the sum of the same
// products in the same order. So S - max is not above 0.
//
// Blocks of keys are the outer loop: Kᵀ and Vᵀ of a block are packed once, for all
// queries. Blocks of queries are the inner one. A block, 48 queries and 4 panels of keys
// (a panel has as many as a tile has columns, 32 floats on AVX-512), is so small that its
// F ∘ P and dS stay in the core's caches. Rows of Q, K and G are read where they lie, or
// copied (see PaddedRows in attention_heads.h). One thread computes a head: one block of
// queries after another adds to dK and dV, and no sum crosses threads.
#include <numeric>

#include "tensor/attention/attention.h"
#include "tensor/attention/attention_heads.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/product/tile_kernels.h"
#include "tensor/product/vector_kernels.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

using std::int64_t;

constexpr std::string_view op = "scaled_dot_product_attention_backward";

// The size of a block: so many panels of keys, and so many queries, rounded up to tiles.
constexpr int64_t panels_at_once = 4;
constexpr int64_t queries_at_once = 48;

// What the forward pass left, and the gradient of its output.
template <class T>
struct Given {
  Matrices<const T> g, output;
  const T *largest, *inverse_sums;  // (heads, queries), contiguous
};

// What one thread does, and its memory.
template <class T>
class Backward {
 public:
  Backward(const AttentionOperands<T>& heads, const Given<T>& given,
           const GradientMatrices<T>& gradients)
      : h_(heads),
        given_(given),
        gradients_(gradients),
        queries_(h_.query, h_.queries, h_.features),
        g_(given_.g, h_.queries, h_.value_features),
        keys_(h_.key, block_keys_, h_.features),
        keys_t_(block_keys_, width_, h_.features),
        values_t_(block_keys_, width_, h_.value_features),
        s_(block_queries_ * block_keys_),
        d_(block_queries_ * block_keys_),
        lens_(h_.queries),
        longest_lens_(ceil_div(h_.queries, tile_rows_)),
        dots_(h_.queries) {}

  void compute_head(int64_t head) {
    head_ = head;
    read_head();
    if (h_.keys == 0) clear(gradients_.query, 0, h_.queries, h_.features);
    for (int64_t first = 0; first < h_.keys; first += block_keys_) {
      const int64_t count = std::min(block_keys_, h_.keys - first);
      read_keys(first, count);
      for (int64_t q = 0; q < h_.queries; q += block_queries_) {
        add_block(first, count, q);
      }
    }
  }

 private:
  const AttentionOperands<T>& h_;
  const Given<T>& given_;
  const GradientMatrices<T>& gradients_;
  const kernels::TileKernels<T>& tiles_ = kernels::get<kernels::TileKernels<T>>();
  const kernels::VectorKernels<T>& vectors_ = kernels::get<kernels::VectorKernels<T>>();
  const kernels::AttentionKernels<T>& loops_ =
      kernels::get<kernels::AttentionKernels<T>>();
  const bool wants_ds_ = gradients_.query || gradients_.key;
  const int64_t tile_rows_ = tiles_.tile_rows, width_ = tiles_.tile_columns;
  const int64_t block_keys_ = panels_at_once * width_;
  const int64_t block_queries_ = ceil_div(queries_at_once, tile_rows_) * tile_rows_;

  PaddedRows<T> queries_, g_;     // of a head
  PaddedRows<T> keys_;            // of a block, and
  Packed<T> keys_t_, values_t_;   // Kᵀ and Vᵀ
  Buffer<T> s_, d_;               // of a block, (queries, block_keys_): S, then F ∘ P;
                                  // G Vᵀ, then dS
  Buffer<int64_t> lens_;          // of a head: the keys that each query sees,
  Buffer<int64_t> longest_lens_;  // and the most in each tile_rows_ queries
  Buffer<T> dots_;                // of a head: G_i·O_i
  int64_t head_ = 0;

  void read_head() {
    queries_.read(head_, 0, h_.queries);
    g_.read(head_, 0, h_.queries);
    const Matrices<const T>&g = given_.g, &o = given_.output;
    const T *const g_first = g[head_], *const o_first = o[head_];
    for (int64_t i = 0; i < h_.queries; ++i) {
      dots_.first()[i] =
          vectors_.dot(h_.value_features, g_first + i * g.row_stride, g.column_stride,
                       o_first + i * o.row_stride, o.column_stride);
    }
    for (int64_t i = 0; i < h_.queries; i += tile_rows_) {
      longest_lens_.first()[i / tile_rows_] = h_.valid_lens.read(
          head_, i, std::min(i + tile_rows_, h_.queries), lens_.first() + i);
    }
  }

  void read_keys(int64_t first, int64_t count) {
    const Matrices<const T>&k = h_.key, &v = h_.value;
    keys_.read(head_, first, count);
    keys_t_.pack(count, h_.features, k[head_] + first * k.row_stride, k.row_stride,
                 k.column_stride);
    values_t_.pack(count, h_.value_features, v[head_] + first * v.row_stride,
                   v.row_stride, v.column_stride);
  }

  void clear(const std::optional<Matrices<T>>& gradient, int64_t first, int64_t count,
             int64_t columns) const {
    if (!gradient) return;
    T* row = (*gradient)[head_] + first * gradient->row_stride;
    for (int64_t i = 0; i < count; ++i, row += gradient->row_stride) {
      std::fill_n(row, columns, T{0});
    }
  }

  // Adds to the gradients the terms of one block: the `keys` keys from `first` on, and
  // the queries from q on. The first block of keys sets the gradients of queries, the
  // first block of queries those of keys and values.
  void add_block(int64_t first, int64_t keys, int64_t q) {
    const int64_t end = std::min(q + block_queries_, h_.queries);
    const int64_t* const longest = longest_lens_.first();
    // How many of the keys some query of the block sees.
    const int64_t most = std::clamp<int64_t>(
        *std::max_element(longest + q / tile_rows_, longest + ceil_div(end, tile_rows_)) -
            first,
        0, keys);
    if (q == 0) {
      clear(gradients_.key, first + most, keys - most, h_.features);
      clear(gradients_.value, first + most, keys - most, h_.value_features);
    }
    const auto seen_by = [&](int64_t i) {
      return std::clamp<int64_t>(longest[i / tile_rows_] - first, 0, most);
    };
    // Neighbouring tiles of queries that see equally many keys are computed together: one
    // product each for S, dP and dQ, without the keys that they do not see.
    for (int64_t i = q, next; i < end; i = next) {
      const int64_t seen = seen_by(i), at = (i - q) * block_keys_;
      for (next = i; next < end && seen_by(next) == seen;) next += tile_rows_;
      const int64_t rows = std::min(next, end) - i;
      make_weights_and_slopes(first, seen, most, i, rows, s_.first() + at,
                              d_.first() + at);
      if (gradients_.query && seen > 0) {  // dQ = scale dS K
        put_product(rows, seen, {d_.first() + at, block_keys_, 1}, keys_[0],
                    keys_.stride(), h_.scale, h_.features, *gradients_.query, i,
                    first > 0);
      } else if (first == 0) {  // no key is seen, or nothing wanted
        clear(gradients_.query, i, rows, h_.features);
      }
    }
    // Of all queries of the block at once: F ∘ P and dS are 0 where a tile sees fewer
    // keys.
    if (most == 0) return;
    if (gradients_.value) {  // dV = (F ∘ P)ᵀ G
      put_product(most, end - q, {s_.first(), 1, block_keys_}, g_[q], g_.stride(), 1,
                  h_.value_features, *gradients_.value, first, q > 0);
    }
    if (gradients_.key) {  // dK = scale dSᵀ Q
      put_product(most, end - q, {d_.first(), 1, block_keys_}, queries_[q],
                  queries_.stride(), h_.scale, h_.features, *gradients_.key, first,
                  q > 0);
    }
  }

  // Sets the gradient's rows from `row` on to scale a (m, k) times rows of b, b_stride
  // apart, or adds that to them.
  void put_product(int64_t m, int64_t k, const Matrix<const T>& a, const T* b,
                   int64_t b_stride, T scale, int64_t columns,
                   const Matrices<T>& gradient, int64_t row, bool add) const {
    tiles_.multiply_panels({.m = m,
                            .n = columns,
                            .k = k,
                            .a = a,
                            .b = b,
                            .b_stride = b_stride,
                            .panel_stride = width_,
                            .c = gradient[head_] + row * gradient.row_stride,
                            .c_stride = gradient.row_stride,
                            .add = add,
                            .scale = scale});
  }

  // s = F ∘ P and d = dS of `rows` queries from `query` on and the `most` keys from
  // `first` on, of which they see no more than `seen`; zeros beyond.
  void make_weights_and_slopes(int64_t first, int64_t seen, int64_t most, int64_t query,
                               int64_t rows, T* s, T* d) const {
    // Zeros in the panels of which no key is seen; in the others
    // loops_.scores_backward() below puts them.
    const int64_t in_panels = ceil_div(seen, width_) * width_;  // keys of the others
    if (in_panels < most) {
      for (int64_t i = 0; i < rows; ++i) {
        std::fill_n(s + i * block_keys_ + in_panels, most - in_panels, T{0});
        std::fill_n(d + i * block_keys_ + in_panels, most - in_panels, T{0});
      }
    }
    if (seen == 0) return;
    const auto product = [&](const PaddedRows<T>& a, int64_t k, const Packed<T>& b,
                             T scale, T* c) {
      tiles_.multiply_panels({.m = rows,
                              .n = seen,
                              .k = k,
                              .a = {a[query], a.stride(), 1},
                              .b = b.first(),
                              .b_stride = width_,
                              .panel_stride = b.size(),
                              .c = c,
                              .c_stride = block_keys_,
                              .scale = scale});
    };
    // s = S = scale Q Kᵀ + bias, d = G Vᵀ
    product(queries_, h_.features, keys_t_, h_.scale, s);
    if (h_.bias) {
      const Matrices<const T>& bias = *h_.bias;
      loops_.add_bias(rows, seen,
                      bias[head_] + query * bias.row_stride + first * bias.column_stride,
                      bias.row_stride, bias.column_stride, s, block_keys_);
    }
    if (wants_ds_) product(g_, h_.value_features, values_t_, 1, d);
    // s = F ∘ P, d = dS. Of the last panel all columns, or the first half if `most` ends
    // there: dV and dK read as far as that, so what is not seen must become 0.
    const int64_t at = head_ * h_.queries + query;
    for (int64_t key = 0; key < seen; key += width_) {
      loops_.scores_backward({.rows = rows,
                              .width = columns_for<T>(most - key),
                              .first = first + key,
                              .stride = block_keys_,
                              .lens = lens_.first() + query,
                              .largest = given_.largest + at,
                              .inverse_sums = given_.inverse_sums + at,
                              .dots = dots_.first() + query,
                              .bits = h_.bits_of(head_, query),
                              .bits_stride = h_.words,
                              .stay_factor = h_.stay_factor,
                              .s = s + key,
                              .d = wants_ds_ ? d + key : nullptr});
    }
  }
};

template <class T>
void attention_in_tiles_backward(const AttentionOperands<T>& heads, const Tensor& g,
                                 const AttentionResult& result,
                                 AttentionGradients& gradients) {
  const Tensor largest = result.largest.contiguous();
  const Tensor inverse_sums = result.inverse_sums.contiguous();
  const Given<T> given{matrices<T>(g), matrices<T>(result.output), largest.data<T>(),
                       inverse_sums.data<T>()};
  const GradientMatrices<T> to(gradients);
  std::vector<int64_t> work, lens(static_cast<std::size_t>(heads.queries));
  for (int64_t head = 0; head < heads.count; ++head) {
    if (head > 0 && heads.valid_lens.are_same(head, head - 1)) {
      work.push_back(work.back());
      continue;
    }
    heads.valid_lens.read(head, 0, heads.queries, lens.data());
    const int64_t seen = std::accumulate(lens.begin(), lens.end(), int64_t{0});
    // S, dQ and dK; dP and dV
    work.push_back(seen * (3 * heads.features + 2 * heads.value_features));
  }
  Runs<Backward<T>> runs(work, heads, given, to);
  runs.for_each([](Backward<T>& backward, int64_t begin, int64_t end) {
    for (int64_t head = begin; head < end; ++head) backward.compute_head(head);
  });
}

}  // namespace

AttentionGradients scaled_dot_product_attention_backward(
    const Tensor& g, const Tensor& query, const Tensor& key, const Tensor& value,
    const AttentionOptions& options, double scale, const AttentionResult& result,
    const std::array<bool, 3>& wanted) {
  check_attention(op, query, key, value, options);
  const bool by_rows = goes_by_rows(query);
  const Shape rows = without_last(query.shape(), 1);
  const Shape shape = append(rows, {value.size(-1)});
  check(g.shape() == shape && result.output.shape() == shape,
        "{}: the gradient and the output must have the shape {}, got {} and {}", op,
        shape, g.shape(), result.output.shape());
  check_same_dtype(op, query, g);
  check_same_dtype(op, query, result.output);
  if (g.numel() == 0) {  // as forwards; a sum of nothing is 0
    const auto zeros_if = [&](const Tensor& x, bool is_wanted) {
      return is_wanted ? zeros_like(x) : Tensor();
    };
    return {zeros_if(query, wanted[0]), zeros_if(key, wanted[1]),
            zeros_if(value, wanted[2])};
  }
  const auto check_kept = [&](const Tensor& x, const Shape& expected) {
    check(x.shape() == expected,
          "{}: what is kept of each row must have the shape {}, got {}", op, expected,
          x.shape());
    check_same_dtype(op, query, x);
  };
  if (by_rows) {
    check_kept(result.kept_weights, append(rows, {key.size(-2)}));
  } else {
    check_kept(result.largest, rows);
    check_kept(result.inverse_sums, rows);
  }
  const AttentionOptions read = options_to_read(options, query, key);
  // 0 times NaN is NaN: so the rows that take no part are cleared.
  Tensor q = query, G = g;
  if (has_elements(read.lens) && any(read.lens == 0).item()) {
    const Tensor sees_none = unsqueeze(read.lens == 0, -1);
    q = masked_fill(query, sees_none, 0);
    G = masked_fill(g, sees_none, 0);
  }
  AttentionGradients gradients;
  if (wanted[0]) gradients.query = rows_like(query, query.size(-1));
  if (wanted[1]) gradients.key = rows_like(key, key.size(-1));
  if (wanted[2]) gradients.value = rows_like(value, value.size(-1));
  const Tensor k = operand_to_read(key, by_rows), v = operand_to_read(value, by_rows);
  q = operand_to_read(q, by_rows);
  G = operand_to_read(G, by_rows);
  dispatch_floating(op, query.dtype(), [&]<class T>() {
    const AttentionOperands<T> operands(q, k, v, read, scale);
    if (by_rows) {
      attention_by_rows_backward(operands, G, result, gradients);
    } else {
      attention_in_tiles_backward(operands, G, result, gradients);
    }
  });
  return gradients;
}

}  // namespace heed
