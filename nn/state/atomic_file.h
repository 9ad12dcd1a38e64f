// A file that gets its name only when it is complete.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace heed::nn {

// Throws Error, whose message starts with `where`, when the path is not that of a regular
// file but, for example, of a folder or a pipe. A path that does not exist is no error.
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
  ~Descriptor();

  int number() const { return number_; }  // negative if none is open

 private:
  int number_ = -1;
};

// Everything is written into a new file in the same folder; commit() gives it the name.
// Every error is an Error whose message starts with `where`. The new file is then
// removed, and an older one of that name is as it was; but if only the last step fails,
// to write the folder to the disk, the new file stays, and the message says so.
//
// The new file has the owner, the group and the permissions of the older one, or there is
// an Error: a save by another user, as root, must not lock anybody out. Other names of an
// older file (hard links) keep the older content: they are how backups keep it, and
// writing into the file itself could leave half of it.
class AtomicFile {
 public:
  AtomicFile(const std::string& where, const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const char* bytes, std::size_t size);
  void commit();

 private:
  struct Older {
    uid_t user;
    gid_t group;
    mode_t mode;  // the permissions
  };

  // The destructor runs from here on, also if the rest of the constructor throws.
  explicit AtomicFile(const std::string& where) : where_(where) {}

  [[noreturn]] void refuse(const char* what) const;
  void look_at_older();
  void create();
  int sync_folder() const;  // as fsync

  std::string where_;
  Descriptor folder_, file_;
  std::string name_;            // the file's name in the end
  std::string temporary_;       // the new file's name until then; empty if there is none
  std::optional<Older> older_;  // the file that has the name now
};

// Removes the new files that programs killed in the middle of writing have left in the
// folder, as far as it may; not those that are being written, by this program or another.
void remove_leftovers(const std::filesystem::path& folder);

}  // namespace heed::nn
