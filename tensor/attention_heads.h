// What the two directions of attention share: the operands, head by head, and the sharing
// out of the work. Only attention.cpp and attention_backward.cpp include this file.
//
// A head is one (queries, features) matrix of a batch with its keys and values; which of
// the leading dimensions means the batch and which the heads makes no difference here.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/kernels/attention.h"
#include "tensor/kernels/level.h"
#include "tensor/panels.h"
#include "tensor/parallel.h"
#include "tensor/tensor.h"

namespace heed {

// The matrices of a tensor (..., rows, columns), wherever they lie.
template <class T>
struct Matrices {
  T* first;
  Shape shape;
  Strides strides;
  std::int64_t row_step, column_step;

  Matrices(const Tensor& x, T* first)
      : first(first),
        shape(x.shape()),
        strides(x.strides()),
        row_step(strides[x.dim() - 2]),
        column_step(strides[x.dim() - 1]) {}

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

// How many keys each query sees: query i sees keys 0 to lens[i] - 1.
class Prefixes {
 public:
  Prefixes(const std::optional<Tensor>& lens, const Tensor& query, std::int64_t keys);

  // Those of queries begin to end of a head. Returns the largest.
  std::int64_t read(std::int64_t head, std::int64_t begin, std::int64_t end,
                    std::int64_t* lens) const;

 private:
  std::optional<Matrices<const std::int64_t>> lens_;  // (..., queries, 1)
  std::int64_t keys_;
};

// Throws Error, naming `op`, unless the operands fit together.
void check_attention(std::string_view op, const Tensor& query, const Tensor& key,
                     const Tensor& value, const std::optional<Tensor>& lens);

// A tensor of x's shape but for the last size, which is `columns`. Its rows are
// contiguous, and lie in memory in the order of x's rows.
Tensor empty_rows_like(const Tensor& x, std::int64_t columns);

// The operands, checked.
template <class T>
struct Heads {
  std::int64_t count, queries, keys, features, value_features;
  Matrices<const T> query, key, value;
  Prefixes prefixes;
  T scale;

  Heads(const Tensor& query, const Tensor& key, const Tensor& value,
        const std::optional<Tensor>& lens, double scale)
      : count(1),
        queries(query.size(-2)),
        keys(key.size(-2)),
        features(query.size(-1)),
        value_features(value.size(-1)),
        query(matrices<T>(query)),
        key(matrices<T>(key)),
        value(matrices<T>(value)),
        prefixes(lens, query, keys),
        scale(static_cast<T>(scale)) {
    for (int d = 0; d < query.dim() - 2; ++d) count *= query.shape()[d];
  }
};

// Cuts a list of items, of which the multiply-adds of each are given, into runs of about
// equal work, as many as there are threads if that pays. Run i is from cut i to i + 1.
std::vector<std::int64_t> even_cuts(const std::vector<std::int64_t>& work);

// Has workers, each made as Worker(args...), compute(begin, end) the runs of
// even_cuts(work), one worker a run. All are made before the threads start: taking their
// memory may throw, which no thread must. They do not move, hence the deque.
template <class Worker, class... Args>
void compute_in_runs(const std::vector<std::int64_t>& work, const Args&... args) {
  const std::vector<std::int64_t> cuts = even_cuts(work);
  std::deque<Worker> workers;
  while (workers.size() + 1 < cuts.size()) workers.emplace_back(args...);
  const auto runs = static_cast<std::int64_t>(workers.size());
  parallel_for(runs, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      workers[i].compute(cuts[i], cuts[i + 1]);
  });
}

// The kernels of attention for an element type.
const kernels::AttentionTable& attention_kernels();

template <class T>
const kernels::AttentionLoops<T>& attention_loops() {
  return kernels::of_type<T>(attention_kernels());
}

// An operand packed in panels, with memory for the largest that it is made for.
template <class T>
class Packed {
 public:
  Packed(std::int64_t lines, std::int64_t width, std::int64_t depth)
      : panels_(lines, width, depth), memory_(panels_.total()) {}

  void pack(std::int64_t lines, std::int64_t depth, const T* x, std::int64_t step,
            std::int64_t depth_step) {
    panels_ = Panels<T>(lines, panels_.width, depth);
    panels_.pack(x, step, depth_step, 0, panels_.count, memory_.first());
  }
  std::int64_t count() const { return panels_.count; }
  const T* operator[](std::int64_t panel) const {
    return memory_.first() + panel * panels_.size;
  }

 private:
  Panels<T> panels_;
  Buffer<T> memory_;
};

}  // namespace heed
