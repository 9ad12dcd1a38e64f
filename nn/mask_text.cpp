#include "nn/mask_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tensor/core/views.h"

namespace heed::nn {
namespace {

constexpr std::int64_t max_grids = 4, max_queries = 16, max_keys = 32;

// A bool matrix (queries, keys) as lines of x and ., "..." standing for what is left out.
std::string grid(const Tensor& visible) {
  const std::int64_t rows = visible.size(0), columns = visible.size(1);
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < std::min(rows, max_queries); ++i) {
    std::string line;
    for (std::int64_t j = 0; j < std::min(columns, max_keys); ++j) {
      line += visible.at({i, j}) != 0 ? " x" : " .";
    }
    lines.push_back(columns > max_keys ? line + " ..." : line);
  }
  if (rows > max_queries) lines.push_back(" ...");
  return fmt::format("{}", fmt::join(lines, "\n"));
}

// Appends a grid for each index of the leading dimensions of visible (..., queries,
// keys), with the index above it if there are several. Stops when there is one grid more
// than are shown. `rank` is that of the scores.
void append_grids(std::vector<std::string>& grids, const Tensor& visible, int rank,
                  const std::string& place) {
  if (visible.dim() == 2) {
    grids.push_back((place.empty() ? "" : place + ":\n") + grid(visible));
    return;
  }
  const std::string what = rank > 4                    ? "place"
                           : rank - visible.dim() == 0 ? "batch"
                                                       : "head";
  for (std::int64_t i = 0; i < visible.size(0) && std::ssize(grids) <= max_grids; ++i) {
    const std::string here = fmt::format("{}{} {}", place.empty() ? "" : ", ", what, i);
    append_grids(grids, visible[i], rank, visible.size(0) == 1 ? place : place + here);
  }
}

// The scores' shape with those queries and keys only that a grid needs: those shown, and
// one more, which tells that some are left out.
Shape cut(const Shape& scores) {
  const int queries = scores.rank() - 2, keys = scores.rank() - 1;
  Shape part = scores;
  part[queries] = std::min(scores[queries], max_queries + 1);
  part[keys] = std::min(scores[keys], max_keys + 1);
  return part;
}

// Which keys each query attends to, broadcasting to cut(scores). The tensors of the mask
// are cut first, because all pairs of queries and keys may not fit into memory.
Tensor cut(const Mask::OnScores& mask, const Shape& scores) {
  const Shape part = cut(scores);
  const std::int64_t queries = part[part.rank() - 2], keys = part[part.rank() - 1];
  const auto first = [](Tensor& x, int dim, std::int64_t size) {
    if (x.defined() && x.dim() >= -dim) x = slice(x, dim, 0, std::min(x.size(dim), size));
  };
  Mask::OnScores cut_mask = mask;
  first(cut_mask.lens, -1, queries);
  first(cut_mask.keep, -1, keys);
  first(cut_mask.keep, -2, queries);
  return cut_mask.visible(keys);
}

}  // namespace

std::string grid_around(const Mask::OnScores& mask, const Shape& scores,
                        const Shape& index) {
  Tensor visible = expand(cut(mask, scores), cut(scores));
  for (int i = 0; i + 1 < index.rank(); ++i) visible = visible[index[i]];
  return grid(visible);
}

std::string causal_grids(std::int64_t queries, std::int64_t keys) {
  const auto aligned = [&](CausalAlign align) {
    return to_string(Mask::causal(align), {queries, keys});
  };
  return fmt::format("CausalAlign::top_left\n{}\nCausalAlign::bottom_right\n{}",
                     aligned(CausalAlign::top_left), aligned(CausalAlign::bottom_right));
}

std::string to_string(const Mask& mask, const Shape& scores) {
  const Mask::OnScores on_scores = mask.empty_rows(EmptyRows::zero).on(scores);
  if (count(scores) == 0) return "";
  Tensor visible = cut(on_scores, scores);
  while (visible.dim() < scores.rank()) visible = unsqueeze(visible, 0);
  // The leading sizes of the mask itself, 1 where all batches or heads are alike.
  Shape shape = visible.shape();
  shape[scores.rank() - 2] = cut(scores)[scores.rank() - 2];
  std::vector<std::string> grids;
  append_grids(grids, expand(visible, shape), scores.rank(), "");
  if (std::ssize(grids) > max_grids) grids.back() = " ...";
  return fmt::format("{}", fmt::join(grids, "\n\n"));
}

}  // namespace heed::nn
