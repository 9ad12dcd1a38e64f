// Attention backwards, head by head. Of O = P V with P = softmax(S), S = scale Q Kᵀ, and
// the gradient dO:
//
//   dV = Pᵀ dO
//   dP = dO Vᵀ
//   dS = P (dP - Σ dP P)      the sum over a row; it is Σ dO O, which needs no dP
//   dQ = scale dS K
//   dK = scale dSᵀ Q
//
// P is not kept from the forward pass, which never had it in one piece: it is computed
// again, as exp(S - log Σ exp S), from the logarithms that were kept (Dao et al., 2022).
//
// Blocks of keys are the outer loop and blocks of queries the inner one, so that a block
// of P and one of dS stay in the core's cache. In a block the keys lie side by side, as
// many as the micro-kernel takes: then P and dS are packed operands, as they stand, of
//   dVᵀ += dOᵀ P  (value features, keys)  and  dKᵀ += scale Qᵀ dS  (features, keys),
// and only dS is packed once more, for  dQ += scale dS K.
#include <deque>
#include <numeric>

#include "tensor/attention.h"
#include "tensor/attention_heads.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

using Int = std::int64_t;

// The size of a block: so many panels of keys, and at least so many tiles of queries.
constexpr Int panels_at_once = 4;
constexpr Int tiles_at_once = 4;

// What the forward pass left, and the gradient of its output.
template <class T>
struct Given {
  Matrices<const T> g, output;
  const T* log_sums;  // (heads, queries), contiguous
};

// Those that are wanted.
template <class T>
struct Gradients {
  std::optional<Matrices<T>> query, key, value;
};

// What one thread does, and its memory.
template <class T>
class Backward {
 public:
  Backward(const Heads<T>& heads, const Given<T>& given, const Gradients<T>& gradients)
      : h_(heads),
        given_(given),
        gradients_(gradients),
        queries_(h_.queries, tile_.rows, h_.features),
        queries_t_(h_.features, tile_.rows, h_.queries),
        g_(h_.queries, tile_.rows, h_.value_features),
        g_t_(h_.value_features, tile_.rows, h_.queries),
        keys_(block_keys_, tile_.columns, h_.features),
        values_(block_keys_, tile_.columns, h_.value_features),
        keys_t_(h_.features, tile_.columns, block_keys_),
        p_(panels_at_once * block_size_ + tile_.slack),
        ds_(panels_at_once * block_size_ + tile_.slack),
        ds_rows_(block_tiles_ * rows_size_ + tile_.slack),
        dq_(tiles_ * tile_.rows * dq_step_),
        dk_(panels_at_once * dk_size_),
        dv_(panels_at_once * dv_size_),
        lens_(tiles_ * tile_.rows),
        longest_(tiles_),
        log_sums_(tiles_ * tile_.rows),
        dots_(tiles_ * tile_.rows) {}

