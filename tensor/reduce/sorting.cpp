#include "tensor/reduce/sorting.h"

#include <algorithm>
#include <numeric>

#include "tensor/core/views.h"
#include "tensor/reduce/reduce.h"

namespace heed {
namespace {

// Whether a comes before b. NaN counts as the largest; two NaN are equal.
template <class T>
bool before(T a, T b, bool descending) {
  if (descending) std::swap(a, b);
  return a < b || (b != b && a == a);
}

// A scalar as one element along one dimension.
Tensor at_least_1d(const Tensor& x) { return x.dim() == 0 ? reshape(x, {1}) : x; }

// The first k of each row in order. `rows` is contiguous, (..., n); both results are
// (..., k).
WithIndices<Tensor> order_rows(const Tensor& rows, std::int64_t k, bool descending) {
  const std::int64_t n = rows.shape()[rows.dim() - 1];
  Shape shape = rows.shape();
  shape[shape.rank() - 1] = k;
  const std::int64_t count = rows.numel() / std::max<std::int64_t>(n, 1);
  Tensor places = empty(rows.shape(), int64);  // all n, even if only k are wanted
  Tensor values = empty(shape, rows.dtype()), indices = empty(shape, int64);
  dispatch(rows.dtype(), [&]<class T>() {
    const T* const elements = rows.data<T>();
    std::int64_t* const all = places.mutable_data<std::int64_t>();
    T* const ordered = values.mutable_data<T>();
    std::int64_t* const found = indices.mutable_data<std::int64_t>();
    parallel_for(count, 16 * n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t r = begin; r < end; ++r) {
        const T* const x = elements + r * n;
        std::int64_t* const place = all + r * n;
        std::iota(place, place + n, 0);
        const auto earlier = [&](std::int64_t a, std::int64_t b) {
          return before(x[a], x[b], descending);
        };
        if (k == n) {
          std::stable_sort(place, place + n, earlier);
        } else {  // not stable: equal elements by their place
          std::partial_sort(place, place + k, place + n,
                            [&](std::int64_t a, std::int64_t b) {
                              return earlier(a, b) || (!earlier(b, a) && a < b);
                            });
        }
        for (std::int64_t i = 0; i < k; ++i) {
          ordered[r * k + i] = x[place[i]];
          found[r * k + i] = place[i];
        }
      }
    });
  });
  return {values, indices};
}

WithIndices<Tensor> order_along(const Tensor& x, std::int64_t k, int dim,
                                bool descending) {
  const Tensor rows = transpose(at_least_1d(x), dim, -1).contiguous();
  const auto [values, indices] = order_rows(rows, k, descending);
  if (x.dim() == 0) return {reshape(values, {}), reshape(indices, {})};
  return {transpose(values, dim, -1).contiguous(),
          transpose(indices, dim, -1).contiguous()};
}

}  // namespace

WithIndices<Tensor> sort(const Tensor& x, Dim dim, bool descending) {
  const int d = normalize_dim("sort", dim, x.dim());
  return order_along(x, x.dim() == 0 ? 1 : x.shape()[d], d, descending);
}

Tensor argsort(const Tensor& x, Dim dim, bool descending) {
  return sort(x, normalize_dim("argsort", dim, x.dim()), descending).indices;
}

WithIndices<Tensor> topk(const Tensor& x, Size k, Dim dim, bool largest) {
  const int d = normalize_dim("topk", dim, x.dim());
  const std::int64_t least = x.dim() == 0 ? 1 : 0;  // a scalar has no empty part
  const std::int64_t size = x.dim() == 0 ? 1 : x.shape()[d];
  check(least <= k && k <= size, "topk: k must be from {} to {}, got {}", least, size, k);
  return order_along(x, k, d, largest);
}

Tensor cumsum(const Tensor& x, Dim dim) {
  const Reduced r = along("cumsum", x.dtype() == boolean ? x.to(int64) : x, dim);
  Tensor out = empty(x.shape(), r.elements.dtype());
  if (out.numel() == 0) return out;
  dispatch(out.dtype(), [&]<class T>() {
    // float32 is added up in double, int64 in its unsigned twin, which may wrap around.
    using Running =
        std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
    const T* const from = r.elements.data<T>();
    T* const to = out.mutable_data<T>();
    const auto add_up = [&](Running& sum, std::int64_t i) {
      sum += static_cast<Running>(from[i]);
      to[i] = static_cast<T>(sum);
    };
    parallel_for(r.outer, r.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) {
        const std::int64_t first = o * r.size(), last = first + r.size();
        // Columns one by one, or side by side where each number of a column has a cache
        // line of its own.
        if (r.inner < 16) {
          for (std::int64_t j = 0; j < r.inner; ++j) {
            Running sum = 0;
            for (std::int64_t i = first + j; i < last; i += r.inner) add_up(sum, i);
          }
          continue;
        }
        constexpr std::int64_t most = 256;
        for (std::int64_t j = 0; j < r.inner; j += most) {
          Running sums[most] = {};
          const std::int64_t columns = std::min(r.inner - j, most);
          for (std::int64_t i = first + j; i < last; i += r.inner) {
            for (std::int64_t c = 0; c < columns; ++c) add_up(sums[c], i + c);
          }
        }
      }
    });
  });
  return out;
}

}  // namespace heed
