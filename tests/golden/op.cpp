#include "tests/golden/op.h"

#include <fmt/core.h>

#include "tests/golden/replay.h"

namespace heed::golden {
namespace {

Ops all_ops() {
  Ops ops;
  for (Ops family : {elementwise_ops(), reduction_ops(), shape_ops(), composed_ops(),
                     layer_ops(), attention_ops()}) {
    ops.merge(family);
  }
  return ops;
}

}  // namespace

Outputs compute(In in) {
  static const Ops ops = all_ops();
  const std::string name = in.c.text("op");
  const auto op = ops.find(name);
  if (op == ops.end()) throw CaseError(fmt::format("unknown op {}", name));
  return op->second(in);
}

void replay_op(const Case& c, Report& report) {
  const Feed feed(c);
  expect_all(feed, compute(feed), report);
}

}  // namespace heed::golden
