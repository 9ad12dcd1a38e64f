// The golden program itself: it must find every fault that a case can have, survive any
// file, and compute the same bits on any number of threads.
#include <cmath>
#include <map>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "tensor/core/threads.h"
#include "tests/golden/outcome.h"
#include "tests/infinity.h"

namespace {

using heed::infinity;
using heed::not_a_number;
using namespace heed::golden;
using nlohmann::json;

// The case  y = a + b  on two numbers, to be spoilt.
struct Sample {
  std::map<std::string, std::vector<double>> tensors = {
      {"in.a", {1, 2}},  {"in.b", {3, 0.5}},     {"out.y", {4, 2.5}},
      {"up.y", {10, 1}}, {"grad.in.a", {10, 1}}, {"grad.in.b", {10, 1}}};
  json metadata = {{"rtol", "1e-10"}, {"atol", "0.0"}, {"attr.op", "add"}};
  std::string group = "op";

  json entry() const {
    return {{"case", "sum"},
            {"dtype", "f64"},
            {"group", group},
            {"file", "one.bin"},
            {"metadata", metadata}};
  }
  std::string bytes() const {
    json header = json::object();
    std::string data;
    for (const auto& [name, values] : tensors) {
      const std::size_t begin = data.size();
      data.append(reinterpret_cast<const char*>(values.data()), values.size() * 8);
      header[name] = {{"dtype", "F64"},
                      {"shape", {values.size()}},
                      {"data_offsets", {begin, data.size()}}};
    }
    const std::string text = header.dump();
    const std::uint64_t size = text.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + data;
  }
  Outcome outcome() const { return outcome_of(entry(), bytes()); }
};

BOOST_AUTO_TEST_SUITE(golden_program)

BOOST_AUTO_TEST_CASE(the_bits_do_not_depend_on_the_number_of_threads) {
  const int before = heed::num_threads();
  const Outcome one = golden({"--digest", "--threads", "1", HEED_GOLDEN_DATA});
  const Outcome two = golden({"--digest", "--threads", "2", HEED_GOLDEN_DATA});
  heed::set_num_threads(before);
  BOOST_TEST(one.code == 0, one.out);
  BOOST_TEST(one.says("digest "));
  BOOST_TEST(one.out == two.out);
}

BOOST_AUTO_TEST_CASE(a_right_case_passes) {
  const Outcome outcome = Sample().outcome();
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.says("op "));
  BOOST_TEST(outcome.says("6 values"));
  BOOST_TEST(outcome.out.ends_with("\n1 passed, 0 failed\n"));
}

BOOST_AUTO_TEST_CASE(wrong_values_are_found) {
  for (const char* name : {"out.y", "grad.in.a", "grad.in.b"}) {
    Sample sample;
    sample.tensors[name][1] += 1e-6;
    const Outcome outcome = sample.outcome();
    BOOST_TEST(outcome.code == 1);
    BOOST_TEST(outcome.says(fmt::format("  sum.f64: {}[1]: got ", name)), outcome.out);
    BOOST_TEST(outcome.out.ends_with("\n0 passed, 1 failed\n"));
  }
  Sample sample;
  sample.tensors["out.y"] = {4, 2.75};
  BOOST_TEST(
      sample.outcome().says("  sum.f64: out.y[1]: got 2.5, want 2.75 "
                            "(9.09e+08 times the tolerance; 1 of 2 wrong)"));
}

BOOST_AUTO_TEST_CASE(the_tolerance_is_the_case_s_own) {
  Sample sample;
  sample.tensors["out.y"][1] = 2.75;
  sample.metadata["rtol"] = "0.1";
  BOOST_TEST(sample.outcome().code == 0);
  sample.metadata["rtol"] = "0.09";
  BOOST_TEST(sample.outcome().code == 1);
  sample.metadata["atol"] = "0.1";
  BOOST_TEST(sample.outcome().code == 0);
}

BOOST_AUTO_TEST_CASE(no_tolerance_means_bit_for_bit) {
  Sample sample;
  sample.metadata["rtol"] = "0.0";
  BOOST_TEST(sample.outcome().code == 0);
  sample.tensors["out.y"][1] = std::nextafter(2.5, 3.0);
  BOOST_TEST(sample.outcome().code == 1);
  // 1 + -1 is +0
  sample.tensors["in.b"] = {-1, -2};
  sample.tensors["out.y"] = {0.0, 0.0};
  BOOST_TEST(sample.outcome().code == 0);
  sample.tensors["out.y"][0] = -0.0;
  BOOST_TEST(sample.outcome().code == 1);
}

