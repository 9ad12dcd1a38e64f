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
// dropout, O = (F ∘ P) V for factors F of 0 and 1 / (1 - p): then dV = (F ∘ P)ᵀ G and
// dP = F ∘ (G Vᵀ), and the sum is G_i·O_i still.
//
// P is not kept from the forward pass, which never had it in one piece: it is computed
// again, as exp(S - max) / Σ, from the largest score and the sum that were kept of each
// row (after Dao et al., 2022, who keep max + log Σ: that loses the sum where scores are
// large).
//
// Blocks of keys are the outer loop and blocks of queries the inner one, so that a block
// of P and one of dS stay in the core's cache. In a block the keys lie side by side, as
// many as the micro-kernel takes: then P and dS are packed operands, as they stand, of
//   dVᵀ += Gᵀ P  (value features, keys)  and  dKᵀ += scale Qᵀ dS  (features, keys),
// and only dS is packed once more, for  dQ += scale dS K. (There P includes dropout's
// factors.)
#include <numeric>

#include "tensor/attention/attention.h"
#include "tensor/attention/attention_heads.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

using std::int64_t;

constexpr std::string_view op = "scaled_dot_product_attention_backward";

// The size of a block: so many panels of keys, and at least so many tiles of queries.
constexpr int64_t panels_at_once = 4;
constexpr int64_t tiles_at_once = 4;

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
        queries_(h_.queries, tile_rows_, h_.features),
        queries_t_(h_.features, tile_rows_, h_.queries),
        g_(h_.queries, tile_rows_, h_.value_features),
        g_t_(h_.value_features, tile_rows_, h_.queries),
        keys_(block_keys_, tile_columns_, h_.features),
        values_(block_keys_, tile_columns_, h_.value_features),
        keys_t_(h_.features, tile_columns_, block_keys_),
        p_(panels_at_once * block_size_ + multiply_.slack),
        ds_(panels_at_once * block_size_ + multiply_.slack),
        ds_rows_(block_tiles_ * rows_size_ + multiply_.slack),
        dq_(tiles_ * tile_rows_ * dq_step_),
        dk_(panels_at_once * dk_size_),
        dv_(panels_at_once * dv_size_),
        lens_(tiles_ * tile_rows_),
        longest_(tiles_),
        largest_(tiles_ * tile_rows_),
        inverse_sums_(tiles_ * tile_rows_),
        dots_(tiles_ * tile_rows_) {}

  void compute_head(int64_t head) {
    head_ = head;
    pack_head(head);
    std::fill_n(dq_.first(), tiles_ * tile_rows_ * dq_step_, T{0});
    for (int64_t first = 0; first < h_.keys; first += block_keys_) {
      pack_keys(head, first);
      for (int64_t t = 0; t < tiles_; t += block_tiles_) block(first, t);
      if (gradients_.key) {
        write_columns(*gradients_.key, head, first, h_.features, dk_.first(), dk_size_);
      }
      if (gradients_.value) {
        write_columns(*gradients_.value, head, first, h_.value_features, dv_.first(),
                      dv_size_);
      }
    }
    if (gradients_.query) write_dq(*gradients_.query, head);
  }

 private:
  const AttentionOperands<T>& h_;
  const Given<T>& given_;
  const GradientMatrices<T>& gradients_;
  const blis::TileKernel<T>& multiply_ = blis::tile_kernel<T>();
  const int64_t tile_rows_ = multiply_.rows, tile_columns_ = multiply_.columns;
  const kernels::ProductKernels<T>& loops_ = kernels::get<kernels::ProductKernels<T>>();
  const bool wants_ds_ = gradients_.query || gradients_.key;

  const int64_t tiles_ = ceil_div(h_.queries, tile_rows_);  // of queries
  const int64_t tile_size_ = tile_rows_ * tile_columns_;
  const int64_t block_keys_ = panels_at_once * tile_columns_;
  const int64_t block_tiles_ = aligned_tiles();
  // The sizes of P and of dS in a block for one panel of keys, of a tile of dS as an
  // operand, of dKᵀ and dVᵀ for one panel, and the step of the rows of dQ.
  const int64_t block_size_ = block_tiles_ * tile_size_;
  const int64_t rows_size_ = aligned<T>(tile_rows_ * block_keys_);
  const int64_t dk_size_ = ceil_div(h_.features, tile_rows_) * tile_size_;
  const int64_t dv_size_ = ceil_div(h_.value_features, tile_rows_) * tile_size_;
  const int64_t dq_step_ = ceil_div(h_.features, tile_columns_) * tile_columns_;

  // Of a head: Q, Qᵀ, G and Gᵀ. Of a block: its keys, values, and keys turned round.
  Packed<T> queries_, queries_t_, g_, g_t_, keys_, values_, keys_t_;
  Buffer<T> p_, ds_;   // P and dS of a block, one panel of keys after the other
  Buffer<T> ds_rows_;  // dS of a block, tile by tile as the operand of dQ
  Buffer<T> dq_;       // of a head
  Buffer<T> dk_, dv_;  // dKᵀ and dVᵀ of a block, one panel after the other
  // Of a head: what each query sees, and the most in each tile; the largest
  // scores and the inverse sums; G_i·O_i.
  Buffer<int64_t> lens_, longest_;
  Buffer<T> largest_, inverse_sums_, dots_;
  int64_t head_ = 0;

  // The panels of Qᵀ and Gᵀ are cut where blocks begin, and the parts must be aligned.
  int64_t aligned_tiles() const {
    const int64_t size = tile_rows_ * tile_rows_;
    int64_t tiles = tiles_at_once;
    while (tiles * size != aligned<T>(tiles * size)) tiles += tiles_at_once;
    return tiles;
  }

  void pack_head(int64_t head) {
    const Matrices<const T>&q = h_.query, &g = given_.g, &o = given_.output;
    queries_.pack(h_.queries, h_.features, q[head], q.row_step, q.column_step);
    queries_t_.pack(h_.features, h_.queries, q[head], q.column_step, q.row_step);
    g_.pack(h_.queries, h_.value_features, g[head], g.row_step, g.column_step);
    g_t_.pack(h_.value_features, h_.queries, g[head], g.column_step, g.row_step);
    const int64_t padded = tiles_ * tile_rows_;
    const auto copy = [&](const T* all, const Buffer<T>& to) {
      std::copy_n(all + head * h_.queries, h_.queries, to.first());
      std::fill(to.first() + h_.queries, to.first() + padded, T{0});
    };
    copy(given_.largest, largest_);
    copy(given_.inverse_sums, inverse_sums_);
    const T *const g_first = g[head], *const o_first = o[head];
    for (int64_t i = 0; i < h_.queries; ++i) {
      dots_.first()[i] =
          loops_.dot(h_.value_features, g_first + i * g.row_step, g.column_step,
                     o_first + i * o.row_step, o.column_step);
    }
    std::fill(dots_.first() + h_.queries, dots_.first() + padded, T{0});
    for (int64_t t = 0; t < tiles_; ++t) {
      const int64_t begin = t * tile_rows_,
                    end = std::min(begin + tile_rows_, h_.queries);
      int64_t* const lens = lens_.first() + begin;
      longest_.first()[t] = h_.valid_lens.read(head, begin, end, lens);
      std::fill(lens + (end - begin), lens + tile_rows_, int64_t{0});
    }
  }

  void pack_keys(int64_t head, int64_t first) {
    const Matrices<const T>&k = h_.key, &v = h_.value;
    const int64_t count = std::min(block_keys_, h_.keys - first);
    keys_.pack(count, h_.features, k[head] + first * k.row_step, k.row_step,
               k.column_step);
    keys_t_.pack(h_.features, count, k[head] + first * k.row_step, k.column_step,
                 k.row_step);
    values_.pack(count, h_.value_features, v[head] + first * v.row_step, v.row_step,
                 v.column_step);
    std::fill_n(dk_.first(), keys_.count() * dk_size_, T{0});
    std::fill_n(dv_.first(), keys_.count() * dv_size_, T{0});
  }

  // What the keys from `first` on and the queries of tiles from `begin` on give each
  // other.
  void block(int64_t first, int64_t begin) {
    const int64_t end = std::min(begin + block_tiles_, tiles_);
    const int64_t* const longest = longest_.first();
    const int64_t most = *std::max_element(longest + begin, longest + end);
    const int64_t from = begin * tile_rows_;
    const int64_t depth = std::min(end * tile_rows_, h_.queries) - from;
    for (int64_t panel = 0; panel < keys_.count(); ++panel) {
      const int64_t key = first + panel * tile_columns_;
      if (key >= most) break;
      for (int64_t t = begin; t < end; ++t) make_p_and_ds(panel, key, t, t - begin);
      const T* const p = p_.first() + panel * block_size_;
      const T* const ds = ds_.first() + panel * block_size_;
      // dVᵀ += Gᵀ P
      for (int64_t t = 0; gradients_.value && t < g_t_.count(); ++t) {
        multiply_(depth, g_t_[t] + from * tile_rows_, p,
                  dv_.first() + panel * dv_size_ + t * tile_size_, tile_columns_, 1,
                  true);
      }
      // dKᵀ += scale Qᵀ dS
      for (int64_t t = 0; gradients_.key && t < queries_t_.count(); ++t) {
        multiply_(depth, queries_t_[t] + from * tile_rows_, ds,
                  dk_.first() + panel * dk_size_ + t * tile_size_, tile_columns_,
                  h_.scale, true);
      }
    }
    if (!gradients_.query) return;
    // dQ += scale dS K
    const int64_t keys = std::min(block_keys_, h_.keys - first);
    for (int64_t t = begin; t < end; ++t) {
      const int64_t seen = std::min(longest[t] - first, keys);
      if (seen <= 0) continue;
      for (int64_t panel = 0; panel < keys_t_.count(); ++panel) {
        multiply_(seen, ds_rows_.first() + (t - begin) * rows_size_, keys_t_[panel],
                  dq_.first() + t * tile_rows_ * dq_step_ + panel * tile_columns_,
                  dq_step_, h_.scale, true);
      }
    }
  }

  // P and dS of one tile, number `place` of the block: its queries are those of tile t,
  // its keys those from `key` on.
  void make_p_and_ds(int64_t panel, int64_t key, int64_t t, int64_t place) {
    T* const p = p_.first() + panel * block_size_ + place * tile_size_;
    T* const ds = ds_.first() + panel * block_size_ + place * tile_size_;
    if (longest_.first()[t] <= key) {  // nothing of it is seen
      std::fill_n(p, tile_size_, T{0});
      std::fill_n(ds, tile_size_, T{0});
      return;
    }
    // p = S = scale Q Kᵀ + bias, ds = G Vᵀ
    multiply_(h_.features, queries_[t], keys_[panel], p, tile_columns_, h_.scale);
    const int64_t row = t * tile_rows_;
    if (h_.bias) add_bias(*h_.bias, row, key, p);
    if (wants_ds_) {
      multiply_(h_.value_features, g_[t], values_[panel], ds, tile_columns_);
    }
    // p = F ∘ P, ds = dS
    kernels::get<kernels::AttentionKernels<T>>().weights(
        {tile_rows_, tile_columns_, key, lens_.first() + row, largest_.first() + row,
         inverse_sums_.first() + row, dots_.first() + row, h_.bits_of(head_, row),
         h_.words, h_.stay_factor, p, wants_ds_ ? ds : nullptr});
    if (gradients_.query) {  // dS once more, as the left operand of dQ
      loops_.pack(tile_rows_, tile_rows_, tile_columns_, ds, tile_columns_, 1,
                  ds_rows_.first() + place * rows_size_ + panel * tile_size_, 0);
    }
  }

  // To a tile's scores, of the queries from `row` and the keys from `key` on.
  void add_bias(const Matrices<const T>& bias, int64_t row, int64_t key,
                T* scores) const {
    const T* const first = bias[head_] + row * bias.row_step + key * bias.column_step;
    const int64_t rows = std::min(tile_rows_, h_.queries - row);
    kernels::get<kernels::AttentionKernels<T>>().add_bias(
        rows, std::min(tile_columns_, h_.keys - key), first, bias.row_step,
        bias.column_step, scores, tile_columns_);
  }

  // Writes the columns of dKᵀ or dVᵀ of a block, panel by panel, as the rows of the keys
  // from `first` on.
  void write_columns(const Matrices<T>& to, int64_t head, int64_t first, int64_t features,
                     const T* x, int64_t panel_size) const {
    for (int64_t panel = 0; panel < keys_.count(); ++panel) {
      const int64_t key = first + panel * tile_columns_;
      loops_.transpose(features, std::min(tile_columns_, h_.keys - key),
                       x + panel * panel_size, tile_columns_,
                       to[head] + key * to.row_step, to.row_step);
    }
  }

  void write_dq(const Matrices<T>& to, int64_t head) const {
    for (int64_t i = 0; i < h_.queries; ++i) {
      std::copy_n(dq_.first() + i * dq_step_, h_.features, to[head] + i * to.row_step);
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
    heads.valid_lens.read(head, 0, heads.queries, lens.data());
    const int64_t seen = std::accumulate(lens.begin(), lens.end(), int64_t{0});
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
  const bool by_rows = query.size(-2) <= few_queries;
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
          "{}: what is kept of each row must have the shape {}, "
          "got {}",
          op, expected, x.shape());
    check_same_dtype(op, query, x);
  };
  if (by_rows) {
    check_kept(result.weights, append(rows, {key.size(-2)}));
  } else {
    check_kept(result.largest, rows);
    check_kept(result.inverse_sums, rows);
  }
  const AttentionOptions read = keep_as_bias(options, query, key);
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
  const auto laid_out = [&](const Tensor& x) { return by_rows ? with_dense_rows(x) : x; };
  const Tensor k = laid_out(key), v = laid_out(value);
  q = laid_out(q);
  G = laid_out(G);
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
