#include "tests/autograd/patterns.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace heed::tests {

std::ptrdiff_t count_matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), expression),
                       std::sregex_iterator());
}

std::map<std::string, std::string> declared_functions(
    const std::vector<std::string>& folders, const std::string& declaration) {
  const std::filesystem::path root = HEED_SOURCE_ROOT;
  const std::regex expression(declaration);
  std::map<std::string, std::string> functions;
  for (const std::string& folder : folders) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".h") continue;
      std::ifstream file(entry.path());
      const std::string source(std::istreambuf_iterator<char>(file), {});
      for (std::sregex_iterator match(source.begin(), source.end(), expression), end;
           match != end; ++match) {
        functions[(*match)[1]] = entry.path().filename().string();
      }
    }
  }
  return functions;
}

}  // namespace heed::tests
