#include "tensor/attention/attention_heads.h"

#include <limits>
#include <numeric>

#include "tensor/core/factories.h"
#include "tensor/core/memory_order.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

// The shape of the scores of queries (..., n, d) and keys (..., m, d).
Shape scores_shape(const Tensor& query, const Tensor& key) {
  return append(without_last(query.shape(), 1), {key.size(-2)});
}

void check_lens(std::string_view op, const Tensor& lens, const Shape& rows) {
  if (!has_elements(lens)) return;
  check(lens.dtype() == int64, "{}: lens must be int64, got {}", op, name(lens.dtype()));
  check(broadcasts_to(lens.shape(), rows),
        "{}: lens must broadcast to the queries {}, got {}", op, rows, lens.shape());
  const double least = min(lens).item();
  check(least >= 0, "{}: lens must not be negative, got {}", op, least);
}

// `what` is an option that broadcasts to the scores.
void check_pairs(std::string_view op, std::string_view what, const Tensor& x, DType dtype,
                 const Shape& scores) {
  if (!has_elements(x)) return;
  check(x.dtype() == dtype, "{}: {} must be {}, got {}", op, what, name(dtype),
        name(x.dtype()));
  check(broadcasts_to(x.shape(), scores),
        "{}: {} must broadcast to the scores {}, got {}", op, what, scores, x.shape());
}

void check_dropout(std::string_view op, const AttentionOptions& options,
                   const Shape& scores) {
  check(0 < options.keep_probability && options.keep_probability <= 1,
        "{}: keep_probability must be above 0 and at most 1, got {}", op,
        options.keep_probability);
  if (!has_elements(options.dropout_bits)) return;
  Shape words = scores;
  words[scores.rank() - 1] = ceil_div(words[scores.rank() - 1], 64);
  check(options.dropout_bits.dtype() == int64 && options.dropout_bits.shape() == words,
        "{}: dropout_bits must be int64 {}, got {} {}", op, words,
        name(options.dropout_bits.dtype()), options.dropout_bits.shape());
}

}  // namespace

void check_attention(std::string_view op, const Tensor& query, const Tensor& key,
                     const Tensor& value, const AttentionOptions& options) {
  const Shape &q = query.shape(), &k = key.shape(), &v = value.shape();
  check_floating(op, query.dtype());
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
  const Shape scores = scores_shape(query, key);
  check_lens(op, options.lens, without_last(q, 1));
  check_pairs(op, "keep", options.keep, boolean, scores);
  check_pairs(op, "bias", options.bias, query.dtype(), scores);
  check_dropout(op, options, scores);
}

AttentionOptions options_to_read(const AttentionOptions& options, const Tensor& query,
                                 const Tensor& key) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::int64_t keys = key.size(-2);
  AttentionOptions read = options;
  read.keep = {};
  if (has_elements(read.dropout_bits)) read.dropout_bits = read.dropout_bits.contiguous();
  if (has_elements(options.keep)) {
    const Tensor keep =
        options.keep.dim() > 0 ? options.keep : unsqueeze(options.keep, 0);
    const Tensor lens = has_elements(options.lens) ? options.lens : full({}, keys, int64);
    // A query sees a key if the first that is kept comes before its len.
    read.lens = where(logical_and(any(keep, -1), argmax(keep, -1) < lens), lens, 0);
    const Tensor bias =
        has_elements(options.bias) ? options.bias : zeros({}, query.dtype());
    read.bias = where(options.keep, bias, -infinity);
  }
  if (has_elements(read.bias)) read.bias = expand(read.bias, scores_shape(query, key));
  return read;
}

ValidLens::ValidLens(const Tensor& lens, const Tensor& query, std::int64_t keys)
    : keys_(keys) {
  if (!has_elements(lens)) return;
  lens_ =
      matrices<std::int64_t>(unsqueeze(expand(lens, without_last(query.shape(), 1)), -1));
}

std::int64_t ValidLens::read(std::int64_t head, std::int64_t begin, std::int64_t end,
                             std::int64_t* lens) const {
  if (!lens_) {
    std::fill_n(lens, end - begin, keys_);
    return begin < end ? keys_ : 0;
  }
  const std::int64_t* const first = (*lens_)[head];
  std::int64_t longest = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t len = std::min(first[i * lens_->row_stride], keys_);
    lens[i - begin] = len;
    longest = std::max(longest, len);
  }
  return longest;
}

Tensor rows_like(const Tensor& x, std::int64_t columns) {
  const Shape rows = without_last(x.shape(), 1);
  const Dims order = memory_order(rows, without_last(x.strides(), 1));
  Strides strides = dense_strides(rows, order, columns);
  strides.push_back(1);
  const Shape shape = append(rows, {columns});
  return Tensor(empty(shape, x.dtype()).storage(), 0, shape, strides, x.dtype());
}

Cuts even_cuts(const std::vector<std::int64_t>& work) {
  constexpr std::int64_t runs_a_thread = 4;
  const std::int64_t total = std::accumulate(work.begin(), work.end(), std::int64_t{0});
  const std::int64_t threads = thread_count(total, 1, multiply_grain);
  const std::int64_t runs = threads > 1 ? threads * runs_a_thread : 1;
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
  const auto found = static_cast<std::int64_t>(cuts.size()) - 1;
  return {static_cast<int>(std::min(threads, found)), cuts};
}

}  // namespace heed
