// The checkpoint of char_lm: all that a training goes on from, and what only char_lm
// keeps in it.
#include <cstdint>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "examples/char_lm/checkpoint.h"
#include "examples/char_lm/train.h"
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
using heed::training::Checkpoint;

void save(const std::string& path, const Checkpoint& checkpoint) {
  training::save(path, checkpoint, checkpoint_format());
}
Checkpoint load(const std::string& path) {
  return training::load(path, checkpoint_format());
}

BOOST_AUTO_TEST_SUITE(char_lm_checkpoint)

BOOST_AUTO_TEST_CASE(a_checkpoint_is_all_that_a_training_goes_on_from) {
  const Corpus corpus(sample_text(), "t");
  const TemporaryFolder folder;
  const std::string path = folder / "checkpoint", end = folder / "end";
  Trainer one(small_settings(), corpus);
  one.evaluate();
  for (int i = 0; i < 7; ++i) one.step();
  save(path, one.checkpoint());
  std::vector<double> losses;
  for (int i = 0; i < 5; ++i) losses.push_back(one.step());
  save(end, one.checkpoint());

  Trainer other(small_settings(), corpus);
  other.restore(load(path), path);
  BOOST_TEST(other.steps_done() == 7);
  BOOST_TEST(other.log().size() == 1u);
  for (const double loss : losses) BOOST_TEST(other.step() == loss);
  save(path, other.checkpoint());
  BOOST_TEST((contents(path) == contents(end)));
}

BOOST_AUTO_TEST_CASE(no_two_streams_of_random_numbers_are_one) {
  const Corpus corpus(sample_text(), "t");
  const Settings settings = small_settings();
  Trainer trainer(settings, corpus);
  Checkpoint checkpoint = trainer.checkpoint();
  std::vector<std::uint8_t>& state = checkpoint.generators.at("data");
  const auto state_from = [&](std::uint64_t seed) {
    return data::DataLoader(data::TokenDataset(corpus.train, settings.context),
                            {.batch_size = settings.batch,
                             .replacement = true,
                             .num_samples = settings.batch,
                             .generator = Generator(seed)})
        .get_state();
  };
  BOOST_TEST((state == state_from(settings.data_seed())));
  BOOST_TEST((state != state_from(settings.seed)));
  BOOST_TEST((state != state_from(settings.evaluation_seed())));
  BOOST_TEST((state_from(settings.evaluation_seed()) != state_from(settings.seed)));

  // A training goes on in the stream that its checkpoint names.
  state = state_from(settings.seed);
  trainer.restore(checkpoint, "c");
  BOOST_TEST((trainer.checkpoint().generators.at("data") == state));
}

BOOST_AUTO_TEST_CASE(what_is_no_checkpoint_is_refused) {
  const Corpus corpus(sample_text(), "t.txt"), shorter("abcdefghij", "s.txt");
  const TemporaryFolder folder;
  const std::string path = folder / "c";
  Trainer trainer(small_settings(), corpus);
  save(path, trainer.checkpoint());

  const auto saved = [&](auto&& change) {
    Checkpoint checkpoint = trainer.checkpoint();
    change(checkpoint);
    save(folder / "changed", checkpoint);
    const std::string message = message_of([&] { load(folder / "changed"); });
    const std::string prefix =
        folder / "changed: must be a whole checkpoint of char_lm: ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  };
  BOOST_TEST(saved([](Checkpoint& c) { c.settings.erase("lr"); }) ==
             folder / "changed: the setting lr is missing");
  BOOST_TEST(saved([](Checkpoint& c) {
               c.settings["width"] = "4096";
             }).starts_with("its settings ask for a larger model than the "));
  // A row of embeddings for each character, and bits are no numbers.
  BOOST_TEST(saved([](Checkpoint& c) {
               c.tensors["vocabulary"] = arange(0x10000, 0x40000);
             }).starts_with("its settings ask for a larger model than the "));
  BOOST_TEST(saved([](Checkpoint& c) {
               c.model.at("transformer.wte.weight") = zeros({1'000'000}, boolean);
             }) ==
             "the tensor transformer.wte.weight of the model must be float32, got bool");
  for (const int code : {int{'b'}, 0xd800}) {
    BOOST_TEST(
        saved([code](Checkpoint& c) {
          c.tensors["vocabulary"] = tensor({int{'b'}, code});
        }) ==
        fmt::format(
            "the vocabulary must be different characters in their order, got U+{:04X}",
            code));
  }
  BOOST_TEST(saved([](Checkpoint& c) { c.tensors["vocabulary"] = tensor({0x110000}); }) ==
             "vocabulary: a number must be from 0 to 1114111, got 1114112");
  BOOST_TEST(saved([](Checkpoint& c) { c.tensors["vocabulary"] = zeros({2}); }) ==
             "vocabulary must be int64 (count), got float32 (2)");

  Settings wider = small_settings();
  wider.width = 16;
  Trainer other(wider, corpus);
  BOOST_TEST(message_of([&] {
               other.restore(load(path), path);
             }).starts_with(path + ": load_state_dict: "));
  const Corpus another(sample_text() + "x", "u.txt");
  Trainer reader(small_settings(), another);
  BOOST_TEST(message_of([&] { reader.restore(load(path), path); }) ==
             "u.txt: must be the text that " + path + " has begun to learn, " +
                 shown(corpus.fingerprint) + ", got " + shown(another.fingerprint) +
                 "; --text gives it");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
