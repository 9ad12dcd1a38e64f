// replay: computes random programs, for run.py to compare with PyTorch.
//
// A line of standard input is a program in JSON, a line of standard output the answer.
//
//   {"leaves": [{"name": "x0", "dtype": "float64", "shape": [2, 2],
//                "data": "1 2 3 4", "requires_grad": true}, ...],
//    "ops": [{"name": "v0", "attributes": {"op": "sum", "dim": "-1"},
//             "inputs": {"a": "x0"}}, ...],
//    "outputs": ["v0"]}
//
// An op has the name, the inputs and the attributes that golden's table of ops gives it.
// Its results are called v0, or v0.values and v0.indices, v0.output and v0.weights, or
// v0[0], v0[1], ...: the text that C++ has for them. The answer holds them all, and:
//
//   backward   d loss / d leaf by backward(), which may take fused passes,
//   grad       the same by grad() with create_graph, which may not,
//   second     the derivatives of a weighted sum of the latter,
//
// where the loss is the weighted sum of the outputs. Only leaves that ask for gradients
// have them, and there are none if the loss depends on no such leaf. Where heed refuses,
// the answer ends, with "error" and "at": the op, or which derivatives.
#include <heed.h>

#include <iostream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tests/golden/op.h"

namespace {

using namespace heed;
using nlohmann::json;
using Values = std::map<std::string, Variable>;

// Numbers stand in a text, since JSON has no NaN and no infinity.
Tensor read_tensor(const json& entry) {
  const std::string dtype = entry.at("dtype"), data = entry.at("data");
  const auto sizes = entry.at("shape").get<std::vector<std::int64_t>>();
  const Shape shape{std::span(sizes)};
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin < data.size();) {
    const std::size_t end = std::min(data.find(' ', begin), data.size());
    numbers.push_back(golden::to_number("data", data.substr(begin, end - begin)));
    begin = end + 1;
  }
  const Tensor x = from_vector(numbers, shape);
  for (DType known : {float64, int64, boolean}) {
    if (dtype == name(known)) return x.to(known);
  }
  throw golden::CaseError("unknown dtype " + dtype);
}

json written(const Tensor& x) {
  std::string data;
  for (double number : x.to(float64).to_vector<double>()) {
    if (!data.empty()) data += ' ';
    data += fmt::format("{}", number);
  }
  return {{"dtype", name(x.dtype())},
          {"shape", std::vector<std::int64_t>(x.shape().begin(), x.shape().end())},
          {"data", data}};
}

void add_results(const std::string& op, const golden::Outputs& outputs, Values& values,
                 json& answer) {
  for (const auto& [key, value] : outputs) {
    std::string name = op;
    if (outputs.contains("indices")) {
      name += key == "y" ? ".values" : ".indices";
    } else if (outputs.contains("weights")) {
      name += "." + key;
    } else if (key != "y") {
      name += "[" + key.substr(1) + "]";  // y0, y1, ...
    }
    values[name] = value;
    answer["values"][name] = written(value.value());
    answer["values"][name]["requires_grad"] = value.requires_grad();
  }
}

// Σ cos(i) x[i] over the elements of all, in row-major order: unlike a plain sum, it
// gives every element a gradient of its own.
Variable weighted_sum(const std::vector<Variable>& all) {
  Variable total = zeros({}, float64);
  for (const Variable& x : all) {
    const Tensor i = arange(static_cast<double>(x.numel()), float64);
    total = total + sum(x * reshape(cos(i), x.shape()));
  }
  return total;
}

json named(const std::vector<std::string>& names, const std::vector<Variable>& all) {
  json found = json::object();
  for (std::size_t i = 0; i < names.size(); ++i)
    found[names[i]] = written(all[i].value());
  return found;
}

void differentiate(const json& program, const Values& values, std::string& at,
                   json& answer) {
  std::vector<std::string> names;
  std::vector<Variable> leaves, outputs, gradients;
  for (const json& leaf : program.at("leaves")) {
    const Variable& x = values.at(leaf.at("name"));
    if (!x.requires_grad()) continue;
    names.push_back(leaf.at("name"));
    leaves.push_back(x);
  }
  for (const std::string name : program.at("outputs")) outputs.push_back(values.at(name));

  at = "loss";
  const Variable loss = weighted_sum(outputs);
  answer["loss"] = written(loss.value());
  if (!loss.requires_grad()) return;

  at = "backward";
  loss.backward({.retain_graph = true});
  for (const Variable& x : leaves) {
    gradients.push_back(x.has_grad() ? x.grad() : zeros_like(x.value()));
  }
  answer["backward"] = named(names, gradients);

  at = "grad";
  gradients = grad(loss, leaves, {.create_graph = true});
  answer["grad"] = named(names, gradients);

  at = "second";
  const Variable sum_of_gradients = weighted_sum(gradients);
  if (!sum_of_gradients.requires_grad()) return;
  answer["second"] = named(names, grad(sum_of_gradients, leaves));
}

json compute(const json& program) {
  json answer = {{"values", json::object()}};
  std::string at;
  try {
    Values values;
    for (const json& leaf : program.at("leaves")) {
      values[leaf.at("name")] =
          Variable(read_tensor(leaf), leaf.value("requires_grad", false));
    }
    for (const json& op : program.at("ops")) {
      at = op.at("name");
      const golden::Case attributes(
          at, op.at("attributes").get<std::map<std::string, std::string>>());
      Values inputs;
      for (const auto& [name, input] : op.at("inputs").items()) {
        inputs[name] = values.at(input);
      }
      add_results(at, golden::compute(golden::Feed(attributes, inputs)), values, answer);
    }
    differentiate(program, values, at, answer);
  } catch (const Error& error) {
    answer["error"] = error.what();
    answer["at"] = at;
  } catch (const std::exception& error) {
    // Not heed's: the program is not one, or the harness has a defect.
    answer["broken"] = fmt::format("{}: {}", at, error.what());
  }
  return answer;
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    // Messages of errors may hold any bytes.
    std::cout
        << compute(json::parse(line)).dump(-1, ' ', false, json::error_handler_t::replace)
        << std::endl;
  }
}
