// The table of single operations: the name of an op, and what computes it from the inputs
// and attributes of a case.
#pragma once

#include <functional>
#include <map>
#include <string_view>

#include "tests/golden/feed.h"

namespace heed::golden {

using In = const Feed&;
using Ops = std::map<std::string_view, std::function<Outputs(In)>>;

// The ops of Variables alone, called a and b.
template <Variable (*f)(const Variable&)>
Outputs unary(In in) {
  return f(in["a"]);
}
template <Variable (*f)(const Variable&, const Variable&)>
Outputs binary(In in) {
  return f(in["a"], in["b"]);
}

inline std::int64_t dim(In in) { return in.c.integer("dim"); }

// The results of the op that attr.op names. Throws CaseError when there is none of that
// name, and what the op throws.
Outputs compute(In in);

// op_elementwise.cpp: pairs, single elements, choosing, logic
Ops elementwise_ops();
// op_reductions.cpp: sums, extremes, softmax, products, order
Ops reduction_ops();
// op_shapes.cpp: views, joining, indexing
Ops shape_ops();
// op_composed.cpp: what is put together of others
Ops composed_ops();
// op_layers.cpp: layers, losses and small graphs
Ops layer_ops();
// op_attention.cpp: attention, its masks and its parts
Ops attention_ops();

}  // namespace heed::golden
