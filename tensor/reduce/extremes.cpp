// The largest and the smallest elements, and where they are.
#include "tensor/reduce/reduce.h"
#include "tensor/reduce/reductions.h"

namespace heed {
namespace {

enum class Extreme { max, min };

Tensor extreme(std::string_view op, Extreme kind, const Reduced& r, const Shape& shape) {
  check(r.n > 0, "{}: cannot reduce over no elements, got {}", op, shape);
  Tensor out = empty(r.shape, r.elements.dtype());
  dispatch(out.dtype(), [&]<class T>() {
    const kernels::Fold<T> fold = kind == Extreme::max ? folds<T>().max : folds<T>().min;
    run_fold(fold, r.outer, r.n, r.inner, r.elements.data<T>(), out.mutable_data<T>());
  });
  return out;
}

// For each of the extremes the first place where it stands. Where the extreme is NaN,
// that is the first NaN: NaN equals nothing, and where it is not, there is none.
template <class T>
void locate(const Reduced& r, const T* extremes, std::int64_t* indices) {
  const T* const elements = r.elements.data<T>();
  parallel_for(r.outer, r.grain(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o) {
      const T* const x = elements + o * r.size();
      const T* const wanted = extremes + o * r.inner;
      std::int64_t* const index = indices + o * r.inner;
      if (r.inner == 1) {
        std::int64_t i = 0;
        while (!(x[i] == wanted[0]) && x[i] == x[i]) ++i;
        index[0] = i;
        continue;
      }
      for (std::int64_t i = r.n - 1; i >= 0; --i) {
        const T* const row = x + i * r.inner;
        for (std::int64_t j = 0; j < r.inner; ++j) {
          const bool here = (row[j] == wanted[j]) | (row[j] != row[j]);
          index[j] = here ? i : index[j];
        }
      }
    }
  });
}

WithIndices<Tensor> extreme_with_indices(std::string_view op, Extreme kind,
                                         const Reduced& r, const Shape& shape) {
  const Tensor values = extreme(op, kind, r, shape);
  Tensor indices = empty(r.shape, int64).fill_(0);
  if (indices.numel() == 0) return {values, indices};
  dispatch(values.dtype(), [&]<class T>() {
    locate(r, values.data<T>(), indices.mutable_data<std::int64_t>());
  });
  return {values, indices};
}

WithIndices<Tensor> along_dim(std::string_view op, Extreme kind, const Tensor& x,
                              std::int64_t dim, bool keepdim) {
  return extreme_with_indices(op, kind, reduced(op, x, Dims{dim}, keepdim), x.shape());
}

Tensor flat_index(std::string_view op, Extreme kind, const Tensor& x) {
  const Reduced r = reduced(op, x.contiguous(), {}, false);
  return extreme_with_indices(op, kind, r, x.shape()).indices;
}

}  // namespace

Tensor amax(const Tensor& x, const Dims& dims, bool keepdim) {
  return extreme("amax", Extreme::max, reduced("amax", x, dims, keepdim), x.shape());
}

Tensor amin(const Tensor& x, const Dims& dims, bool keepdim) {
  return extreme("amin", Extreme::min, reduced("amin", x, dims, keepdim), x.shape());
}

Tensor max(const Tensor& x) {
  return extreme("max", Extreme::max, reduced("max", x, {}, false), x.shape());
}

Tensor min(const Tensor& x) {
  return extreme("min", Extreme::min, reduced("min", x, {}, false), x.shape());
}

WithIndices<Tensor> max(const Tensor& x, Dim dim, bool keepdim) {
  return along_dim("max", Extreme::max, x, dim, keepdim);
}

WithIndices<Tensor> min(const Tensor& x, Dim dim, bool keepdim) {
  return along_dim("min", Extreme::min, x, dim, keepdim);
}

Tensor argmax(const Tensor& x) { return flat_index("argmax", Extreme::max, x); }

Tensor argmin(const Tensor& x) { return flat_index("argmin", Extreme::min, x); }

Tensor argmax(const Tensor& x, Dim dim, bool keepdim) {
  return along_dim("argmax", Extreme::max, x, dim, keepdim).indices;
}

Tensor argmin(const Tensor& x, Dim dim, bool keepdim) {
  return along_dim("argmin", Extreme::min, x, dim, keepdim).indices;
}

}  // namespace heed
