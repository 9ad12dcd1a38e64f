#include <fmt/core.h>

#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/views.h"
#include "tests/golden/op.h"

namespace heed::golden {
namespace {

std::int64_t dim(const Feed& in) { return in.c.integer("dim"); }

Outputs swapped(const Feed& in) {
  const Shape dims = in.shape("dims");
  if (dims.rank() != 2) throw CaseError("transpose takes two dims");
  return transpose(in["a"], dims[0], dims[1]);
}

// The note of a case may ask for a transposed input, which no view can reshape.
Outputs reshaped(const Feed& in) {
  const bool transposed = in.c.metadata("notes") == "after transpose(1, 2)";
  return reshape(transposed ? transpose(in["a"], 1, 2) : in["a"], in.shape("shape"));
}

Outputs squeezed(const Feed& in) {
  if (!in.c.gives("dim")) return squeeze(in["a"]);
  return squeeze(in["a"], dim(in));
}

Outputs interleaved(const Feed& in) {
  if (in.has("repeats")) return repeat_interleave(in["a"], in.tensor("repeats"), dim(in));
  const std::int64_t repeats = in.c.integer("repeats");
  if (!in.c.gives("dim")) return repeat_interleave(in["a"], repeats);
  return repeat_interleave(in["a"], repeats, dim(in));
}

// The inputs in the order of their names; a single one twice.
std::vector<Variable> parts(const Feed& in) {
  std::vector<Variable> list;
  for (const auto& [name, input] : in.all()) list.push_back(input);
  if (list.size() == 1) list.push_back(list[0]);
  return list;
}

// The pieces as y0, y1, ...; where the case holds one y, that is the last of them.
Outputs pieces(const Feed& in, const std::vector<Variable>& list) {
  if (in.c.has("out.y") && !list.empty()) return list.back();
  Outputs outputs;
  for (std::size_t i = 0; i < list.size(); ++i) outputs[fmt::format("y{}", i)] = list[i];
  return outputs;
}

// In pieces of one size, or of the sizes given.
Outputs pieces_of_split(const Feed& in) {
  const std::int64_t along = in.c.integer("dim", 0);
  if (in.c.gives("size")) {
    return pieces(in, split(in["a"], in.c.integer("size"), along));
  }
  return pieces(in, split_with_sizes(in["a"], in.c.list("sizes"), along));
}

Outputs sliced(const Feed& in) {
  return slice(in["a"], dim(in), in.c.integer("start", 0), in.c.integer("end", to_end),
               in.c.integer("step", 1));
}

}  // namespace

Ops shape_ops() {
  return {
      // views
      {"chunk",
       [](const Feed& in) {
         return pieces(in,
                       chunk(in["a"], in.c.integer("chunks"), in.c.integer("dim", 0)));
       }},
      {"detach", [](const Feed& in) -> Outputs { return in["a"].detach(); }},
      {"expand",
       [](const Feed& in) -> Outputs { return expand(in["a"], in.shape("shape")); }},
      {"flatten",
       [](const Feed& in) -> Outputs {
         return flatten(in["a"], in.c.integer("start", 0), in.c.integer("end", -1));
       }},
      {"permute",
       [](const Feed& in) -> Outputs { return permute(in["a"], in.dims("dims")); }},
      {"reshape", reshaped},
      {"select",
       [](const Feed& in) -> Outputs {
         return select(in["a"], dim(in), in.c.integer("index"));
       }},
      {"slice", sliced},
      {"split", pieces_of_split},
      {"squeeze", squeezed},
      {"transpose", swapped},
      {"unsqueeze",
       [](const Feed& in) -> Outputs { return unsqueeze(in["a"], dim(in)); }},
      {"view",
       [](const Feed& in) -> Outputs { return view(in["a"], in.shape("shape")); }},
      // joining and repeating
      {"cat",
       [](const Feed& in) -> Outputs { return cat(parts(in), in.c.integer("dim", 0)); }},
      {"flip", [](const Feed& in) -> Outputs { return flip(in["a"], in.dims("dim")); }},
      {"repeat",
       [](const Feed& in) -> Outputs { return repeat(in["a"], in.shape("repeats")); }},
      {"repeat_interleave", interleaved},
      {"stack",
       [](const Feed& in) -> Outputs {
         return stack(parts(in), in.c.integer("dim", 0));
       }},
      // indexing
      {"gather",
       [](const Feed& in) -> Outputs {
         return gather(in["a"], dim(in), in.tensor("index"));
       }},
      {"index_add",
       [](const Feed& in) -> Outputs {
         return index_add(in.shape("shape"), dim(in), in.tensor("index"), in["a"]);
       }},
      {"index_select",
       [](const Feed& in) -> Outputs {
         return index_select(in["a"], dim(in), in.tensor("index"));
       }},
      {"masked_scatter",
       [](const Feed& in) -> Outputs {
         return masked_scatter(in.shape("shape"), in.tensor("mask"), in["a"]);
       }},
      {"masked_select",
       [](const Feed& in) -> Outputs {
         return masked_select(in["a"], in.tensor("mask"));
       }},
      {"scatter_add",
       [](const Feed& in) -> Outputs {
         return scatter_add(in.shape("shape"), dim(in), in.tensor("index"), in["a"]);
       }},
      {"select_scatter",
       [](const Feed& in) -> Outputs {
         return select_scatter(in.shape("shape"), in["a"], dim(in),
                               in.c.integer("index"));
       }},
      {"slice_scatter",
       [](const Feed& in) -> Outputs {
         return slice_scatter(in.shape("shape"), in["a"], dim(in), in.c.integer("start"),
                              in.c.integer("step", 1));
       }},
      {"tril",
       [](const Feed& in) -> Outputs {
         return tril(in["a"], in.c.integer("diagonal", 0));
       }},
      {"triu",
       [](const Feed& in) -> Outputs {
         return triu(in["a"], in.c.integer("diagonal", 0));
       }},
  };
}

}  // namespace heed::golden
