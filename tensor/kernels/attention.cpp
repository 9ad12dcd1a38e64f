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

template <class T>
T log_sum(T sum) {
  if constexpr (std::is_same_v<T, float>) {
    return log(sum);
  } else {
    return log_of(sum);
  }
}

// Sums of so many rows are added up, and not single elements: the error grows more
// slowly.
constexpr Size rows_at_once = 64;

template <Size fixed, class T>
void exp_columns(Size n, Size any_width, T* x, T* inverse_sums, T* log_sums) {
  const Size width = fixed ? fixed : any_width;
  T shift[columns], sum[columns] = {}, part[columns];
  fold_rows<Largest>(n, width, x, shift);
  for (Size i = 0; i < n; i += rows_at_once, x += rows_at_once * width) {
    const Size now = n - i < rows_at_once ? n - i : rows_at_once;
    for (Size r = 0; r < now; ++r) {
      T* const row = x + r * width;
      if constexpr (std::is_same_v<T, float>) {
#pragma omp simd
        for (Size j = 0; j < width; ++j) row[j] = exp(row[j] - shift[j]);
      } else {
        for (Size j = 0; j < width; ++j) row[j] = exp(row[j] - shift[j]);
      }
    }
    fold_rows<Sum>(now, width, x, part);
    for (Size j = 0; j < width; ++j) sum[j] += part[j];
  }
  for (Size j = 0; j < width; ++j) {
    inverse_sums[j] = 1 / sum[j];
    log_sums[j] = shift[j] + log_sum(sum[j]);
  }
}

template <Size fixed, class T>
void weights(Size rows, Size any_width, Size first, const Size* lens, const T* log_sums,
             const T* dots, T* s, T* d) {
  const Size width = fixed ? fixed : any_width;
  for (Size i = 0; i < rows; ++i, s += width) {
    const Size beyond = lens[i] - first;
    const int seen = static_cast<int>(beyond < 0 ? 0 : beyond < width ? beyond : width);
    const auto weight = [&](int j) {
      const T e = exp(s[j] - log_sums[i]);
      s[j] = j < seen ? e : 0;
    };
    if constexpr (std::is_same_v<T, float>) {
#pragma omp simd
      for (int j = 0; j < width; ++j) weight(j);
    } else {
      for (int j = 0; j < width; ++j) weight(j);
    }
    if (!d) continue;
#pragma omp simd
    for (Size j = 0; j < width; ++j) d[j] = s[j] * (d[j] - dots[i]);
    d += width;
  }
}

template <class T>
void exp_columns_flushed(Size n, Size width, T* x, T* inverse_sums, T* log_sums) {
  for_width(width, [&]<Size fixed>() {
    flushed<exp_columns<fixed, T>>(n, width, x, inverse_sums, log_sums);
  });
}

template <class T>
void weights_flushed(Size rows, Size width, Size first, const Size* lens,
                     const T* log_sums, const T* dots, T* s, T* d) {
  for_width(width, [&]<Size fixed>() {
    flushed<weights<fixed, T>>(rows, width, first, lens, log_sums, dots, s, d);
  });
}

template <class T>
constexpr AttentionLoops<T> loops = {exp_columns_flushed<T>, weights_flushed<T>};

constexpr AttentionTable table = {loops<float>, loops<double>};

}  // namespace

const AttentionTable& attention() { return table; }

}  // namespace heed::kernels::HEED_KERNELS
