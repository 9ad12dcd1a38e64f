#include "tests/golden/outcome.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tests/golden/run.h"

namespace heed::golden {

namespace fs = std::filesystem;

Outcome golden(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = run(arguments, out, err);
  return {code, out.str(), err.str()};
}

Folder::Folder() {
  static int count = 0;
  path_ = fs::temp_directory_path() / fmt::format("heed-golden-{}-{}", getpid(), count++);
  fs::remove_all(path_);
  fs::create_directory(path_);
}

Folder::~Folder() { fs::remove_all(path_); }

void Folder::write(const std::string& name, const std::string& bytes) const {
  fs::remove(path_ / name);  // file systems flush what is overwritten, which is slow
  std::ofstream(path_ / name, std::ios::binary) << bytes;
}

Outcome outcome_of(const nlohmann::json& entry, const std::string& bytes) {
  static const Folder folder;
  folder.write("index.json", nlohmann::json{{"cases", {entry}}}.dump());
  folder.write("one.bin", bytes);
  return golden({folder.path()});
}

}  // namespace heed::golden