  void compute(Int head) {
    pack_head(head);
    std::fill_n(dq_.first(), tiles_ * tile_.rows * dq_step_, T{0});
    for (Int first = 0; first < h_.keys; first += block_keys_) {
      pack_keys(head, first);
      for (Int t = 0; t < tiles_; t += block_tiles_) block(first, t);
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
  const Heads<T>& h_;
  const Given<T>& given_;
  const Gradients<T>& gradients_;
  const blis::TileKernel<T>& tile_ = blis::tile_kernel<T>();
  const kernels::ProductLoops<T>& loops_ = product_loops<T>();
  const bool wants_ds_ = gradients_.query || gradients_.key;

  const Int tiles_ = ceil_div(h_.queries, tile_.rows);
  const Int tile_size_ = tile_.rows * tile_.columns;
  const Int block_keys_ = panels_at_once * tile_.columns;
  const Int block_tiles_ = aligned_tiles();
  // The sizes of P and of dS in a block for one panel of keys, of a tile of dS as an
  // operand, of dKᵀ and dVᵀ for one panel, and the step of the rows of dQ.
  const Int block_size_ = block_tiles_ * tile_size_;
  const Int rows_size_ = aligned<T>(tile_.rows * block_keys_);
  const Int dk_size_ = ceil_div(h_.features, tile_.rows) * tile_size_;
  const Int dv_size_ = ceil_div(h_.value_features, tile_.rows) * tile_size_;
  const Int dq_step_ = ceil_div(h_.features, tile_.columns) * tile_.columns;

  // Of a head: Q, Qᵀ, dO and dOᵀ. Of a block: its keys, values, and keys turned round.
  Packed<T> queries_, queries_t_, g_, g_t_, keys_, values_, keys_t_;
  Buffer<T> p_, ds_;   // P and dS of a block, one panel of keys after the other
  Buffer<T> ds_rows_;  // dS of a block, tile by tile as the operand of dQ
  Buffer<T> dq_;       // of a head
  Buffer<T> dk_, dv_;  // dKᵀ and dVᵀ of a block, one panel after the other
  // Of a head: what each query sees, and the most in each tile; the logarithms; Σ dO O.
  Buffer<Int> lens_, longest_;
  Buffer<T> log_sums_, dots_;

  // The panels of Qᵀ and dOᵀ are cut where blocks begin, and the parts must be aligned.
  Int aligned_tiles() const {
    const Int size = tile_.rows * tile_.rows;
    Int tiles = tiles_at_once;
    while (tiles * size != aligned<T>(tiles * size)) tiles += tiles_at_once;
    return tiles;
  }

  void pack_head(Int head) {
    const Matrices<const T>&q = h_.query, &g = given_.g, &o = given_.output;
    queries_.pack(h_.queries, h_.features, q[head], q.row_step, q.column_step);
    queries_t_.pack(h_.features, h_.queries, q[head], q.column_step, q.row_step);
    g_.pack(h_.queries, h_.value_features, g[head], g.row_step, g.column_step);
    g_t_.pack(h_.value_features, h_.queries, g[head], g.column_step, g.row_step);
    const Int padded = tiles_ * tile_.rows;
    std::copy_n(given_.log_sums + head * h_.queries, h_.queries, log_sums_.first());
    std::fill(log_sums_.first() + h_.queries, log_sums_.first() + padded, T{0});
    const T *const g_first = g[head], *const o_first = o[head];
    for (Int i = 0; i < h_.queries; ++i) {
      dots_.first()[i] =
          loops_.dot(h_.value_features, g_first + i * g.row_step, g.column_step,
                     o_first + i * o.row_step, o.column_step);
    }
    std::fill(dots_.first() + h_.queries, dots_.first() + padded, T{0});
    for (Int t = 0; t < tiles_; ++t) {
      const Int begin = t * tile_.rows, end = std::min(begin + tile_.rows, h_.queries);
      Int* const lens = lens_.first() + begin;
      longest_.first()[t] = h_.prefixes.read(head, begin, end, lens);
      std::fill(lens + (end - begin), lens + tile_.rows, Int{0});
    }
  }

  void pack_keys(Int head, Int first) {
    const Matrices<const T>&k = h_.key, &v = h_.value;
    const Int count = std::min(block_keys_, h_.keys - first);
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
  void block(Int first, Int begin) {
    const Int end = std::min(begin + block_tiles_, tiles_);
    const Int* const longest = longest_.first();
    const Int most = *std::max_element(longest + begin, longest + end);
    const Int from = begin * tile_.rows;
    const Int depth = std::min(end * tile_.rows, h_.queries) - from;
    for (Int panel = 0; panel < keys_.count(); ++panel) {
      const Int key = first + panel * tile_.columns;
      if (key >= most) break;
      for (Int t = begin; t < end; ++t) tile(panel, key, t, t - begin);
      const T* const p = p_.first() + panel * block_size_;
      const T* const ds = ds_.first() + panel * block_size_;
      for (Int t = 0; gradients_.value && t < g_t_.count(); ++t) {
        tile_(depth, g_t_[t] + from * tile_.rows, p,
              dv_.first() + panel * dv_size_ + t * tile_size_, tile_.columns, 1, true);
      }
      for (Int t = 0; gradients_.key && t < queries_t_.count(); ++t) {
        tile_(depth, queries_t_[t] + from * tile_.rows, ds,
              dk_.first() + panel * dk_size_ + t * tile_size_, tile_.columns, h_.scale,
              true);
      }
    }
    if (!gradients_.query) return;
    const Int keys = std::min(block_keys_, h_.keys - first);
    for (Int t = begin; t < end; ++t) {
      const Int seen = std::min(longest[t] - first, keys);
      if (seen <= 0) continue;
      for (Int panel = 0; panel < keys_t_.count(); ++panel) {
        tile_(seen, ds_rows_.first() + (t - begin) * rows_size_, keys_t_[panel],
              dq_.first() + t * tile_.rows * dq_step_ + panel * tile_.columns, dq_step_,
              h_.scale, true);
      }
    }
  }

  // P and dS of one tile, number `place` of the block: its queries are those of tile t,
  // its keys those from `key` on.
  void tile(Int panel, Int key, Int t, Int place) {
    T* const p = p_.first() + panel * block_size_ + place * tile_size_;
    T* const ds = ds_.first() + panel * block_size_ + place * tile_size_;
    if (longest_.first()[t] <= key) {  // nothing of it is seen
      std::fill_n(p, tile_size_, T{0});
      std::fill_n(ds, tile_size_, T{0});
      return;
    }
    tile_(h_.features, queries_[t], keys_[panel], p, tile_.columns, h_.scale);
    if (wants_ds_) {
      tile_(h_.value_features, g_[t], values_[panel], ds, tile_.columns);
    }
    const Int row = t * tile_.rows;
    attention_loops<T>().weights(tile_.rows, tile_.columns, key, lens_.first() + row,
                                 log_sums_.first() + row, dots_.first() + row, p,
                                 wants_ds_ ? ds : nullptr);
    if (gradients_.query) {
      loops_.pack(tile_.rows, tile_.rows, tile_.columns, ds, tile_.columns, 1,
                  ds_rows_.first() + place * rows_size_ + panel * tile_size_);
    }
  }

  // Writes the columns of dKᵀ or dVᵀ of a block, panel by panel, as the rows of the keys
  // from `first` on.
  void write_columns(const Matrices<T>& to, Int head, Int first, Int features, const T* x,
                     Int panel_size) const {
    for (Int panel = 0; panel < keys_.count(); ++panel) {
      const Int key = first + panel * tile_.columns;
      loops_.transpose(features, std::min(tile_.columns, h_.keys - key),
                       x + panel * panel_size, tile_.columns,
                       to[head] + key * to.row_step, to.row_step);
    }
  }

  void write_dq(const Matrices<T>& to, Int head) const {
    for (Int i = 0; i < h_.queries; ++i) {
      std::copy_n(dq_.first() + i * dq_step_, h_.features, to[head] + i * to.row_step);
    }
  }
};

template <class T>
void compute(const Heads<T>& heads, const Given<T>& given,
             const Gradients<T>& gradients) {
  std::vector<Int> work, lens(static_cast<std::size_t>(heads.queries));
  for (Int head = 0; head < heads.count; ++head) {
    heads.prefixes.read(head, 0, heads.queries, lens.data());
    const Int seen = std::accumulate(lens.begin(), lens.end(), Int{0});
    work.push_back(seen * (3 * heads.features + 2 * heads.value_features));
  }
  const std::vector<Int> cuts = even_cuts(work);
  std::deque<Backward<T>> runs;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    runs.emplace_back(heads, given, gradients);
  }
  parallel_for(static_cast<Int>(runs.size()), 1, [&](Int begin, Int end) {
    for (Int i = begin; i < end; ++i) {
      const auto run = static_cast<std::size_t>(i);
      for (Int head = cuts[run]; head < cuts[run + 1]; ++head) runs[run].compute(head);
    }
  });
}

template <class T>
std::optional<Matrices<T>> optional_matrices(Tensor& x, bool wanted) {
  if (!wanted) return {};
  return mutable_matrices<T>(x);
}

}  // namespace

AttentionGradients scaled_dot_product_attention_backward(
    const Tensor& g, const Tensor& query, const Tensor& key, const Tensor& value,
    const std::optional<Tensor>& lens, double scale, const AttentionResult& result,
    const std::array<bool, 3>& wanted) {
  check_attention(query, key, value, lens);
  const Tensor log_sums = result.log_sums.contiguous();
  Shape rows = query.shape(), shape = query.shape();
  rows.erase(query.dim() - 1);
  shape[query.dim() - 1] = value.size(-1);
  check(g.shape() == shape && result.output.shape() == shape && log_sums.shape() == rows,
        "{}: the gradient and the output must have the shape {} and the log sums {}, got "
        "{}, {} and {}",
        attention_op, shape, rows, g.shape(), result.output.shape(), log_sums.shape());
  check_same_dtype(attention_op, query, g);
  check_same_dtype(attention_op, query, result.output);
  check_same_dtype(attention_op, query, log_sums);
  AttentionGradients gradients;
  if (wanted[0]) gradients.query = empty_rows_like(query, query.size(-1));
  if (wanted[1]) gradients.key = empty_rows_like(key, key.size(-1));
  if (wanted[2]) gradients.value = empty_rows_like(value, value.size(-1));
  dispatch_floating(attention_op, query.dtype(), [&]<class T>() {
    compute(Heads<T>(query, key, value, lens, scale),
            {matrices<T>(g), matrices<T>(result.output), log_sums.data<T>()},
            Gradients<T>{optional_matrices<T>(gradients.query, wanted[0]),
                         optional_matrices<T>(gradients.key, wanted[1]),
                         optional_matrices<T>(gradients.value, wanted[2])});
  });
  return gradients;
}

}  // namespace heed
