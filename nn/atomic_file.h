// A file that comes under its name when it is complete, or not at all.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace heed::nn {

// Throws Error, whose message starts with `where`, when something other than a regular
// file, a folder or a pipe say, has that path. Nothing at all may.
void check_regular(const std::string& where, const std::filesystem::path& path);

// An open file or folder, closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int number() const { return number_; }  // negative if none is open
  // Returns whether the system had nothing to object.
  bool close();

 private:
  int number_ = -1;
};

// Everything is written into a new file in the same folder, which commit() gives the
// name. Every error is an Error whose message starts with `where`; the new file is then
// removed, and an older one of that name is as it was.
class AtomicFile {
 public:
  AtomicFile(const std::string& where, const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const char* bytes, std::size_t size);
  void commit();

 private:
  [[noreturn]] void refuse(const char* what) const;
  void look_at_older();
  void create();

  std::string where_;
  Descriptor folder_, file_;
  std::string name_;            // that the file is to have, in the folder
  std::string temporary_;       // that it has; empty if it has none
  std::optional<mode_t> mode_;  // the permissions of the older file, if there is one
};

}  // namespace heed::nn
