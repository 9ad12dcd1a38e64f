// The checkpoint of char_lm: all that a training goes on from, and nothing else is one.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "examples/char_lm/training.h"
#include "nn/state/safetensors.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"
#include "tests/examples/char_lm_sample.h"
#include "tests/examples/run.h"
#include "tests/support/folder.h"
#include "tests/support/input_errors.h"

namespace {

using namespace heed;
using namespace heed::char_lm;
using heed::examples::contents;
using heed::support::message_of;
using heed::support::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(char_lm_checkpoint)

BOOST_AUTO_TEST_CASE(a_checkpoint_is_all_that_a_training_goes_on_from) {
  const Corpus corpus(sample_text(), "t");
  const TemporaryFolder folder;
  const std::string path = folder / "checkpoint", end = folder / "end";
  Training one(small_settings(), corpus);
  one.evaluate();
  for (int i = 0; i < 7; ++i) one.advance();
  save(path, one.checkpoint());
  std::vector<double> losses;
  for (int i = 0; i < 5; ++i) losses.push_back(one.advance());
  save(end, one.checkpoint());

  Training other(small_settings(), corpus);
  other.restore(load(path), path);
  BOOST_TEST(other.steps_done() == 7);
  BOOST_TEST(other.log().size() == 1u);
  for (const double loss : losses) BOOST_TEST(other.advance() == loss);
  save(path, other.checkpoint());
  BOOST_TEST((contents(path) == contents(end)));
}

BOOST_AUTO_TEST_CASE(no_two_streams_of_random_numbers_are_one) {
  const Corpus corpus(sample_text(), "t");
  const Settings settings = small_settings();
  Training training(settings, corpus);
  Checkpoint checkpoint = training.checkpoint();
  const auto state_from = [](std::uint64_t seed) { return Generator(seed).state(); };
  BOOST_TEST((checkpoint.data_state == state_from(settings.data_seed())));
  BOOST_TEST((checkpoint.data_state != state_from(settings.seed)));
  BOOST_TEST((checkpoint.data_state != state_from(settings.evaluation_seed())));
  BOOST_TEST((state_from(settings.evaluation_seed()) != state_from(settings.seed)));

  // A training that began from another seed, as older ones did, goes on in its stream.
  checkpoint.data_state = state_from(settings.seed);
  training.restore(checkpoint, "c");
  BOOST_TEST((training.checkpoint().data_state == checkpoint.data_state));
}

BOOST_AUTO_TEST_CASE(what_is_no_checkpoint_is_refused) {
  const Corpus corpus(sample_text(), "t.txt"), shorter("abcdefghij", "s.txt");
  const TemporaryFolder folder;
  const std::string path = folder / "c";
  Training training(small_settings(), corpus);
  save(path, training.checkpoint());

  const auto with = [&](auto&& change) {
    nn::Safetensors file = nn::read_safetensors(path);
    change(file);
    nn::write_safetensors(folder / "changed", file);
    std::string message = message_of([&] { load(folder / "changed"); });
    const std::string prefix =
        folder / "changed: must be a whole checkpoint of char_lm: ";
    BOOST_TEST(message.starts_with(prefix), message);
    return message.substr(prefix.size());
  };
  BOOST_TEST(with([](auto& file) { file.metadata.clear(); }) ==
             "the metadata format is missing");
  BOOST_TEST(with([](auto& file) { file.metadata["format"] = "x"; }) ==
             "the format must be \"char_lm 1\", got x");
  BOOST_TEST(with([](auto& file) {
               file.metadata["format"] = "\x1b[2J\xc2\x9b";
             }).ends_with(R"(, got "\u001b[2J\u009b")"));
  BOOST_TEST(with([](auto& file) {
               file.metadata["hash"] = "\x1b[2J";
             }).starts_with(R"(its hash must be "\u001b[2J", got )"));
  // Any change at all.
  for (auto&& change : std::vector<std::function<void(nn::Safetensors&)>>{
           [](auto& file) { file.metadata["step"] = "8"; },
           [](auto& file) { file.metadata["lr"] = "1"; },
           [](auto& file) { file.tensors.erase("log"); },
           [](auto& file) { file.tensors["vocabulary"].set({0}, 1); },
           [](auto& file) { file.tensors["more"] = zeros({1}); }}) {
    BOOST_TEST(with(change).starts_with("its hash must be "));
  }

  // What is wrong with a hash that fits.
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
  BOOST_TEST(rehashed([](auto& file) { file.tensors.erase("log"); }) ==
             "the tensor log is missing");
  BOOST_TEST(rehashed([](auto& file) { file.tensors["more"] = zeros({1}); }) ==
             "the tensor more is unexpected");
  for (const Tensor& wrong : {zeros({2}), zeros({2, 2}, int64)}) {
    BOOST_TEST(rehashed([&](auto& file) {
                 file.tensors["vocabulary"] = wrong;
               }).starts_with("vocabulary must be int64 (count), got "));
  }
  for (const std::int64_t wrong : {-1, 256}) {
    BOOST_TEST(
        rehashed([&](auto& file) { file.tensors["generator.data"] = tensor({wrong}); }) ==
        fmt::format("generator.data: a number must be from 0 to 255, got {}", wrong));
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

  const auto saved = [&](auto&& change) {
    Checkpoint checkpoint = training.checkpoint();
    change(checkpoint);
    save(folder / "changed", checkpoint);
    return message_of([&] { load(folder / "changed"); });
  };
  BOOST_TEST(saved([](Checkpoint& c) {
               c.settings.width = 4096;
             }).find("its settings ask for a larger model than the ") !=
             std::string::npos);
  // A row of embeddings for each character, and bits are no numbers.
  BOOST_TEST(saved([](Checkpoint& c) {
               for (char32_t code = 0x10000; code < 0x40000; ++code) {
                 c.characters += code;
               }
             }).find("its settings ask for a larger model than the ") !=
             std::string::npos);
  BOOST_TEST(saved([](Checkpoint& c) {
               Tensor& table = c.model.at("transformer.wte.weight");
               table = zeros({1'000'000}, boolean);
             })
                 .ends_with("the tensor transformer.wte.weight of the model must be "
                            "float32, got bool"));
  for (const char32_t code : {U'a', char32_t{0xd800}}) {
    BOOST_TEST(saved([code](Checkpoint& c) { c.characters.back() = code; })
                   .ends_with(fmt::format(
                       "the vocabulary must be different characters in their order, got "
                       "U+{:04X}",
                       static_cast<std::uint32_t>(code))));
  }
  BOOST_TEST(saved([](Checkpoint& c) {
               c.log.push_back({1, 0, 0, 0});
             }).ends_with("the log must end by step 0, got 1"));

  Settings wider = small_settings();
  wider.width = 16;
  Training other(wider, corpus);
  BOOST_TEST(message_of([&] {
               other.restore(load(path), path);
             }).starts_with(path + ": load_state_dict: "));
  const Corpus another(sample_text() + "x", "u.txt");
  Training reader(small_settings(), another);
  BOOST_TEST(message_of([&] { reader.restore(load(path), path); }) ==
             "u.txt: must be the text that " + path + " has begun to learn, " +
                 shown(corpus.fingerprint) + ", got " + shown(another.fingerprint) +
                 "; --text gives it");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
