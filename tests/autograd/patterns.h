// Regular expressions, for tests whose lists must be complete. The functions stand in a
// file of their own, for <regex> takes seconds to compile.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace heed::tests {

// How often `pattern` matches in the text.
std::ptrdiff_t count_matches(const std::string& text, const std::string& pattern);

// The functions that match `declaration`, whose first group is the name, in the headers
// below these folders; each with the name of its header, the last one that has it.
std::map<std::string, std::string> declared_functions(
    const std::vector<std::string>& folders, const std::string& declaration);

}  // namespace heed::tests
