// The one table of ops: every function of autograd/ with inputs to try it on. The tests
// of ops, subsets, versions and accumulation run over all rows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <heed.h>

namespace heed::tests {

// One call of an op: the inputs in float64 (other dtypes are constants to it).
struct Sample {
  std::vector<Tensor> inputs;
  Function f;
};

// A function of single numbers, and what its values must be between two bounds.
struct Values {
  Variable (*f)(const Variable&);
  double (*formula)(double);
  double low, high;
};

struct OpRow {
  std::string name;  // of the C++ function; operators by their sign
  std::vector<Sample> samples;
  bool differentiable = true;
  std::optional<Values> values = {};  // of the elementwise ops of one operand
};

const std::vector<OpRow>& op_table();

// Add the rows of the other files of this name.
void add_unary_ops(std::vector<OpRow>& table);
void add_fused_ops(std::vector<OpRow>& table);
void add_composed_ops(std::vector<OpRow>& table);
void add_composed_indexing(std::vector<OpRow>& table);

}  // namespace heed::tests
