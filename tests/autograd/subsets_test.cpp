// Every op of the table with every choice of the inputs that ask for gradients, of those
// whose gradients grad() wants, and of those by which these are differentiated again.
// ops_test.cpp holds the derivatives by all inputs against differences; here each choice
// must give the same numbers.

#include <cmath>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "tests/autograd/op_table.h"
#include "tests/compare.h"

using namespace heed;
using namespace heed::tests;

namespace {

// A bit for each of a sample's float64 inputs, of which there are few.
using Subset = unsigned;
bool has(Subset set, std::size_t i) { return (set >> i & 1) != 0; }

// A sample with fixed numbers: u weights the result's elements, v those of the gradients.
struct Problem {
  const Sample& sample;
  std::vector<std::size_t> places;  // of the float64 inputs
  Tensor u;
  std::vector<Tensor> v;

  explicit Problem(const Sample& sample) : sample(sample) {
    Generator generator(5);
    for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
      const Tensor& x = sample.inputs[i];
      if (x.dtype() != float64) continue;
      places.push_back(i);
      v.push_back(rand(x.shape(), float64, generator) + 0.5);
    }
    const std::vector<Variable> constants(sample.inputs.begin(), sample.inputs.end());
    u = rand(sample.f(constants).shape(), float64, generator) + 0.5;
  }
  Subset all() const { return (1u << places.size()) - 1; }
};

// The derivatives of (result · u) by the `wanted` of the inputs, with create_graph,
// where the `tracked` ask for gradients, and u if it is `weighted`.
struct Run {
  std::vector<Variable> leaves;  // the float64 inputs
  Variable u;
  std::vector<Variable> first;  // those not wanted are empty

  Run(const Problem& p, Subset tracked, Subset wanted, bool weighted)
      : u(p.u, weighted), first(p.places.size()) {
    std::vector<Variable> in(p.sample.inputs.begin(), p.sample.inputs.end());
    std::vector<Variable> asked;
    for (std::size_t i = 0; i < p.places.size(); ++i) {
      in[p.places[i]] = Variable(p.sample.inputs[p.places[i]], has(tracked, i));
      leaves.push_back(in[p.places[i]]);
      if (has(wanted, i)) asked.push_back(leaves[i]);
    }
    const std::vector<Variable> found =
        grad(sum(p.sample.f(in) * u), asked, {.create_graph = true});
    std::size_t next = 0;
    for (std::size_t i = 0; i < p.places.size(); ++i) {
      if (has(wanted, i)) first[i] = found[next++];
    }
  }

  // The derivatives of (first[i] · v[i]), summed over the i of `from`, by the inputs in
  // `by`, and last by u if it is weighted.
  std::vector<Tensor> second(const Problem& p, Subset from, Subset by) const {
    std::vector<Variable> asked;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (has(by, i)) asked.push_back(leaves[i]);
    }
    if (u.requires_grad()) asked.push_back(u);
    Variable total = zeros({}, float64);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (has(from, i)) total = total + sum(first[i] * p.v[i]);
    }
    std::vector<Tensor> result;
    if (asked.empty() || !total.requires_grad()) {
      for (const Variable& x : asked) result.push_back(zeros_like(x.value()));
      return result;
    }
    for (const Variable& g : grad(total, asked, {.retain_graph = true})) {
      result.push_back(g.value());
    }
    return result;
  }
};

// Holds every choice for one sample against the derivatives where everything is tracked
// and wanted. Stops at the first that differs.
void check_choices(const Sample& sample, const std::string& label) {
  const Problem p(sample);
  const Subset all = p.all();
  const Run whole(p, all, all, true);
  std::vector<std::vector<Tensor>> second;  // by the input whose gradient it is of
  for (std::size_t i = 0; i < p.places.size(); ++i) {
    second.push_back(whole.second(p, 1u << i, all));
  }
  const auto expected = [&](Subset wanted, std::size_t by) {
    Tensor sum = zeros_like(by < p.places.size() ? p.v[by] : p.u);
    for (std::size_t i = 0; i < p.places.size(); ++i) {
      if (has(wanted, i)) sum = sum + second[i][by];
    }
    return sum;
  };
  const auto check_run = [&](Subset tracked, Subset wanted, bool weighted) {
    const std::string choice = fmt::format("{}: tracked {:b}, wanted {:b}, u {}", label,
                                           tracked, wanted, weighted);
    const Run run(p, tracked, wanted, weighted);
    for (std::size_t i = 0; i < p.places.size(); ++i) {
      if (!has(wanted, i)) continue;
      const double error =
          relative_distance(run.first[i].value(), whole.first[i].value());
      BOOST_REQUIRE_MESSAGE(error < 1e-9, choice << ", input " << i << ": " << error);
    }
    for (Subset by = 0; by <= all; ++by) {
      if ((by & ~tracked) != 0) continue;
      const std::vector<Tensor> got = run.second(p, wanted, by);
      std::size_t next = 0;
      for (std::size_t i = 0; i <= p.places.size(); ++i) {
        if (i < p.places.size() ? !has(by, i) : !weighted) continue;
        const double error = relative_distance(got[next++], expected(wanted, i));
        BOOST_REQUIRE_MESSAGE(
            error < 1e-9, choice << fmt::format(", by {:b}: input {}: {}", by, i, error));
      }
    }
  };
  for (Subset tracked = 1; tracked <= all; ++tracked) {
    for (Subset wanted = 1; wanted <= all; ++wanted) {
      if ((wanted & ~tracked) != 0) continue;
      for (bool weighted : {false, true}) {
        try {
          check_run(tracked, wanted, weighted);
        } catch (const Error& error) {
          BOOST_ERROR(fmt::format("{}: tracked {:b}, wanted {:b}, u {}: {}", label,
                                  tracked, wanted, weighted, error.what()));
          return;
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(subsets)

BOOST_AUTO_TEST_CASE(any_of_the_inputs_may_be_constant_or_not_asked_for) {
  for (const OpRow& row : op_table()) {
    if (!row.differentiable) continue;
    for (std::size_t i = 0; i < row.samples.size(); ++i) {
      check_choices(row.samples[i], fmt::format("{}, sample {}", row.name, i));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
