#include "tests/golden/replay_module.h"

#include <fmt/core.h>

#include "nn/dropout.h"
#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/random/random.h"

namespace heed::golden {

void seed_dropout(const Case& c) {
  if (!c.gives("dropout_seed")) return;
  manual_seed(static_cast<std::uint64_t>(c.integer("dropout_seed")));
}

void expect_masks(const Case& c, Report& report) {
  seed_dropout(c);
  // The weights' mask is drawn before that of the result; a module with more than two
  // numbers them in their order.
  std::vector<std::string> names = {"buf.keep", "buf.keep_result"};
  for (const std::string& number : c.names("buf.keep")) {
    names.push_back("buf.keep." + number);
  }
  for (const std::string& name : names) {
    if (!c.has(name)) continue;
    const Variable whole = ones(c.tensor(name).shape(), c.dtype());
    const Tensor kept = nn::dropout(whole, c.number("dropout"), true).value() != 0.0;
    report.expect(name, kept.to(c.dtype()), exact);
  }
}

void expect_drawn(const Case& c, const DrawnInputs& drawn, Report& report) {
  for (const auto& [name, input] : drawn) {
    report.expect("in." + name, input.value, input.tolerance);
  }
  for (const std::string& name : c.names("in")) {
    if (is_floating(c.tensor("in." + name).dtype()) && !drawn.contains(name)) {
      throw CaseError(fmt::format("the recipe does not draw in.{}", name));
    }
  }
}

}  // namespace heed::golden
