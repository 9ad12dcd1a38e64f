#include "tests/golden/safetensors.h"

#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/core.h>

#include "tests/golden/case.h"

namespace heed::golden {
namespace {

using nlohmann::json;

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CaseError(fmt::format("cannot open {}", path.string()));
  std::ostringstream bytes;
  if (file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
  if (file.bad() || bytes.fail()) {
    throw CaseError(fmt::format("cannot read {}", path.string()));
  }
  return std::move(bytes).str();
}

DType dtype_named(const std::string& name) {
  if (name == "F32") return float32;
  if (name == "F64") return float64;
  if (name == "I64") return int64;
  if (name == "BOOL") return boolean;
  throw CaseError(fmt::format("unknown dtype {}", name));
}

// The tensor that an entry of the header describes. The numbers are little-endian, as are
// the machines that heed runs on.
Tensor make_tensor(const json& entry, std::string_view data) {
  const DType dtype = dtype_named(entry.at("dtype").get<std::string>());
  Shape shape;
  for (const json& size : entry.at("shape")) shape.push_back(size.get<std::int64_t>());
  const auto begin = entry.at("data_offsets").at(0).get<std::uint64_t>();
  const auto end = entry.at("data_offsets").at(1).get<std::uint64_t>();
  if (begin > end || end > data.size()) throw CaseError("the file is too short");
  const auto elements = static_cast<std::uint64_t>(count(shape));
  if ((end - begin) / element_size(dtype) != elements ||
      (end - begin) % element_size(dtype) != 0) {
    throw CaseError(
        fmt::format("{} bytes for {} of shape {}", end - begin, name(dtype), shape));
  }
  Tensor tensor = empty(shape, dtype);
  const char* source = data.data() + begin;
  dispatch(dtype, [&]<class T>() {
    T* target = tensor.mutable_data<T>();
    if constexpr (std::is_same_v<T, bool>) {
      for (std::uint64_t i = 0; i < elements; ++i) target[i] = source[i] != 0;
    } else if (elements > 0) {
      std::memcpy(target, source, end - begin);
    }
  });
  return tensor;
}

}  // namespace

TensorFile::TensorFile(const std::filesystem::path& path)
    : name_(path.filename().string()), bytes_(read_bytes(path)) {
  std::uint64_t header_size = 0;
  if (bytes_.size() < sizeof header_size) throw CaseError(name_ + " has no header");
  std::memcpy(&header_size, bytes_.data(), sizeof header_size);
  if (header_size > bytes_.size() - sizeof header_size) {
    throw CaseError(fmt::format("{}: the header is cut off", name_));
  }
  data_ = sizeof header_size + header_size;
  const auto begin = bytes_.begin() + sizeof header_size;
  try {
    header_ = json::parse(begin, begin + static_cast<std::int64_t>(header_size));
  } catch (const json::exception& error) {
    throw CaseError(fmt::format("{}: the header does not read: {}", name_, error.what()));
  }
}

std::map<std::string, std::string> TensorFile::metadata() const {
  const auto found = header_.find("__metadata__");
  if (found == header_.end()) return {};
  return found->get<std::map<std::string, std::string>>();
}

std::map<std::string, Tensor> TensorFile::tensors(const std::string& prefix) const {
  std::map<std::string, Tensor> found;
  for (const auto& [name, entry] : header_.items()) {
    if (name == "__metadata__" || !name.starts_with(prefix)) continue;
    try {
      found[name.substr(prefix.size())] =
          make_tensor(entry, std::string_view(bytes_).substr(data_));
    } catch (const std::exception& error) {
      throw CaseError(fmt::format("{}: {}: {}", name_, name, error.what()));
    }
  }
  return found;
}

}  // namespace heed::golden
