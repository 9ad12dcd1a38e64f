#include "tests/golden/report.h"

#include <bit>
#include <cmath>

#include <fmt/core.h>

#include "tests/golden/case.h"
#include "tests/infinity.h"

namespace heed::golden {
namespace {

// The error as a multiple of what is allowed: at most 1 passes.
template <class T>
double excess(T got, T want, Tolerance tolerance) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(got) && std::isnan(want)) return 0;
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    if (std::bit_cast<Bits>(got) == std::bit_cast<Bits>(want)) return 0;
    const bool approximate = tolerance.rtol != 0 || tolerance.atol != 0;
    if (!approximate) return infinity;
    if (got == want) return 0;
    if (!std::isfinite(got) || !std::isfinite(want)) return infinity;
    const double error = std::abs(double{got} - double{want});
    const double allowed = tolerance.atol + tolerance.rtol * std::abs(double{want});
    const double ratio = error / allowed;
    return error <= allowed ? std::min(ratio, 1.0) : std::max(ratio, 1 + 1e-9);
  } else {
    return got == want ? 0 : infinity;
  }
}

// The place of element `i` in row-major order, as "[1, 2]".
std::string place(std::int64_t i, const Shape& shape) {
  if (shape.rank() == 0) return "";
  std::string text;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    text = fmt::format("{}{}{}", i % shape[d], text.empty() ? "" : ", ", text);
    i /= shape[d];
  }
  return "[" + text + "]";
}

}  // namespace

void Report::expect(const std::string& tensor, const Tensor& got) {
  expect(tensor, got, case_.tolerance());
}

void Report::expect(const std::string& tensor, const Tensor& got, Tolerance tolerance) {
  if (again_.empty()) seen_.insert(tensor);
  const std::string name = again_.empty() ? tensor : tensor + " " + again_;
  compare(name, got, case_.tensor(tensor), tolerance);
}

void Report::finish() {
  for (const auto& [name, tensor] : case_.tensors()) {
    const bool result = name.starts_with("out.") || name.starts_with("step.") ||
                        name.starts_with("final.") || name.starts_with("grad.");
    if (result && !seen_.contains(name)) fail(name + ": not computed");
  }
}

void Report::compare(const std::string& name, const Tensor& got, const Tensor& want,
                     Tolerance tolerance) {
  if (got.dtype() != want.dtype()) {
    return fail(fmt::format("{}: got the dtype {}, want {}", name,
                            heed::name(got.dtype()), heed::name(want.dtype())));
  }
  if (!(got.shape() == want.shape())) {
    return fail(
        fmt::format("{}: got the shape {}, want {}", name, got.shape(), want.shape()));
  }
  dispatch(want.dtype(), [&]<class T>() {
    const Tensor dense = got.contiguous();
    const std::int64_t numel = want.numel();
    const T* g = dense.data<T>();
    const T* w = want.data<T>();
    digest_bytes(g, static_cast<std::size_t>(numel) * sizeof(T));
    values_ += numel;

    std::int64_t wrong = 0, at = 0;
    double largest = -1;
    for (std::int64_t i = 0; i < numel; ++i) {
      const double error = excess<T>(g[i], w[i], tolerance);
      worst_ = std::max(worst_, error);
      if (error <= 1) continue;
      ++wrong;
      if (error > largest) {
        largest = error;
        at = i;
      }
    }
    if (wrong == 0) return;
    fail(fmt::format("{}{}: got {}, want {} ({:.3g} times the tolerance; {} of {} wrong)",
                     name, place(at, want.shape()), g[at], w[at], largest, wrong, numel));
  });
}

void Report::digest_bytes(const void* bytes, std::size_t size) {
  const auto* byte = static_cast<const std::uint8_t*>(bytes);
  for (std::size_t i = 0; i < size; ++i) digest_ = fnv1a(digest_, byte[i]);
}

}  // namespace heed::golden
