#include "tensor/kernels/attention.h"

#include "tensor/kernels/softmax.h"

namespace heed::kernels::HEED_KERNELS {
namespace {

// Calls f<width>() for the widths that micro-kernels have on this kind of processor, and
// f<0>() for others: a loop of known length is a few instructions.
template <class F>
void for_width(Size width, F&& f) {
  switch (width) {
    case 8: return f.template operator()<8>();
    case 16: return f.template operator()<16>();
    case 32: return f.template operator()<32>();
    default: return f.template operator()<0>();
  }
}

// Sums of so many rows are added up, and not single elements: the error grows more
// slowly.
constexpr Size rows_at_once = 64;

template <int fixed, class T>
void exp_columns(Size n, Size any_width, const Size* lens, T* x, T* largest,
                 T* inverse_sums) {
  const int width = fixed ? fixed : static_cast<int>(any_width);
  constexpr int most = fixed ? fixed : static_cast<int>(columns);
  int seen[most];
  T shift[most], sum[most], part[most];
  int shortest = static_cast<int>(n);
  for (int j = 0; j < width; ++j) {
    seen[j] = static_cast<int>(lens[j] < n ? lens[j] : n);
    shortest = seen[j] < shortest ? seen[j] : shortest;
    sum[j] = 0;
  }
  for (int i = shortest; i < n; ++i) {
    T* const row = x + Size{i} * width;
#pragma omp simd
    for (int j = 0; j < width; ++j) row[j] = i < seen[j] ? row[j] : -infinity;
  }
  fold_rows<Largest>(n, width, x, shift);
  for (Size i = 0; i < n; i += rows_at_once, x += rows_at_once * width) {
    const Size now = n - i < rows_at_once ? n - i : rows_at_once;
    for (Size r = 0; r < now; ++r) {
      T* const row = x + r * width;
      for_elements<T>(width, [&](int j) { row[j] = exp(row[j] - shift[j]); });
    }
    fold_rows<Sum>(now, width, x, part);
    for (int j = 0; j < width; ++j) sum[j] += part[j];
  }
  for (int j = 0; j < width; ++j) {
    largest[j] = shift[j];
    inverse_sums[j] = 1 / sum[j];
  }
}

template <int fixed, class T>
void weights(Size rows, Size any_width, Size first, const Size* lens, const T* largest,
             const T* inverse_sums, const T* dots, T* s, T* d) {
  const int width = fixed ? fixed : static_cast<int>(any_width);
  for (Size i = 0; i < rows; ++i, s += width) {
    const Size beyond = lens[i] - first;
    const int seen = static_cast<int>(beyond < 0 ? 0 : beyond < width ? beyond : width);
    for_elements<T>(width, [&](int j) {
      const T p = exp(s[j] - largest[i]) * inverse_sums[i];
      s[j] = j < seen ? p : 0;
    });
    if (!d) continue;
#pragma omp simd
    for (int j = 0; j < width; ++j) d[j] = j < seen ? s[j] * (d[j] - dots[i]) : 0;
    d += width;
  }
}

template <class T>
void exp_columns_flushed(Size n, Size width, const Size* lens, T* x, T* largest,
                         T* inverse_sums) {
  for_width(width, [&]<int fixed>() {
    flushed<exp_columns<fixed, T>>(n, width, lens, x, largest, inverse_sums);
  });
}

template <class T>
void weights_flushed(Size rows, Size width, Size first, const Size* lens,
                     const T* largest, const T* inverse_sums, const T* dots, T* s, T* d) {
  for_width(width, [&]<int fixed>() {
    flushed<weights<fixed, T>>(rows, width, first, lens, largest, inverse_sums, dots, s,
                               d);
  });
}

template <class T>
constexpr AttentionLoops<T> loops = {exp_columns_flushed<T>, weights_flushed<T>};

constexpr AttentionTable table = {loops<float>, loops<double>};

}  // namespace

const AttentionTable& attention() { return table; }

}  // namespace heed::kernels::HEED_KERNELS
