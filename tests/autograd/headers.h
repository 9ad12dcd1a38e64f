// What heed's headers declare, for tests whose lists must be complete.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace heed::tests {

// The functions that match `declaration`, whose first group is the name, in the headers
// below these folders; each with the name of its header, the last one that has it.
inline std::map<std::string, std::string> declared_functions(
    const std::vector<std::string>& folders, const std::regex& declaration) {
  const std::filesystem::path root = HEED_SOURCE_ROOT;
  std::map<std::string, std::string> functions;
  for (const std::string& folder : folders) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream file(entry.path());
      const std::string source(std::istreambuf_iterator<char>(file), {});
      for (std::sregex_iterator match(source.begin(), source.end(), declaration), end;
           match != end; ++match) {
        functions[(*match)[1]] = entry.path().filename().string();
      }
    }
  }
  return functions;
}

}  // namespace heed::tests
