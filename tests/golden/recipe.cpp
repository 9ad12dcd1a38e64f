#include "tests/golden/recipe.h"

#include <fmt/core.h>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/joining.h"
#include "tensor/random/random.h"

namespace heed::golden {
namespace {

// The parts of `text` between separators.
std::vector<std::string> parts(const std::string& text, const std::string& separator) {
  std::vector<std::string> found;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    found.push_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return found;
}

Shape shape_of(const Case& c, const std::string& name) {
  if (c.has("in." + name)) return c.tensor("in." + name).shape();
  const std::vector<std::int64_t> sizes = c.list(name + "_shape");
  return Shape(std::span(sizes));
}

Shape sizes(const std::string& text, const std::string& function) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : call_arguments(text, function)) {
    numbers.push_back(to_integer(function, part));
  }
  return Shape(std::span(numbers));
}

// A tensor of that shape with the distribution that `text` names.
Drawn draw(const std::string& text, const Shape& shape, DType dtype) {
  const Tolerance normals = dtype == float64 ? library : exact;
  if (text == "randn" || text == "randn each") return {randn(shape, dtype), normals};
  if (text == "rand(shape)") return {rand(shape, dtype), exact};
  if (text == "normal(0, 1, shape)") return {normal(0.0, 1.0, shape, dtype), normals};
  if (text == "ones") return {ones(shape, dtype), exact};
  if (text.starts_with("arange(")) {
    const std::vector<std::string> count = call_arguments(text, "arange");
    if (count.size() != 1) throw CaseError("arange takes one number in a recipe");
    const Tensor range = arange(to_integer("arange", count[0]), dtype);
    const Tensor shaped = reshape(range, sizes(text, "reshape"));
    return {repeat(shaped, sizes(text, "repeat")), exact};
  }
  if (text == "rand(b,1,nq,nk) < 0.7, first column true") {
    Tensor mask = rand(shape, dtype) < 0.7;
    select(mask, -1, 0).fill_(1);
    return {mask, exact};
  }
  throw CaseError(fmt::format("the recipe's \"{}\" does not read", text));
}

}  // namespace

DrawnInputs follow_recipe(const Case& c, const std::function<void()>& make_module) {
  DrawnInputs drawn;
  bool made = false;
  for (std::string step : parts(c.metadata("recipe"), "; ")) {
    if (step.starts_with("then ")) step = step.substr(5);
    if (step == "torch.manual_seed(seed)") {
      manual_seed(static_cast<std::uint64_t>(c.integer("seed")));
    } else if (const std::size_t equals = step.find(" = "); equals != step.npos) {
      for (const std::string& name : parts(step.substr(0, equals), ", ")) {
        const Shape shape = shape_of(c, name);
        drawn.emplace(name, draw(step.substr(equals + 3), shape, c.dtype()));
      }
    } else if (!step.starts_with("torch.manual_seed(dropout_seed)")) {
      make_module();
      made = true;
    }
  }
  if (!made) make_module();
  return drawn;
}

std::vector<std::string> call_arguments(const std::string& text,
                                        const std::string& function) {
  const std::size_t call = text.find(function + "(");
  if (call == std::string::npos) {
    throw CaseError(fmt::format("\"{}\" has no call of {}", text, function));
  }
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = call + function.size() + 1; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == ')' && depth == 0) break;
    depth += (letter == '(') - (letter == ')');
    if (letter == ',' && depth == 0) {
      parts.emplace_back();
    } else if (letter != ' ') {
      parts.back() += letter;
    }
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

}  // namespace heed::golden
