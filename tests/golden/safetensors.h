// Reading a file of tensors, with every length checked against the file.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "tensor/tensor.h"

namespace heed::golden {

class TensorFile {
 public:
  // Reads the file. Throws CaseError when it is missing or its header is damaged.
  explicit TensorFile(const std::filesystem::path& path);

  // The number of bytes of the file.
  std::size_t size() const { return bytes_.size(); }
  std::map<std::string, std::string> metadata() const;
  // The tensors whose names start with `prefix`, without it. Throws CaseError when one of
  // them does not lie in the file or is not what the header says.
  std::map<std::string, Tensor> tensors(const std::string& prefix) const;

 private:
  std::string name_;  // of the file, for messages
  std::string bytes_;
  std::size_t data_ = 0;  // where the numbers begin
  nlohmann::json header_;
};

}  // namespace heed::golden
