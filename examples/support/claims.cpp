#include "examples/support/claims.h"

#include <fmt/core.h>

#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/reductions.h"

namespace heed::support {

void Claims::expect(bool holds, std::string_view claim) {
  fmt::print("{}: {}\n", holds ? "checked" : "DOES NOT HOLD", claim);
  all_hold_ = all_hold_ && holds;
}

bool is_close(const Tensor& a, const Tensor& b, double tolerance) {
  check(a.shape() == b.shape(), "is_close: the shapes must be equal, got {} and {}",
        a.shape(), b.shape());
  return all(abs(a - b) <= tolerance).item() != 0;
}

bool is_equal(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && all(a == b).item() != 0;
}

bool are_shares(const Tensor& weights) {
  const Tensor sums = sum(weights, -1);
  return all(weights >= 0).item() != 0 && is_close(sums, ones_like(sums), 1e-6);
}

}  // namespace heed::support
