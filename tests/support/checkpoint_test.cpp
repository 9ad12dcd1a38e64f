// The checkpoint of a run: what is saved is loaded, and nothing else is loaded.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "examples/training/checkpoint.h"
#include "nn/state/safetensors.h"
#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tests/support/folder.h"
#include "tests/support/input_errors.h"

namespace {

using namespace heed;
using namespace heed::support;
using namespace heed::training;

const Format format{.program = "p",
                    .version = 3,
                    .generators = {"data"},
                    .tensors = {"words"},
                    .check = [](const Checkpoint& checkpoint, const std::string& path) {
                      if (checkpoint.settings.at("lr") == "x") input_error("{}: x", path);
                      check(checkpoint.settings.at("lr") == "0.5", "no such lr");
                    }};

Checkpoint sample() {
  return {.settings = {{"lr", "0.5"}, {"steps", "9"}},
          .fingerprint = "f",
          .step = 7,
          .model = {{"w", tensor({1.0, 2.0})}},
          .optimiser = {{"0.step", tensor(7)}},
          .generators = {{"data", {0, 255}}},
          .log = {{0, 4, 5, 0.5}},
          .tensors = {{"words", tensor({3, 4})}}};
}

BOOST_AUTO_TEST_SUITE(checkpoint)

BOOST_AUTO_TEST_CASE(what_is_saved_is_loaded) {
  const TemporaryFolder folder;
  save(folder / "c", sample(), format);
  const Checkpoint loaded = load(folder / "c", format), saved = sample();
  BOOST_TEST((loaded.settings == saved.settings));
  BOOST_TEST(loaded.fingerprint == "f");
  BOOST_TEST(loaded.step == 7);
  BOOST_TEST(loaded.model.at("w").at({1}) == 2);
  BOOST_TEST(loaded.optimiser.at("0.step").item() == 7);
  BOOST_TEST((loaded.generators == saved.generators));
  BOOST_TEST_REQUIRE(loaded.log.size() == 1u);
  BOOST_TEST(loaded.log[0].validation_loss == 5);
  BOOST_TEST(loaded.tensors.at("words").at({0}) == 3);
  BOOST_TEST(message_of([&] {
               save("/dev/null/c", sample(), format);
             }).starts_with("write_safetensors: /dev/null/c: "));
  BOOST_TEST(message_of([&] {
               load(folder / "no", format);
             }).starts_with("read_safetensors: " + folder / "no"));
}

BOOST_AUTO_TEST_CASE(what_is_no_checkpoint_is_refused) {
  const TemporaryFolder folder;
  save(folder / "c", sample(), format);
  const auto with = [&](auto&& change) {
    nn::Safetensors file = nn::read_safetensors(folder / "c");
    change(file);
    nn::write_safetensors(folder / "changed", file);
    std::string message = message_of([&] { load(folder / "changed", format); });
    const std::string prefix = folder / "changed: must be a whole checkpoint of p: ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  };
  BOOST_TEST(with([](auto& file) { file.metadata.clear(); }) ==
             "the metadata format is missing");
  BOOST_TEST(with([](auto& file) { file.metadata.erase("hash"); }) ==
             "the metadata hash is missing");
  BOOST_TEST(with([](auto& file) { file.metadata["format"] = "x"; }) ==
             "the format must be \"p 3\", got x");
  BOOST_TEST(with([](auto& file) {
               file.metadata["format"] = "\x1b[2J\xc2\x9b";
             }).ends_with(R"(, got "\u001b[2J\u009b")"));
  BOOST_TEST(with([](auto& file) {
               file.metadata["hash"] = "\x1b[2J";
             }).starts_with(R"(its hash must be "\u001b[2J", got )"));
  // The hash shows any change.
  for (auto&& change : std::vector<std::function<void(nn::Safetensors&)>>{
           [](auto& file) { file.metadata["step"] = "8"; },
           [](auto& file) { file.metadata["lr"] = "1"; },
           [](auto& file) { file.tensors.erase("log"); },
           [](auto& file) { file.tensors["words"].set({0}, 1); },
           [](auto& file) { file.tensors["more"] = zeros({1}); }}) {
    BOOST_TEST(with(change).starts_with("its hash must be "));
  }

  // Errors beside a hash that fits.
  const auto rehashed = [&](auto&& change) {
    const std::string wanted = with(change);
    return with([&](auto& file) {
      change(file);
      file.metadata["hash"] = wanted.substr(wanted.rfind(' ') + 1);
    });
  };
  BOOST_TEST(rehashed([](auto& file) { file.metadata["step"] = "8x"; }) ==
             "step must be a whole number from 0, got 8x");
  BOOST_TEST(rehashed([](auto& file) { file.metadata["step"] = "-1"; }) ==
             "step must be a whole number from 0, got -1");
  BOOST_TEST(rehashed([](auto& file) { file.metadata.erase("text"); }) ==
             "the metadata text is missing");
  for (const char* name : {"log", "words", "generator.data"}) {
    BOOST_TEST(rehashed([&](auto& file) { file.tensors.erase(name); }) ==
               fmt::format("the tensor {} is missing", name));
  }
  for (const char* name : {"more", "generator.more"}) {
    BOOST_TEST(rehashed([&](auto& file) { file.tensors[name] = zeros({1}); }) ==
               fmt::format("the tensor {} is unexpected", name));
  }
  for (const std::int64_t wrong : {-1, 256}) {
    BOOST_TEST(
        rehashed([&](auto& file) { file.tensors["generator.data"] = tensor({wrong}); }) ==
        fmt::format("generator.data: a number must be from 0 to 255, got {}", wrong));
  }
  for (const Tensor& wrong : {zeros({2}), zeros({2, 2}, int64)}) {
    BOOST_TEST(rehashed([&](auto& file) {
                 file.tensors["generator.data"] = wrong;
               }).starts_with("generator.data must be int64 (count), got "));
  }
  for (const Tensor& wrong :
       {zeros({4}, float64), zeros({1, 3}, float64), zeros({1, 4})}) {
    BOOST_TEST(rehashed([&](auto& file) {
                 file.tensors["log"] = wrong;
               }).starts_with("the log must be float64 (rows, 4), got "));
  }
  for (const double wrong : {-1.0, 1e15, 0.5}) {
    const Tensor row = tensor({{wrong, 0.0, 0.0, 0.0}}, float64);
    BOOST_TEST(rehashed([&](auto& file) {
                 file.tensors["log"] = row;
               }).starts_with("the steps of the log must rise, got "));
  }
  BOOST_TEST(rehashed([](auto& file) {
               file.tensors["log"] = tensor({{8.0, 0.0, 0.0, 0.0}}, float64);
             }) == "the log must end by step 7, got 8");
  // What only the program understands.
  BOOST_TEST(rehashed([](auto& file) { file.metadata["lr"] = "1"; }) == "no such lr");
  BOOST_TEST(rehashed([](auto& file) { file.metadata["lr"] = "x"; }) ==
             folder / "changed: x");
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_with_its_settings) {
  const auto settings = [](const SettingsText& given) {
    return resumed_settings(sample(), given, "c");
  };
  BOOST_TEST((settings({{"lr", "0.5"}}) == sample().settings));
  BOOST_TEST(settings({{"steps", "7"}}).at("steps") == "7");
  BOOST_TEST(message_of([&] {
               settings({{"steps", "6"}});
             }) == "--steps: c has done 7 steps already, got 6");
  BOOST_TEST(message_of([&] {
               settings({{"lr", "1"}});
             }) ==
             "--lr: c has begun with 0.5, got 1; leave the option out, or choose another "
             "--out");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
