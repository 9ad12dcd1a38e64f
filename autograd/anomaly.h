// Which op made the NaN? A check of every op and of every derivative.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "autograd/variable.h"

namespace heed {

struct OpInfo;

namespace detail {

// A scope of DetectAnomaly in the list of its thread, the innermost first.
struct AnomalyScope {
  const NamedVariables names;
  mutable const AnomalyScope* outer;
};

}  // namespace detail

// While such an object lives, every op on Variables that this thread runs, and every
// derivative that its backward passes compute, is checked. Error is thrown for the first
//   - op with a NaN in its result and in none of its inputs, or with an infinity in its
//     result and all inputs finite; the infinite number of a masked_fill or where is
//     meant,
//   - derivative that is not finite, although the gradient that it was given is,
//   - sum of finite gradients that is not finite.
// The message names the op, the shapes, the ops that led there, and the nearest value
// that `names` has, or the nearest leaf where it has none of them:
//   const DetectAnomaly detect(nn::named_parameters(net));
// A whole program is checked, without names, when it starts with HEED_DETECT_ANOMALY=1 in
// its environment. Every result is read once more, which takes time. Of several objects
// the youngest counts; they may end in any order, but in the thread that made them.
class DetectAnomaly {
 public:
  [[nodiscard]] explicit DetectAnomaly(NamedVariables names = {});
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  const detail::AnomalyScope scope_;
};

namespace detail {

// How many DetectAnomaly there are in all threads, and one more if the environment asks
// for checks. Every op reads it.
extern std::atomic<int> anomaly_checks;

inline bool detects_anomaly() {
  return anomaly_checks.load(std::memory_order_relaxed) != 0;
}

// Throws Error as DetectAnomaly does, if this thread checks and no rule is running: what
// a rule computes is checked when it delivers its result.
void check_op(const OpInfo& op, const Tensor& value,
              std::vector<std::reference_wrapper<const Variable>> inputs);

}  // namespace detail
}  // namespace heed
