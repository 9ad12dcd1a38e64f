#include "tensor/attention_heads.h"

#include <numeric>

#include "tensor/iterate.h"
#include "tensor/kernels/level.h"
#include "tensor/memory_order.h"
#include "tensor/parallel.h"
#include "tensor/reductions.h"

namespace heed {
namespace {

void check_lens(std::string_view op, const Tensor& lens, const Shape& rows) {
  check(lens.dtype() == int64, "{}: lens must be int64, got {}", op, name(lens.dtype()));
  check(broadcasts_to(lens.shape(), rows),
        "{}: lens must broadcast to the queries {}, got {}", op, rows, lens.shape());
  if (lens.numel() == 0) return;
  const double least = min(lens).item();
  check(least >= 0, "{}: lens must not be negative, got {}", op, least);
}

}  // namespace

void check_attention(std::string_view op, const Tensor& query, const Tensor& key,
                     const Tensor& value, const std::optional<Tensor>& lens) {
  const Shape &q = query.shape(), &k = key.shape(), &v = value.shape();
  check_same_dtype(op, query, key);
  check_same_dtype(op, query, value);
  check(q.rank() >= 2 && q.rank() == k.rank() && q.rank() == v.rank() &&
            without_last(q, 2) == without_last(k, 2) &&
            without_last(q, 2) == without_last(v, 2),
        "{}: query, key and value must be matrices with equal sizes before the last two, "
        "got {}, {} and {}",
        op, q, k, v);
  check(query.size(-1) == key.size(-1),
        "{}: query and key must have equally many features, got {} and {}", op, q, k);
  check(key.size(-2) == value.size(-2),
        "{}: there must be as many values as keys, got {} and {}", op, v, k);
  if (lens) check_lens(op, *lens, without_last(q, 1));
}

Prefixes::Prefixes(const std::optional<Tensor>& lens, const Tensor& query,
                   std::int64_t keys)
    : keys_(keys) {
  if (!lens) return;
  const Shape rows = without_last(query.shape(), 1);
  Shape shape = rows;
  Strides strides = expanded_strides(lens->shape(), lens->strides(), rows);
  shape.push_back(1);
  strides.push_back(0);
  lens_.emplace(Tensor(lens->storage(), lens->offset(), shape, strides, int64),
                lens->data<std::int64_t>());
}

std::int64_t Prefixes::read(std::int64_t head, std::int64_t begin, std::int64_t end,
                            std::int64_t* lens) const {
  if (!lens_) {
    std::fill_n(lens, end - begin, keys_);
    return begin < end ? keys_ : 0;
  }
  const std::int64_t* const first = (*lens_)[head];
  std::int64_t longest = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t len = std::min(first[i * lens_->row_step], keys_);
    lens[i - begin] = len;
    longest = std::max(longest, len);
  }
  return longest;
}

Tensor empty_rows_like(const Tensor& x, std::int64_t columns) {
  const Shape rows = without_last(x.shape(), 1);
  const Dims order = memory_order(rows, without_last(x.strides(), 1));
  Strides strides = rows;
  std::int64_t step = columns;
  for (int i = order.rank() - 1; i >= 0; --i) {
    const auto d = static_cast<int>(order[i]);
    strides[d] = step;
    step *= rows[d];
  }
  strides.push_back(1);
  Shape shape = rows;
  shape.push_back(columns);
  return Tensor(empty(shape, x.dtype()).storage(), 0, shape, strides, x.dtype());
}

std::vector<std::int64_t> even_cuts(const std::vector<std::int64_t>& work) {
  const std::int64_t total = std::accumulate(work.begin(), work.end(), std::int64_t{0});
  const std::int64_t threads = omp_in_parallel() ? 1 : num_threads();
  const std::int64_t runs = std::clamp<std::int64_t>(total / multiply_grain, 1, threads);
  std::vector<std::int64_t> cuts = {0};
  std::int64_t done = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const auto next = static_cast<std::int64_t>(cuts.size());
    if (next < runs && done >= total / runs * next) {
      cuts.push_back(static_cast<std::int64_t>(i));
    }
    done += work[i];
  }
  cuts.push_back(static_cast<std::int64_t>(work.size()));
  return cuts;
}

const kernels::AttentionTable& attention_kernels() {
  static const kernels::AttentionTable& table =
      kernels::chosen<kernels::baseline::attention, kernels::v3::attention,
                      kernels::v4::attention>();
  return table;
}

}  // namespace heed
