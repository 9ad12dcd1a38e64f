// Runs of the golden program, for its tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace heed::golden {

// What a run printed, and its exit code.
struct Outcome {
  int code;
  std::string out, err;

  bool says(const std::string& text) const { return out.find(text) != std::string::npos; }
};

Outcome golden(const std::vector<std::string>& arguments);

// A temporary folder, removed at the end of its life.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& bytes) const;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// The run of one case: its entry in the index, which names the file one.bin, and that
// file's bytes.
Outcome outcome_of(const nlohmann::json& entry, const std::string& bytes);

}  // namespace heed::golden
