#include <fmt/core.h>

#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/views.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

Outputs swapped(In in) {
  const Shape dims = in.shape("dims");
  if (dims.rank() != 2) throw CaseError("transpose takes two dims");
  return transpose(in["a"], dims[0], dims[1]);
}

// The note of a case may ask for a transposed input, which no view can reshape.
Outputs reshaped(In in) {
  const bool transposed = in.c.metadata("notes") == "after transpose(1, 2)";
  return reshape(transposed ? transpose(in["a"], 1, 2) : in["a"], in.shape("shape"));
}

Outputs squeezed(In in) {
  if (!in.c.gives("dim")) return squeeze(in["a"]);
  return squeeze(in["a"], dim(in));
}

Outputs interleaved(In in) {
  if (in.has("repeats")) return repeat_interleave(in["a"], in.tensor("repeats"), dim(in));
  const std::int64_t repeats = in.c.integer("repeats");
  if (!in.c.gives("dim")) return repeat_interleave(in["a"], repeats);
  return repeat_interleave(in["a"], repeats, dim(in));
}

// The inputs in the order of their names; a single one twice.
std::vector<Variable> parts(In in) {
  std::vector<Variable> list;
  for (const auto& [name, input] : in.all()) list.push_back(input);
  if (list.size() == 1) list.push_back(list[0]);
  return list;
}

// The pieces as y0, y1, ...; where the case holds a single y, only the last piece.
Outputs pieces(In in, const std::vector<Variable>& list) {
  if (in.c.has("out.y") && !list.empty()) return list.back();
  Outputs outputs;
  for (std::size_t i = 0; i < list.size(); ++i) outputs[fmt::format("y{}", i)] = list[i];
  return outputs;
}

// In pieces of one size, or of the sizes given.
Outputs pieces_of_split(In in) {
  const std::int64_t along = in.c.integer("dim", 0);
  if (in.c.gives("size")) {
    return pieces(in, split(in["a"], in.c.integer("size"), along));
  }
  return pieces(in, split_with_sizes(in["a"], in.c.list("sizes"), along));
}

Outputs sliced(In in) {
  return slice(in["a"], dim(in), in.c.integer("start", 0), in.c.integer("end", to_end),
               in.c.integer("step", 1));
}

}  // namespace

Ops shape_ops() {
  return {
      // views
      {"chunk",
       [](In in) {
         return pieces(in,
                       chunk(in["a"], in.c.integer("chunks"), in.c.integer("dim", 0)));
       }},
      {"detach", [](In in) { return Variable(in["a"].detach()); }},
      {"expand", [](In in) { return expand(in["a"], in.shape("shape")); }},
      {"flatten",
       [](In in) {
         return flatten(in["a"], in.c.integer("start", 0), in.c.integer("end", -1));
       }},
      {"permute", [](In in) { return permute(in["a"], in.dims("dims")); }},
      {"reshape", reshaped},
      {"select", [](In in) { return select(in["a"], dim(in), in.c.integer("index")); }},
      {"slice", sliced},
      {"split", pieces_of_split},
      {"squeeze", squeezed},
      {"transpose", swapped},
      {"unsqueeze", [](In in) { return unsqueeze(in["a"], dim(in)); }},
      {"view", [](In in) { return view(in["a"], in.shape("shape")); }},
      // joining and repeating
      {"cat", [](In in) { return cat(parts(in), in.c.integer("dim", 0)); }},
      {"clone", [](In in) { return in["a"].clone(); }},
      {"flip", [](In in) { return flip(in["a"], in.dims("dim")); }},
      {"repeat", [](In in) { return repeat(in["a"], in.shape("repeats")); }},
      {"repeat_interleave", interleaved},
      {"roll", [](In in) { return roll(in["a"], in.c.integer("shift"), dim(in)); }},
      {"stack", [](In in) { return stack(parts(in), in.c.integer("dim", 0)); }},
      // indexing
      {"diagonal", [](In in) { return diagonal(in["a"]); }},
      {"gather", [](In in) { return gather(in["a"], dim(in), in.tensor("index")); }},
      {"index_add",
       [](In in) {
         return index_add(in.shape("shape"), dim(in), in.tensor("index"), in["a"]);
       }},
      {"index_select",
       [](In in) { return index_select(in["a"], dim(in), in.tensor("index")); }},
      {"masked_scatter",
       [](In in) {
         return masked_scatter(in.shape("shape"), in.tensor("mask"), in["a"]);
       }},
      {"masked_select", [](In in) { return masked_select(in["a"], in.tensor("mask")); }},
      {"scatter_add",
       [](In in) {
         return scatter_add(in.shape("shape"), dim(in), in.tensor("index"), in["a"]);
       }},
      {"select_scatter",
       [](In in) {
         return select_scatter(in.shape("shape"), in["a"], dim(in),
                               in.c.integer("index"));
       }},
      {"slice_scatter",
       [](In in) {
         return slice_scatter(in.shape("shape"), in["a"], dim(in), in.c.integer("start"),
                              in.c.integer("step", 1));
       }},
      {"tril", [](In in) { return tril(in["a"], in.c.integer("diagonal", 0)); }},
      {"triu", [](In in) { return triu(in["a"], in.c.integer("diagonal", 0)); }},
  };
}

}  // namespace heed::golden
