// Every tensor that a derivative needs, overwritten after the op ran: backward must
// refuse, or the derivative must not have needed it.

#include <set>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "autograd/node.h"
#include "tests/autograd/overwriting.h"
#include "tests/errors.h"

using namespace heed;
using namespace heed::tests;

namespace {

// What the nodes behind x have saved for their rules.
void collect_saved(Node* node, std::set<Node*>& seen, std::vector<Tensor>& saved) {
  if (!node || !seen.insert(node).second) return;
  for (const SavedTensor& tensor : node->saved()) {
    if (tensor.value.defined() && tensor.value.numel() > 0) saved.push_back(tensor.value);
  }
  for (const NodeRef& input : node->inputs()) collect_saved(input.get(), seen, saved);
}

std::vector<Tensor> saved_by(const Run& run) {
  std::vector<Tensor> saved;
  std::set<Node*> seen;
  collect_saved(run.y.node().get(), seen, saved);
  return saved;
}

template <class F>
void for_each_sample(F&& f) {
  for (const OpRow& row : op_table()) {
    if (!row.differentiable) continue;
    for (std::size_t i = 0; i < row.samples.size(); ++i) {
      BOOST_TEST_CONTEXT(row.name << ", sample " << i) { f(row.samples[i]); }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(versions)

BOOST_AUTO_TEST_CASE(what_a_rule_needs_must_not_be_overwritten) {
  int refusals = 0;
  for_each_sample([&](const Sample& sample) {
    refusals += overwrite_in_turn(
        sample, [](Run&) {}, [](const Run& run) { return run.first(); });
  });
  BOOST_TEST(refusals > 400);
}

BOOST_AUTO_TEST_CASE(nor_what_the_rules_of_a_recorded_walk_need) {
  int refusals = 0;
  for_each_sample([&](const Sample& sample) {
    refusals += overwrite_in_turn(
        sample, [](Run& run) { run.differentiate(); },
        [](const Run& run) { return run.second(); });
  });
  BOOST_TEST(refusals > 400);
}

// Also what no user can overwrite, such as what layer_norm saves of each row.
BOOST_AUTO_TEST_CASE(whatever_is_saved_is_watched) {
  std::size_t watched = 0;
  for_each_sample([&](const Sample& sample) {
    const std::size_t count = saved_by(Run(sample)).size();
    for (std::size_t i = 0; i < count; ++i) {
      const Run run(sample);
      const Tensor saved = saved_by(run)[i];
      const Tensor element(saved.storage(), saved.offset(), {1}, {1}, saved.dtype());
      const Tensor before = element.clone();
      overwrite(element);
      BOOST_TEST(!unless_refused([&] { return run.first(); }));
      Tensor(element).copy_(before);  // the table may hold it
    }
    watched += count;
  });
  BOOST_TEST(watched > 200u);
}

BOOST_AUTO_TEST_CASE(indices_and_masks_are_the_user_s_and_watched) {
  const Tensor x = tensor({{3.0, 1.0, 2.0}, {4.0, 6.0, 5.0}}, float64);
  const Tensor line = tensor({1.0, 2.0}, float64);
  const Tensor rows = tensor({1, 0}), places = tensor({{1, 0, 1}, {0, 0, 1}});
  const Tensor mask = x > 2;
  struct Case {
    const char* name;
    std::function<std::pair<Variable, Tensor>(const Variable&)> run;  // y, what is saved
    Tensor x;
  };
  const auto with_indices = [](const WithIndices<Variable>& result) {
    return std::pair(result.values, result.indices);
  };
  const Case cases[] = {
      {"sort", [&](auto& x) { return with_indices(sort(x)); }, x},
      {"topk", [&](auto& x) { return with_indices(topk(x, 2)); }, x},
      {"max", [&](auto& x) { return with_indices(max(x, 1)); }, x},
      {"min", [&](auto& x) { return with_indices(min(x, 0, true)); }, x},
      {"index_select",
       [&](auto& x) {
         const Tensor index = rows.clone();
         return std::pair(index_select(x, 0, index), index);
       },
       x},
      {"index_add",
       [&](auto& x) {
         const Tensor index = rows.clone();
         return std::pair(index_add({4, 3}, 0, index, x), index);
       },
       x},
      {"gather",
       [&](auto& x) {
         const Tensor index = places.clone();
         return std::pair(gather(x, 0, index), index);
       },
       x},
      {"scatter_add",
       [&](auto& x) {
         const Tensor index = places.clone();
         return std::pair(scatter_add({4, 3}, 0, index, x), index);
       },
       x},
      {"masked_select",
       [&](auto& x) {
         const Tensor chosen = mask.clone();
         return std::pair(masked_select(x, chosen), chosen);
       },
       x},
      {"masked_scatter",
       [&](auto& x) {
         const Tensor chosen = tensor({1, 0, 1}).to(boolean);
         return std::pair(masked_scatter({3}, chosen, x), chosen);
       },
       line},
  };
  for (const auto& [name, run, x] : cases) {
    for (const auto& handle : {alias, part}) {
      const Variable leaf(x.clone(), true);
      const auto [y, index] = run(leaf);
      overwrite(handle(index));
      const std::string error = error_of([&, y = y] { sum(y).backward(); });
      BOOST_TEST(error ==
                 fmt::format("backward: a tensor of shape {} that {} needs for "
                             "its derivative was overwritten after {} ran; "
                             "write to a clone() of it, or after the backward; often the "
                             "cause is a step() of an optimiser between two "
                             "backwards",
                             index.shape(), name, name));
      BOOST_TEST(!leaf.has_grad());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
