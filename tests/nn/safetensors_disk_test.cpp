// Files of tensors on the disk: their bytes; that a name leads to a whole file, the older
// file or none; and paths that are no files.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <thread>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/errors.h"
#include "tests/nn/child.h"
#include "tests/support/folder.h"
#include "tests/support/limits.h"

using namespace heed;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string write_error(const std::string& path, const nn::Safetensors& content) {
  return error_of([&] { nn::write_safetensors(path, content); });
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

nn::Safetensors ones(std::int64_t size) { return {{{"a", full({size}, 1.0)}}, {}}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(safetensors_on_disk)

BOOST_AUTO_TEST_CASE(the_bytes_are_those_of_the_reference) {
  const support::TemporaryFolder folder;
  nn::write_safetensors(folder / "f", {{{"b", tensor({{1.0, 2.0}})},
                                        {"a", tensor({3.0})},
                                        {"mask", tensor({1.0, 0.0}).to(boolean)},
                                        {"n", full({}, 7.0, int64)},
                                        {"x", full({1}, 0.5, float64)}},
                                       {{"epoch", "5"}, {"note", "\"é\"\n"}}});
  // Wide elements first, then by name, and blanks up to a multiple of eight bytes.
  std::string header = R"({"__metadata__":{"epoch":"5","note":"\"é\"\n"},)"
                       R"("n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                       R"("x":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
                       R"("a":{"dtype":"F32","shape":[1],"data_offsets":[16,20]},)"
                       R"("b":{"dtype":"F32","shape":[1,2],"data_offsets":[20,28]},)"
                       R"("mask":{"dtype":"BOOL","shape":[2],"data_offsets":[28,30]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const auto raw = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  BOOST_TEST(bytes_of(folder / "f") ==
             raw(std::uint64_t{header.size()}) + header + raw(std::int64_t{7}) +
                 raw(0.5) + raw(3.0f) + raw(1.0f) + raw(2.0f) + std::string("\1\0", 2));
  BOOST_TEST(error_of([&] {
               nn::write_safetensors(std::string(folder / "f") + '\0', {});
             }).ends_with(": a path must not have a zero byte"));
  nn::write_safetensors(folder / "f", {});
  BOOST_TEST(bytes_of(folder / "f") == raw(std::uint64_t{8}) + "{}      ");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read) {
  const support::TemporaryFolder folder;
  const auto round_trip = [&](const Tensor& x) {
    nn::write_safetensors(folder / "f", {{{"x", x}}, {}});
    const Tensor y = nn::read_safetensors(folder / "f").tensors.at("x");
    BOOST_TEST((y.shape() == x.shape()));
    BOOST_TEST((y.dtype() == x.dtype()));
    return y;
  };
  const Tensor x = arange(24.0);
  for (const DType dtype : {float32, float64, int64, boolean}) {
    const Tensor cube = reshape(x.to(dtype), {2, 3, 4});
    for (const Tensor& view :
         {cube, transpose(cube, 0, 2), slice(cube, 2, 1, 4, 2), cube[1][2],
          expand(slice(cube, 0, 0, 1), {5, 3, 4}), cube[0][0][1],
          reshape(cube, {1, 2, 1, 3, 1, 4, 1, 1}), slice(cube, 1, 3, 3), empty({0})}) {
      BOOST_TEST(all(round_trip(view) == view).item() == 1);
    }
  }
  // Not only the values, the bits: a NaN with a payload, -0.
  const float nan = std::bit_cast<float>(0xFFC01234u);
  const auto bits = round_trip(from_vector(std::vector<float>{nan, -0.0f}, {2}));
  BOOST_TEST(std::bit_cast<std::uint32_t>(bits.data<float>()[0]) == 0xFFC01234u);
  BOOST_TEST(std::signbit(bits.data<float>()[1]));
  // Names of any text.
  const std::string names[] = {"", "a\"b\\c/d", std::string("a\0b", 3), "é 😀\x7f",
                               std::string(1000, 'n')};
  nn::Safetensors content;
  for (const std::string& name : names) {
    content.tensors[name] = full({1}, 2.0);
    content.metadata[name] = name;
  }
  nn::write_safetensors(folder / "f", content);
  const nn::Safetensors back = nn::read_safetensors(folder / "f");
  for (const std::string& name : names) BOOST_TEST(back.tensors.contains(name));
  BOOST_TEST((back.metadata == content.metadata));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written) {
  const support::TemporaryFolder folder;
  const std::string f = folder / "f";
  const std::string start = "write_safetensors: " + f + ": ";
  const Tensor x = full({1}, 1.0);
  BOOST_TEST(write_error(f, {{{"__metadata__", x}}, {}}) ==
             start + "a tensor must not be called __metadata__");
  BOOST_TEST(write_error(f, {{{"a\xff", x}}, {}}) ==
             start + "a tensor's name must be UTF-8, got \"a\\xff\"");
  BOOST_TEST(write_error(f, {{}, {{"\xc3", ""}}}) ==
             start + "a key of the metadata must be UTF-8, got \"\\xc3\"");
  BOOST_TEST(write_error(f, {{}, {{"k", "\x80"}}}) ==
             start + "a text of the metadata must be UTF-8, got \"\\x80\"");
  BOOST_TEST(write_error(f, {{}, {{"k", std::string(100'000'000, 'x')}}}) ==
             start +
                 "names and metadata must fit 100000000 bytes of header, got "
                 "100000032");
  BOOST_TEST(write_error(folder / "", {}) ==
             "write_safetensors: " + (folder / "") +
                 ": must be a regular file, got a folder");
  BOOST_TEST(write_error(folder / "none/", {}) ==
             "write_safetensors: " + (folder / "none/") + ": must be the path of a file");
  BOOST_TEST(write_error("", {}) == "write_safetensors: : must be the path of a file");
  BOOST_TEST(write_error(folder / "none/f", {}) ==
             "write_safetensors: " + (folder / "none/f") +
                 ": cannot open the folder: No such file or directory");
  BOOST_TEST(write_error("/dev/full", {}) ==
             "write_safetensors: /dev/full: must be a regular file, got a device");
  const std::string long_name = folder / std::string(300, 'n');
  BOOST_TEST(write_error(long_name, {}) ==
             "write_safetensors: " + long_name +
                 ": cannot look at the older file: File name too long");
  fs::create_symlink("loop", folder / "loop");
  BOOST_TEST(write_error(folder / "loop", {}) ==
             "write_safetensors: " + (folder / "loop") +
                 ": cannot look at the older file: Too many levels of symbolic links");
  BOOST_TEST((names_in(folder / "") == std::set<std::string>{"loop"}));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_opened) {
  const support::TemporaryFolder folder;
  const auto message = [](const std::string& path) {
    return error_of([&] { nn::read_safetensors(path); });
  };
  BOOST_TEST(message(folder / "none") == "read_safetensors: " + (folder / "none") +
                                             ": cannot open: No such file or directory");
  BOOST_TEST(message(folder / "") == "read_safetensors: " + (folder / "") +
                                         ": must be a regular file, got a folder");
  BOOST_TEST(message("/dev/zero") ==
             "read_safetensors: /dev/zero: must be a regular file, got a device");
  const std::string pipe = folder / "pipe";
  BOOST_TEST_REQUIRE(mkfifo(pipe.c_str(), 0666) == 0);
  BOOST_TEST(message(pipe) ==
             "read_safetensors: " + pipe + ": must be a regular file, got a pipe");
  const std::string socket = folder / "socket";
  BOOST_TEST_REQUIRE(mknod(socket.c_str(), S_IFSOCK | 0666, 0) == 0);
  BOOST_TEST(message(socket) ==
             "read_safetensors: " + socket + ": must be a regular file, got a socket");
  const std::string empty = folder / "empty";
  std::ofstream(empty).close();
  BOOST_TEST(message(empty) ==
             "read_safetensors: " + empty +
                 ": must begin with the header's length in 8 bytes, got 0 in all");
  nn::write_safetensors(folder / "secret", {});
  std::filesystem::permissions(folder / "secret", std::filesystem::perms::none);
  fs::permissions(folder / "", fs::perms::all);
  BOOST_TEST(in_child(nobody, [&] { return message(folder / "secret"); }) ==
             "read_safetensors: " + (folder / "secret") +
                 ": cannot open: Permission denied");
}

