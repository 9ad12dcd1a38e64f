// What the replays found: computed tensors beside the stored ones.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/golden/case.h"

namespace heed::golden {

inline constexpr const char* from_seed = "from the seed";

// The comparisons of one case.
class Report {
 public:
  explicit Report(const Case& reference) : case_(reference) {}

  // Holds `got` against the stored tensor of that name: shape, dtype, values.
  void expect(const std::string& tensor, const Tensor& got);
  void expect(const std::string& tensor, const Tensor& got, Tolerance tolerance);
  // From now on the case is computed in another way, as `how` says: failures
  // name it, and finish() does not count what is compared then.
  void again(const std::string& how) { again_ = how; }
  // Something else that is wrong with the case.
  void fail(const std::string& message) { failures_.push_back(message); }
  // Fails for each out.*, step.*, final.* and grad.* that was compared with nothing.
  void finish();

  const std::vector<std::string>& failures() const { return failures_; }
  std::int64_t values() const { return values_; }
  // The largest error, as a multiple of what is allowed.
  double worst() const { return worst_; }
  // A number that depends on every bit computed, in order.
  std::uint64_t digest() const { return digest_; }

 private:
  void compare(const std::string& name, const Tensor& got, const Tensor& want,
               Tolerance tolerance);
  void digest_bytes(const void* bytes, std::size_t size);

  const Case& case_;
  std::string again_;
  std::set<std::string> seen_;
  std::vector<std::string> failures_;
  std::int64_t values_ = 0;
  double worst_ = 0;
  std::uint64_t digest_ = 14695981039346656037u;  // FNV-1a's start
};

// A step of FNV-1a, a hash by Fowler, Noll and Vo.
inline std::uint64_t fnv1a(std::uint64_t hash, std::uint8_t byte) {
  return (hash ^ byte) * 1099511628211u;
}

}  // namespace heed::golden