BOOST_AUTO_TEST_CASE(infinities_and_nan_equal_themselves_alone) {
  Sample sample;
  sample.tensors["in.a"] = {infinity, not_a_number};
  sample.tensors["out.y"] = {infinity, not_a_number};
  BOOST_TEST(sample.outcome().code == 0);
  for (double other : {-infinity, not_a_number, 1e308}) {
    sample.tensors["out.y"][0] = other;
    BOOST_TEST(sample.outcome().code == 1);
  }
  sample.tensors["out.y"] = {infinity, 1};
  BOOST_TEST(sample.outcome().code == 1);
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_unknown_fails) {
  Sample shape;
  shape.tensors["out.y"].push_back(1);
  BOOST_TEST(shape.outcome().says("sum.f64: out.y: got the shape (2), want (3)"));

  Sample more;
  more.tensors["out.z"] = {1};
  BOOST_TEST(more.outcome().says("sum.f64: out.z: not computed"));

  Sample less;
  less.tensors.erase("in.a");
  BOOST_TEST(less.outcome().says("sum.f64: the case has no in.a"));

  Sample op;
  op.metadata["attr.op"] = "conv2d";
  BOOST_TEST(op.outcome().says("sum.f64: unknown op conv2d"));

  Sample group;
  group.group = "convolutions";
  const Outcome outcome = group.outcome();
  BOOST_TEST(outcome.code == 1);
  BOOST_TEST(outcome.says("sum.f64: unknown group"));

  Sample layout;
  layout.metadata["attr.layout.a"] = "folded:1";
  BOOST_TEST(layout.outcome().says("sum.f64: unknown layout folded:1"));
  layout.metadata["attr.layout.a"] = "strided:0";
  BOOST_TEST(layout.outcome().code == 0);

  // What an op throws fails the case, and the run goes on.
  Sample thrown;
  thrown.tensors["in.b"] = {1, 2, 3};
  BOOST_TEST(thrown.outcome().code == 1);
  BOOST_TEST(thrown.outcome().says("(2) and (3)"));
}

BOOST_AUTO_TEST_CASE(a_damaged_file_fails_its_case) {
  const Sample sample;
  const std::string bytes = sample.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Outcome outcome = outcome_of(sample.entry(), bytes.substr(0, size));
    BOOST_TEST(outcome.code == 1, "cut to " << size << " bytes: " << outcome.out);
  }
  // No byte of the header may do worse than fail the case.
  const std::size_t header = 8 + static_cast<unsigned char>(bytes[0]) +
                             256u * static_cast<unsigned char>(bytes[1]);
  for (std::size_t i = 0; i < header; ++i) {
    for (char byte : {'9', '\xff'}) {
      std::string damaged = bytes;
      damaged[i] = byte;
      const Outcome outcome = outcome_of(sample.entry(), damaged);
      BOOST_TEST((outcome.code == 0 || outcome.code == 1));
    }
  }
  json entry = sample.entry();
  entry["file"] = "none.bin";
  BOOST_TEST(outcome_of(entry, bytes).says("cannot open"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_read_ends_the_run) {
  const Folder folder;
  const auto fails = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = golden(arguments);
    BOOST_TEST(outcome.code == 2);
    BOOST_TEST(outcome.out.empty());
    return outcome.err;
  };
  BOOST_TEST(fails({folder.path() + "/none"}) ==
             fmt::format("golden: {}/none: no such folder\n", folder.path()));
  BOOST_TEST(fails({folder.path()}) ==
             fmt::format("golden: {}/index.json: cannot open\n", folder.path()));
  const std::string index = json{{"cases", {Sample().entry()}}}.dump();
  for (std::size_t size = 0; size < index.size(); ++size) {
    folder.write("index.json", index.substr(0, size));
    BOOST_TEST(fails({folder.path()}).starts_with("golden: " + folder.path()));
  }
  folder.write("index.json", R"({"cases": []})");
  fails({folder.path()});
  folder.write("index.json", R"({"cases": [{"case": 1}]})");
  fails({folder.path()});
}

BOOST_AUTO_TEST_CASE(options) {
  const auto message = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = golden(arguments);
    BOOST_TEST(outcome.code == 2);
    return outcome.err;
  };
  BOOST_TEST(message({}) == "golden: which folder?; see golden --help\n");
  BOOST_TEST(message({"a", "b"}) ==
             "golden: more than one folder: b; see golden --help\n");
  BOOST_TEST(message({"--fast", "a"}) ==
             "golden: unknown option --fast; see golden --help\n");
  BOOST_TEST(message({"a", "--threads"}) ==
             "golden: --threads takes a value; see golden --help\n");
  BOOST_TEST(message({"a", "--threads", "0"}) ==
             "golden: --threads must be from 1 to 1024; see golden --help\n");
  BOOST_TEST(message({"--group", "none", HEED_GOLDEN_DATA}) ==
             "golden: the folder has no group none; see golden --help\n");
  BOOST_TEST(golden({"--help"}).code == 0);
  BOOST_TEST(golden({"--help"}).says("usage: golden "));

  const Outcome outcome = golden({"--group", "init", HEED_GOLDEN_DATA});
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.says("init "));
  BOOST_TEST(!outcome.says("rng "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
