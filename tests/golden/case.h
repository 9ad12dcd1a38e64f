// A folder of reference cases, read.
//
// index.json lists the cases: name, dtype, group, tolerance, attributes, and the file
// that holds the tensors, in the format of nn/state/safetensors.h. It holds one case, or
// the cases of a whole group; then the names of a case's tensors start with the `prefix`
// that the index gives.
//
// Names of tensors:
//   in.NAME    an input                  out.NAME       an output
//   up.NAME    d loss / d out.NAME       grad.in.NAME   d loss / d in.NAME
//   param.NAME a parameter               grad.param.NAME   d loss / d param.NAME
//   buf.NAME   a constant of a module, or a mask of dropout: 1 where it keeps
//   step.NAME  one row for each step of training
//   init.NAME  a parameter before training    final.NAME   and after it
// The loss is the sum over the up.* of sum(up.NAME * out.NAME).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "nn/state/safetensors.h"
#include "tensor/core/tensor.h"

namespace heed::golden {

// What is wrong with a folder as a whole, so that no case can be replayed.
class FolderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is wrong with one case: its file is damaged, or it lacks what the replay needs.
class CaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};
inline constexpr Tolerance exact{};  // bit for bit

class Case {
 public:
  // The case of this entry of index.json, and the file that the entry names. Throws
  // CaseError.
  Case(const nlohmann::json& entry, const nn::Safetensors& file);
  // A case of attributes alone, for a Feed whose inputs were computed.
  Case(std::string name, const std::map<std::string, std::string>& attributes);

  const std::string& name() const { return name_; }
  // The dtype of the case's floating tensors.
  DType dtype() const { return dtype_; }
  Tolerance tolerance() const { return tolerance_; }

  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  // The tensor of that name. Throws CaseError when there is none.
  const Tensor& tensor(const std::string& name) const;
  // Tensor in.NAME, or `value` in its place, with the strides that attr.layout.NAME asks
  // for. Throw CaseError.
  Tensor input(const std::string& name) const;
  Tensor input(const std::string& name, const Tensor& value) const;
  // The names NAME of all tensors PREFIX.NAME.
  std::vector<std::string> names(const std::string& prefix) const;

  // "recipe" or "notes"; empty if there is none.
  std::string metadata(const std::string& key) const;
  // Whether there is an attribute, other than "none".
  bool gives(const std::string& attribute) const;
  // The attributes whose names start with `prefix`, without it.
  std::map<std::string, std::string> attributes(const std::string& prefix) const;
  // An attribute as text, number, whole number, flag or list. Throw CaseError when it is
  // missing and no other value is given, or does not read as one.
  std::string text(const std::string& attribute) const;
  double number(const std::string& attribute, std::optional<double> other = {}) const;
  std::int64_t integer(const std::string& attribute,
                       std::optional<std::int64_t> other = {}) const;
  bool flag(const std::string& attribute, bool other) const;
  std::vector<std::int64_t> list(const std::string& attribute) const;

 private:
  std::string name_;
  DType dtype_;
  Tolerance tolerance_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Tensor> tensors_;
};

// Whole texts as numbers. Throw CaseError, naming `what`.
double to_number(const std::string& what, const std::string& text);
std::int64_t to_integer(const std::string& what, const std::string& text);
bool to_flag(const std::string& what, const std::string& text);
// The parts of `text` between commas.
std::vector<std::string> split_list(const std::string& text);

// The entries of the folder's index.json. Throws FolderError.
std::vector<nlohmann::json> read_index(const std::filesystem::path& folder);

}  // namespace heed::golden
