// The inputs of a case as Variables, and its results held against the stored ones.
#pragma once

#include <map>
#include <string>

#include "autograd/variable.h"
#include "tensor/sorting.h"
#include "tests/golden/case.h"
#include "tests/golden/report.h"

namespace heed::golden {

// Results by name. A single one is called y, and with indices they are y and indices.
struct Outputs : std::map<std::string, Variable> {
  Outputs() = default;
  Outputs(const Variable& y) { emplace("y", y); }
  Outputs(const WithIndices<Variable>& r) {
    emplace("y", r.values);
    emplace("indices", Variable(r.indices));
  }
};

// The stored inputs, in the layouts that the case asks for; floating ones ask for their
// gradients.
class Feed {
 public:
  explicit Feed(const Case& reference);

  const Case& c;

  bool has(const std::string& name) const { return inputs_.contains(name); }
  // Throws CaseError when there is no such input.
  const Variable& operator[](const std::string& name) const;
  const Tensor& tensor(const std::string& name) const { return (*this)[name].value(); }
  const std::map<std::string, Variable>& all() const { return inputs_; }

  // A list attribute as dimensions or sizes; an empty one if there is none.
  Shape shape(const std::string& attribute) const;
  Dims dims(const std::string& attribute) const;

 private:
  std::map<std::string, Variable> inputs_;
};

// Holds the outputs against the out.*, and the gradients under the up.* against the
// grad.in.*. An input that takes no part has the gradient 0.
void expect_all(const Feed& feed, const Outputs& outputs, Report& report);

}  // namespace heed::golden
