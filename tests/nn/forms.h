// Every form of attention as one kind of function, each kind of mask, and every score:
// for tests that hold for all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <heed.h>

namespace heed::tests {

// A score, made from its parameters.
struct ScoreRow {
  std::string name;
  std::function<std::vector<Shape>(std::int64_t d)> parameters;
  std::function<nn::Score(const std::vector<Variable>& parameters)> make;
};
const std::vector<ScoreRow>& scores();

// queries (2, n, width), keys and values (2, m, width), and the parameters in the order
// of visit.
struct FormInputs {
  Variable queries, keys, values;
  std::vector<Variable> parameters;

  // The same from one list: queries, keys, values, parameters.
  static FormInputs from(const std::vector<Variable>& list) {
    return {list[0], list[1], list[2], {list.begin() + 3, list.end()}};
  }
};

struct Form {
  std::string name;
  bool self = false;    // uses the queries as keys and values
  bool values = true;   // takes values apart from the keys
  bool causal = false;  // of itself, whatever mask is given
  bool heads = false;   // has two heads, which a mask may tell apart
  std::vector<Tensor> parameters = {};
  std::function<Variable(const FormInputs&, const nn::Mask&)> run = {};
};

struct FormOptions {
  DType dtype = float64;
  std::int64_t width = 4;
  double dropout = 0;  // they are in training
  // Of the causal layers, where lengths differ.
  nn::CausalAlign align = nn::CausalAlign::top_left;
};

// attend() by each score; attention(); and with them all layers, of two heads where they
// have heads.
std::vector<Form> score_forms(const FormOptions& options = {});
std::vector<Form> attention_forms(const FormOptions& options = {});

struct NamedMask {
  std::string name;
  nn::Mask mask;
  bool empty_row = false;      // leaves a query without a key
  bool in_slow_tests = false;  // which take few masks
};
// Each kind, for two sequences of n queries and m keys, and for every head alike.
std::vector<NamedMask> kinds_of_masks(std::int64_t n, std::int64_t m);

}  // namespace heed::tests