BOOST_AUTO_TEST_CASE(a_disk_without_room_leaves_the_older_file) {
  const support::TemporaryFolder folder;
  const std::string f = folder / "f";
  const std::string message =
      "write_safetensors: " + f + ": cannot write: File too large";
  for (const rlim_t room : {0, 7, 50, 100, 4000}) {  // in the length, header, data
    const support::FileLimit limit(room);
    BOOST_TEST(write_error(f, ones(1000)) == message);
  }
  BOOST_TEST(folder.is_empty());
  nn::write_safetensors(f, ones(3));
  const std::string before = bytes_of(f);
  for (const rlim_t room : {0, 7, 50, 100, 4000}) {
    const support::FileLimit limit(room);
    BOOST_TEST(write_error(f, ones(1000)) == message);
  }
  BOOST_TEST(bytes_of(f) == before);
  BOOST_TEST((names_in(folder / "") == std::set<std::string>{"f"}));
  nn::write_safetensors(f, ones(1000));
  BOOST_TEST(nn::read_safetensors(f).tensors.at("a").numel() == 1000);
}

BOOST_AUTO_TEST_CASE(permissions_are_those_of_any_file_or_of_the_older_one) {
  const support::TemporaryFolder folder;
  const auto mode = [&](const char* name) {
    return static_cast<int>(fs::status(folder / name).permissions());
  };
  const mode_t before = umask(027);
  nn::write_safetensors(folder / "new", {});
  BOOST_TEST(mode("new") == 0640);
  for (const int kept : {0600, 0666, 0200}) {
    fs::permissions(folder / "new", static_cast<fs::perms>(kept));
    nn::write_safetensors(folder / "new", ones(1));
    BOOST_TEST(mode("new") == kept);
  }
  umask(before);
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_stays_one) {
  const support::TemporaryFolder folder;
  fs::create_directories(folder / "run/links");
  fs::create_directory(folder / "data");
  fs::create_symlink("../../data/f", folder / "run/links/relative");  // no file yet
  fs::create_symlink(folder / "run/links/relative", folder / "absolute");
  nn::write_safetensors(folder / "absolute", ones(2));
  nn::write_safetensors(folder / "absolute", ones(3));
  BOOST_TEST(fs::is_symlink(folder / "absolute"));
  BOOST_TEST(fs::is_symlink(folder / "run/links/relative"));
  BOOST_TEST(fs::is_regular_file(fs::symlink_status(folder / "data/f")));
  BOOST_TEST(nn::read_safetensors(folder / "absolute").tensors.at("a").numel() == 3);
  BOOST_TEST(names_in(folder / "run/links").size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_path_without_a_folder_is_in_the_current_one) {
  const support::TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder / "");
  nn::write_safetensors("f", ones(1));
  nn::write_safetensors("./f", ones(2));
  fs::current_path(before);
  BOOST_TEST((names_in(folder / "") == std::set<std::string>{"f"}));
  BOOST_TEST(nn::read_safetensors(folder / "f").tensors.at("a").numel() == 2);
}

