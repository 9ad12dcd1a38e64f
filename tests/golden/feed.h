// The inputs of a case as Variables, and its results held against the stored ones.
#pragma once

#include <map>
#include <string>

#include "autograd/variable.h"
#include "nn/visit.h"
#include "tensor/reduce/sorting.h"
#include "tests/golden/case.h"
#include "tests/golden/recipe.h"
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

// The inputs of a case, in the layouts that it asks for, and the parameters of its module
// if it has one. Floating inputs ask for their gradients.
class Feed {
 public:
  // The stored inputs, but those in `drawn` with these values.
  explicit Feed(const Case& reference, const DrawnInputs& drawn = {});
  // The attributes of the case, and these inputs.
  Feed(const Case& attributes, std::map<std::string, Variable> inputs)
      : c(attributes), inputs_(std::move(inputs)) {}

  const Case& c;

  // Asks for the gradients of the module's parameters too.
  template <nn::Module M>
  void own(M& net) {
    parameters_ = nn::named_parameters(net);
  }
  // Sets the parameters to the stored ones first. Throws Error when they do not fit.
  template <nn::Module M>
  void load(M& net) {
    nn::StateDict stored;
    for (const std::string& name : c.names("param")) {
      stored.emplace(name, c.tensor("param." + name));
    }
    nn::load_state_dict(net, stored);
    own(net);
  }

  bool has(const std::string& name) const { return inputs_.contains(name); }
  // Throws CaseError when there is no such input.
  const Variable& operator[](const std::string& name) const;
  const Tensor& tensor(const std::string& name) const { return (*this)[name].value(); }
  const std::map<std::string, Variable>& all() const { return inputs_; }
  // Whose gradients are asked for, by the names of their tensors: in.NAME, param.NAME.
  nn::NamedParameters leaves() const;

  // A list attribute as dimensions or sizes; an empty one if there is none.
  Shape shape(const std::string& attribute) const;
  Dims dims(const std::string& attribute) const;

 private:
  std::map<std::string, Variable> inputs_;
  nn::NamedParameters parameters_;
};

// Holds the outputs against the out.*, and the gradients under the up.* against the
// grad.*. An input that takes no part has the gradient 0.
void expect_all(const Feed& feed, const Outputs& outputs, Report& report);

}  // namespace heed::golden
