#include "tests/golden/case.h"

#include <charconv>
#include <fstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tests/layouts.h"

namespace heed::golden {
namespace {

using nlohmann::json;

std::string string_at(const json& entry, const char* key, const std::string& other = {}) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : other;
}

// The elements of x, read through other strides.
Tensor laid_out(const Tensor& x, const std::string& layout) {
  const std::size_t colon = std::min(layout.find(':'), layout.size());
  const std::string kind = layout.substr(0, colon);
  std::vector<std::int64_t> dims;
  for (const std::string& part :
       split_list(layout.substr(std::min(colon + 1, layout.size())))) {
    dims.push_back(to_integer("layout", part));
  }
  if (kind == "transposed" && dims.size() == 2) {
    return stored_transposed(x, dims[0], dims[1]);
  }
  if (kind == "strided" && dims.size() == 1) {
    Shape wide = x.shape();
    wide[normalize_dim("layout", dims[0], x.dim())] *= 2;
    Tensor half = slice(zeros(wide, x.dtype()), dims[0], 0, to_end, 2);
    return half.copy_(x);
  }
  throw CaseError(fmt::format("unknown layout {}", layout));
}

}  // namespace

Case::Case(const json& entry, const nn::Safetensors& file) {
  try {
    const std::string dtype = string_at(entry, "dtype");
    name_ = string_at(entry, "case") + "." + dtype;
    if (dtype != "f32" && dtype != "f64") throw CaseError("unknown dtype " + dtype);
    dtype_ = dtype == "f32" ? float32 : float64;
    const std::string prefix = string_at(entry, "prefix");
    for (const auto& [name, tensor] : file.tensors) {
      if (name.starts_with(prefix)) tensors_[name.substr(prefix.size())] = tensor;
    }
    if (tensors_.empty()) throw CaseError("the file holds no tensor of this case");
    metadata_ = entry.contains("metadata")
                    ? entry.at("metadata").get<std::map<std::string, std::string>>()
                    : file.metadata;
    tolerance_ = {to_number("rtol", metadata("rtol")),
                  to_number("atol", metadata("atol"))};
  } catch (const json::exception& error) {
    throw CaseError(
        fmt::format("its entry in the index does not read: {}", error.what()));
  }
}

Case::Case(std::string name, const std::map<std::string, std::string>& attributes)
    : name_(std::move(name)), dtype_(float64) {
  for (const auto& [key, value] : attributes) metadata_["attr." + key] = value;
}

const Tensor& Case::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw CaseError(fmt::format("the case has no {}", name));
  return found->second;
}

Tensor Case::input(const std::string& name) const {
  return input(name, tensor("in." + name));
}

Tensor Case::input(const std::string& name, const Tensor& value) const {
  return gives("layout." + name) ? laid_out(value, text("layout." + name)) : value;
}

std::vector<std::string> Case::names(const std::string& prefix) const {
  std::vector<std::string> found;
  for (const auto& [name, tensor] : tensors_) {
    if (name.starts_with(prefix + ".")) found.push_back(name.substr(prefix.size() + 1));
  }
  return found;
}

std::string Case::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? std::string() : found->second;
}

bool Case::gives(const std::string& attribute) const {
  const auto found = metadata_.find("attr." + attribute);
  return found != metadata_.end() && found->second != "none";
}

std::map<std::string, std::string> Case::attributes(const std::string& prefix) const {
  std::map<std::string, std::string> found;
  const std::string start = "attr." + prefix;
  for (const auto& [key, value] : metadata_) {
    if (key.starts_with(start)) found[key.substr(start.size())] = value;
  }
  return found;
}

std::string Case::text(const std::string& attribute) const {
  const auto found = metadata_.find("attr." + attribute);
  if (found == metadata_.end()) {
    throw CaseError(fmt::format("the case has no attr.{}", attribute));
  }
  return found->second;
}

double Case::number(const std::string& attribute, std::optional<double> other) const {
  if (other && !gives(attribute)) return *other;
  return to_number(attribute, text(attribute));
}

std::int64_t Case::integer(const std::string& attribute,
                           std::optional<std::int64_t> other) const {
  if (other && !gives(attribute)) return *other;
  return to_integer(attribute, text(attribute));
}

bool Case::flag(const std::string& attribute, bool other) const {
  return gives(attribute) ? to_flag(attribute, text(attribute)) : other;
}

std::vector<std::int64_t> Case::list(const std::string& attribute) const {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : split_list(text(attribute))) {
    numbers.push_back(to_integer(attribute, part));
  }
  return numbers;
}

double to_number(const std::string& what, const std::string& text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw CaseError(fmt::format("{} must be a number, got \"{}\"", what, text));
  }
  return number;
}

std::int64_t to_integer(const std::string& what, const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw CaseError(fmt::format("{} must be a whole number, got \"{}\"", what, text));
  }
  return number;
}

bool to_flag(const std::string& what, const std::string& text) {
  if (text != "true" && text != "false") {
    throw CaseError(fmt::format("{} must be true or false, got \"{}\"", what, text));
  }
  return text == "true";
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<json> read_index(const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder)) {
    throw FolderError(fmt::format("{}: no such folder", folder.string()));
  }
  const std::filesystem::path path = folder / "index.json";
  std::ifstream file(path);
  if (!file) throw FolderError(fmt::format("{}: cannot open", path.string()));
  try {
    const auto entries = json::parse(file).at("cases").get<std::vector<json>>();
    if (entries.empty()) throw FolderError(path.string() + ": no cases");
    for (const json& entry : entries) {
      for (const char* key : {"case", "dtype", "file", "group"}) {
        entry.at(key).get<std::string>();
      }
    }
    return entries;
  } catch (const json::exception& error) {
    throw FolderError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace heed::golden