BOOST_AUTO_TEST_CASE(files_that_a_killed_program_left_are_not_touched) {
  const support::TemporaryFolder folder;
  for (int i = 0; i < 300; ++i) {
    std::ofstream(folder / fmt::format(".heed-{}-{}.tmp", getpid(), i)) << "left";
  }
  nn::write_safetensors(folder / "f", ones(1));
  BOOST_TEST(names_in(folder / "").size() == 301u);
  for (const auto& entry : fs::directory_iterator(folder / "")) {
    if (entry.path().filename() != "f") BOOST_TEST(bytes_of(entry.path()) == "left");
  }
}

// Two threads replace the file while a third reads: it finds one or the other, whole.
BOOST_AUTO_TEST_CASE(readers_never_see_half_a_file) {
  const support::TemporaryFolder folder;
  const std::string f = folder / "f";
  nn::write_safetensors(f, ones(10));
  const auto writer = [&](std::int64_t size) {
    return std::thread([&f, size] {
      for (int i = 0; i < 25; ++i) nn::write_safetensors(f, ones(size));
    });
  };
  std::thread first = writer(10), second = writer(5000);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i) {
    seen.insert(nn::read_safetensors(f).tensors.at("a").numel());
  }
  first.join();
  second.join();
  const std::set<std::int64_t> written = {10, 5000};
  BOOST_TEST(std::ranges::includes(written, seen));
  BOOST_TEST((names_in(folder / "") == std::set<std::string>{"f"}));
}

BOOST_AUTO_TEST_SUITE_END()
