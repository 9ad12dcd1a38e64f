// A file is on the disk before it has its name, and whatever the system refuses on the
// way leaves the older file as it was: its content, its owner, its permissions.
#include "nn/state/atomic_file.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/child.h"
#include "tests/nn/system_calls.h"
#include "tests/support/folder.h"

using namespace heed;
using boost::unit_test::precondition;
using support::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The names in a folder.
std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

void save(const std::string& path, const std::string& text) {
  nn::AtomicFile file("save", path);
  file.write(text.data(), text.size());
  file.commit();
}

std::string save_error(const std::string& path, const std::string& text) {
  return error_of([&] { save(path, text); });
}

// A file with a text, and the folder that it is alone in.
struct Place {
  TemporaryFolder folder;
  std::string file = folder / "f";

  Place() { std::ofstream(file) << "older"; }
  ~Place() { fs::permissions(folder / "", fs::perms::owner_all); }

  // Whether the older file is there as it was, and nothing else.
  bool is_as_before() const {
    return bytes_of(file) == "older" && names_in(folder / "").size() == 1;
  }
  // Gives the folder to nobody, who may do in it what `mode` says.
  void hand_over(mode_t mode) const {
    if (geteuid() == 0) chown((folder / "").c_str(), nobody, nobody);
    chmod((folder / "").c_str(), mode);
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(atomic_file)

BOOST_AUTO_TEST_CASE(a_file_is_on_the_disk_before_it_has_its_name) {
  const TemporaryFolder folder;
  const SystemCalls calls;
  nn::write_safetensors(folder / "f", {{{"a", full({100}, 1.0)}}, {}});
  const std::string written =
      fmt::format("fsync new {} bytes", fs::file_size(folder / "f"));
  BOOST_TEST(calls.made() == (Lines{written, "rename new f", "fsync folder"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_permissions_come_before_the_name) {
  const Place place;
  const SystemCalls calls;
  save(place.file, "newer");
  BOOST_TEST(calls.made() ==
                 (Lines{"fchmod", "fsync new 5 bytes", "rename new f", "fsync folder"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(whatever_is_refused_leaves_the_older_file) {
  for (const auto& [call, message] :
       {std::pair{"fchmod", "cannot set the permissions"},
        std::pair{"fsync new", "cannot write"},
        std::pair{"rename", "cannot put the new file in its place"}}) {
    const Place place;
    const SystemCalls calls(call, EIO);
    BOOST_TEST(save_error(place.file, "newer") ==
               fmt::format("save: {}: Input/output error", message));
    BOOST_TEST(place.is_as_before(), call);
  }
}

// When this last step fails, the new file is in its place, and the Error says so.
BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_put_on_the_disk) {
  const Place place;
  {
    const SystemCalls calls("fsync folder", EIO);
    BOOST_TEST(save_error(place.file, "newer") ==
               "save: the new file is in its place, but a power cut may undo that: "
               "cannot write the folder: Input/output error");
  }
  BOOST_TEST(bytes_of(place.file) == "newer");
  BOOST_TEST(names_in(place.folder / "").size() == 1u);
  // Some file systems have no fsync for a folder.
  const SystemCalls calls("fsync folder", EINVAL);
  save(place.file, "newest");
  BOOST_TEST(bytes_of(place.file) == "newest");
}

BOOST_AUTO_TEST_CASE(a_folder_that_may_not_be_listed) {
  const Place place;
  place.hand_over(0300);
  const std::string made = in_child(nobody, [&] {
    const SystemCalls calls;
    save(place.folder / "new", "text");
    return fmt::format("{}", fmt::join(calls.made(), ", "));
  });
  BOOST_TEST(made == "fsync new 4 bytes, rename new new, syncfs new 4 bytes");
  BOOST_TEST(bytes_of(place.folder / "new") == "text");
}

BOOST_AUTO_TEST_CASE(a_folder_that_may_not_be_written) {
  const Place place;
  chmod(place.file.c_str(), 0666);
  place.hand_over(0500);
  for (const std::string name : {"f", "new"}) {
    const std::string message =
        in_child(nobody, [&] { return save_error(place.folder / name, "newer"); });
    BOOST_TEST(message == "save: cannot make a file in the folder: Permission denied");
  }
  BOOST_TEST(place.is_as_before());
}

BOOST_AUTO_TEST_CASE(a_file_that_may_not_be_written) {
  const Place place;
  chmod(place.file.c_str(), 0444);
  place.hand_over(0700);
  BOOST_TEST(in_child(nobody, [&] { return save_error(place.file, "newer"); }) ==
             "save: cannot replace the older file: Permission denied");
  BOOST_TEST(place.is_as_before());
}

BOOST_AUTO_TEST_CASE(a_folder_that_has_vanished) {
  auto place = std::make_unique<Place>();
  nn::AtomicFile file("save", place->file);
  file.write("newer", 5);
  fs::remove_all(place->folder / "");
  BOOST_TEST(error_of([&] { file.commit(); }) ==
             "save: cannot put the new file in its place: No such file or directory");
  BOOST_TEST(save_error(place->file, "newer") ==
             "save: cannot open the folder: No such file or directory");
  fs::create_directory(place->folder / "");  // ~TemporaryFolder() removes it
}

// When root saves over another user's file, that user stays its owner.
BOOST_AUTO_TEST_CASE(the_owner_stays, *precondition(is_root)) {
  for (const mode_t mode : {0600, 0640, 0666}) {
    const Place place;
    BOOST_TEST_REQUIRE(chown(place.file.c_str(), nobody, nobody + 1) == 0);
    chmod(place.file.c_str(), mode);
    save(place.file, "newer");
    struct stat status;
    BOOST_TEST_REQUIRE(stat(place.file.c_str(), &status) == 0);
    BOOST_TEST(status.st_uid == nobody);
    BOOST_TEST(status.st_gid == nobody + 1);
    BOOST_TEST((status.st_mode & 0777) == mode);
    place.hand_over(0700);
    BOOST_TEST(in_child(nobody, [&] { return bytes_of(place.file); }) == "newer");
  }
}

BOOST_AUTO_TEST_CASE(an_owner_that_cannot_stay_is_told, *precondition(is_root)) {
  const Place place;  // the file is root's, and anybody may write it
  chmod(place.file.c_str(), 0666);
  place.hand_over(0777);
  BOOST_TEST(in_child(nobody, [&] { return save_error(place.file, "newer"); }) ==
             "save: cannot keep the owner of the older file: Operation not permitted");
  BOOST_TEST(place.is_as_before());
}

// At no time may a user read the new file who may not read the older one.
BOOST_AUTO_TEST_CASE(the_new_file_is_private_until_it_is_complete) {
  const Place place;
  chmod(place.file.c_str(), 0644);
  const nn::AtomicFile file("save", place.file);
  for (const auto& entry : fs::directory_iterator(place.folder / "")) {
    if (entry.path().filename() == "f") continue;
    BOOST_TEST(static_cast<int>(entry.status().permissions()) == 0600);
  }
}

// Backups that are made of hard links rely on this.
BOOST_AUTO_TEST_CASE(another_name_keeps_the_older_content) {
  const Place place;
  fs::create_hard_link(place.file, place.folder / "backup");
  save(place.file, "newer");
  BOOST_TEST(bytes_of(place.file) == "newer");
  BOOST_TEST(bytes_of(place.folder / "backup") == "older");
}

BOOST_AUTO_TEST_CASE(leftovers_are_removed_and_files_in_use_are_not) {
  const Place place;
  for (const char* name : {".heed-1-2.tmp", ".heed-1-3.tmp", ".heed-note.txt", "x.tmp"}) {
    std::ofstream(place.folder / name) << "left";
  }
  nn::AtomicFile file("save", place.folder / "new");
  file.write("text", 4);
  nn::remove_leftovers(place.folder / "");
  BOOST_TEST(names_in(place.folder / "").size() == 4u);  // and the one in use
  // Nor does another program remove the file in use.
  BOOST_TEST(in_child(geteuid(), [&] {
               nn::remove_leftovers(place.folder / "");
               return std::string("asked");
             }) == "asked");
  file.commit();
  nn::remove_leftovers(place.folder / "");
  BOOST_TEST((names_in(place.folder / "") ==
              std::set<std::string>{".heed-note.txt", "f", "new", "x.tmp"}));
  BOOST_TEST(bytes_of(place.folder / "new") == "text");
  nn::remove_leftovers(place.folder / "none");  // says nothing
}

BOOST_AUTO_TEST_CASE(a_link_or_a_pipe_with_the_name_of_a_leftover_stays) {
  const Place place;
  fs::create_symlink("f", place.folder / ".heed-1-2.tmp");
  // Opening a pipe for writing would wait for a reader.
  BOOST_TEST_REQUIRE(mkfifo((place.folder / ".heed-1-3.tmp").c_str(), 0600) == 0);
  nn::remove_leftovers(place.folder / "");
  BOOST_TEST(names_in(place.folder / "").size() == 3u);
}

// Until it is locked, a new file looks like a leftover.
BOOST_AUTO_TEST_CASE(a_new_file_that_is_removed_at_once_is_made_again) {
  const Place place;
  SystemCalls calls;
  calls.before_lock = [&] {
    calls.before_lock = nullptr;
    for (const std::string& name : names_in(place.folder / "")) {
      if (name != "f") fs::remove(place.folder / name);
    }
  };
  save(place.file, "newer");
  BOOST_TEST(bytes_of(place.file) == "newer");
  BOOST_TEST(names_in(place.folder / "").size() == 1u);
}

// Two programs replace one file, while a third removes what it takes for leftovers.
BOOST_AUTO_TEST_CASE(two_programs_write_one_file) {
  const Place place;
  const auto write = [&](char letter) {
    return Child(geteuid(), [&place, letter] {
      for (int i = 0; i < 50; ++i) save(place.file, std::string(10'000, letter));
      return std::string("written");
    });
  };
  Child one = write('1'), two = write('2');
  for (int i = 0; i < 200; ++i) {
    nn::remove_leftovers(place.folder / "");
    const std::string text = bytes_of(place.file);
    BOOST_TEST((text == "older" ||
                (text.size() == 10'000u && text == std::string(10'000, text[0]))));
  }
  BOOST_TEST(one.result() == "written");
  BOOST_TEST(two.result() == "written");
  BOOST_TEST(names_in(place.folder / "").size() == 1u);
}

// A disk of 64 KiB, which then may only be read.
BOOST_AUTO_TEST_CASE(a_full_disk_and_one_for_reading, *precondition(may_mount)) {
  const TemporaryFolder folder;
  const std::string disk = folder / "disk", file = disk + "/f";
  fs::create_directory(disk);
  const std::string result = in_child(0, [&] {
    mount_privately(disk, "size=64k");
    save(file, "older");
    const std::string full = save_error(file, std::string(100'000, 'x'));
    if (bytes_of(file) != "older" || names_in(disk).size() != 1)
      return "changed: " + full;
    if (mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) {
      return std::string("not mounted anew");
    }
    return full + "; " + save_error(file, "x") + "; " + save_error(disk + "/g", "x");
  });
  BOOST_TEST(result ==
             "save: cannot write: No space left on device; "
             "save: cannot replace the older file: Read-only file system; "
             "save: cannot make a file in the folder: Read-only file system");
}

BOOST_AUTO_TEST_SUITE_END()
