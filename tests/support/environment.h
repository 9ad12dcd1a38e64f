// Variables of the environment, for the time of a test.
#pragma once

#include <cstdlib>
#include <map>
#include <string>

namespace heed::support {

// Sets them while it lives, then restores them; an empty text unsets a variable.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) {
      const char* const before = std::getenv(name.c_str());
      before_[name] = before ? before : "";
      set(name, value);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) set(name, value);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void set(const std::string& name, const std::string& value) {
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }

  std::map<std::string, std::string> before_;
};

}  // namespace heed::support
