#include "tensor/product/blis.h"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

#include <blis.h>
#include <fmt/format.h>

#include "tensor/kernels/level.h"
#include "tensor/product/vector_kernels.h"

namespace heed::blis {
namespace {

template <class T>
constexpr num_t type_id = std::is_same_v<T, float> ? BLIS_FLOAT : BLIS_DOUBLE;

// BLIS's own type of the micro-kernel.
template <class T>
using MicroKernel =
    std::conditional_t<std::is_same_v<T, float>, sgemm_ukr_ft, dgemm_ukr_ft>;

// BLIS's micro-kernel for T. One that writes columns gets b as its a, and a as its b: it
// computes cᵀ = bᵀ aᵀ, whose columns are the rows of c.
template <class T>
struct Kernel {
  MicroKernel<T> run;
  bool writes_columns;
  dim_t rows, columns;

  explicit Kernel(cntx_t* context)
      : run(reinterpret_cast<MicroKernel<T>>(
            bli_cntx_get_l3_vir_ukr_dt(type_id<T>, BLIS_GEMM_UKR, context))),
        writes_columns(
            !bli_cntx_l3_vir_ukr_prefers_rows_dt(type_id<T>, BLIS_GEMM_UKR, context)),
        rows(bli_cntx_get_blksz_def_dt(type_id<T>, BLIS_MR, context)),
        columns(bli_cntx_get_blksz_def_dt(type_id<T>, BLIS_NR, context)) {
    if (writes_columns) std::swap(rows, columns);
  }
};

// BLIS, started, and what the calls below need of it.
struct Library {
  arch_t arch = start();
  cntx_t* context = bli_gks_query_cntx();
  std::tuple<Kernel<float>, Kernel<double>> kernels{context, context};

 private:
  static arch_t start() {
    bli_init();  // without it bli_arch_query_id() may abort
    return bli_arch_query_id();
  }
};

const Library& library() {
  static const Library started;
  return started;
}

// TileKernels' multiply_panels(): tile by tile.
template <class T>
void multiply_panels(const kernels::PanelProduct<T>& x) {
  const Kernel<T>& kernel = std::get<Kernel<T>>(library().kernels);
  T scale = x.scale, beta = x.add ? T{1} : T{0};
  const auto run_tile = [&](dim_t m, dim_t n, const T* a, const T* b, T* c,
                            inc_t row_stride, inc_t column_stride) {
    T *const pa = const_cast<T*>(a), *const pb = const_cast<T*>(b);
    auxinfo_t hints{};  // what to fetch ahead: the panels in use will do
    bli_auxinfo_set_next_a(pa, &hints);
    bli_auxinfo_set_next_b(pb, &hints);
    kernel.run(m, n, x.k, &scale, pa, pb, &beta, c, row_stride, column_stride, &hints,
               library().context);
  };
  const T *const a = x.a.first, *b = x.b;
  for (std::int64_t j = 0; j < x.n; j += kernel.columns, b += x.panel_stride) {
    const dim_t n = std::min(kernel.columns, x.n - j);
    if (kernel.writes_columns) {
      run_tile(n, x.m, b, a, x.c + j, 1, x.c_stride);
    } else {
      run_tile(x.m, n, a, b, x.c + j, x.c_stride, 1);
    }
  }
  if (x.bias) {
    kernels::get<kernels::VectorKernels<T>>().add_row(x.m, x.n, x.bias, x.c, x.c_stride);
  }
}

}  // namespace

template <class T>
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix<const T> a,
          Matrix<const T> b, Matrix<T> c, int threads) {
  rntm_t options;
  bli_rntm_init(&options);
  bli_rntm_set_num_threads(threads, &options);
  // BLIS's path for small products may add up in an order that depends on the threads.
  bli_rntm_disable_l3_sup(&options);
  T one = 1, zero = 0;
  T* const pa = const_cast<T*>(a.first);
  T* const pb = const_cast<T*>(b.first);
  if constexpr (std::is_same_v<T, float>) {
    bli_sgemm_ex(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, m, n, k, &one, pa, a.row_stride,
                 a.column_stride, pb, b.row_stride, b.column_stride, &zero, c.first,
                 c.row_stride, c.column_stride, nullptr, &options);
  } else {
    bli_dgemm_ex(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, m, n, k, &one, pa, a.row_stride,
                 a.column_stride, pb, b.row_stride, b.column_stride, &zero, c.first,
                 c.row_stride, c.column_stride, nullptr, &options);
  }
}

template <class T>
const kernels::TileKernels<T>& tile_kernels() {
  static const Kernel<T>& kernel = std::get<Kernel<T>>(library().kernels);
  static const kernels::TileKernels<T> found{.tile_rows = kernel.rows,
                                             .tile_columns = kernel.columns,
                                             .needs_panels_of_a = true,
                                             .multiply_panels = multiply_panels<T>};
  return found;
}

std::string description() {
  const char* const version = bli_info_get_version_str();
  // At other levels BLIS is not started only for its name: that takes 1.3 MiB.
  if (kernels::level() != kernels::Level::baseline)
    return fmt::format("BLIS {}", version);
  return fmt::format("BLIS {} ({} kernels)", version, bli_arch_string(library().arch));
}

template void gemm(std::int64_t, std::int64_t, std::int64_t, Matrix<const float>,
                   Matrix<const float>, Matrix<float>, int);
template void gemm(std::int64_t, std::int64_t, std::int64_t, Matrix<const double>,
                   Matrix<const double>, Matrix<double>, int);
template const kernels::TileKernels<float>& tile_kernels();
template const kernels::TileKernels<double>& tile_kernels();

}  // namespace heed::blis
