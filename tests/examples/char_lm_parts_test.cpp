// The parts of char_lm: the text as numbers, its pieces, the settings, and the loss over
// a whole text.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "autograd/views.h"
#include "examples/char_lm/corpus.h"
#include "examples/char_lm/train.h"
#include "nn/loss.h"
#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/comparing.h"
#include "tensor/reduce/reductions.h"
#include "tests/examples/char_lm_sample.h"
#include "tests/support/folder.h"
#include "tests/support/input_errors.h"

namespace {

using namespace heed;
using namespace heed::char_lm;
using heed::support::message_of;
using heed::support::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(char_lm_parts)

BOOST_AUTO_TEST_CASE(nine_tenths_of_a_text_are_learnt) {
  const Corpus corpus("caf\u00e9 au lait, s'il te pla\u00eet", "t");  // 27 characters
  BOOST_TEST(corpus.size() == 27);
  BOOST_TEST(corpus.train.numel() == 24);
  BOOST_TEST(corpus.validation.numel() == 3);
  BOOST_TEST(equal(corpus.validation, corpus.vocabulary.encode(U"a\u00eet")));
  BOOST_TEST(corpus.fingerprint !=
             Corpus("caf\u00e9 au lait, s'il te plait", "t").fingerprint);
  BOOST_TEST(message_of([] { Corpus("", "t.txt"); }) ==
             "t.txt: is empty; there is nothing to learn");
  BOOST_TEST(message_of([] { Corpus("ab\xff", "t.txt"); }) ==
             "t.txt: must be UTF-8, got byte 0xff at offset 2");
}

BOOST_AUTO_TEST_CASE(heeds_sources_are_a_text) {
  const Corpus corpus = read_corpus({});
  BOOST_TEST(corpus.source == "heed's sources");
  BOOST_TEST(corpus.size() > 500'000);
  BOOST_TEST(corpus.fingerprint == read_corpus({}).fingerprint);
}

BOOST_AUTO_TEST_CASE(heeds_sources_are_whole_or_refused) {
  const TemporaryFolder root;
  const auto make = [&](const std::string& path) {
    const std::filesystem::path file = root / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << path << "\n";
  };
  for (const char* path :
       {"README.md", "heed.h", "autograd/a.h", "benchmarks/b.py", "data/h.h",
        "examples/deep/c.cpp", "nn/d.h", "optim/e.h", "tensor/f.h"}) {
    make(path);
  }
  const std::string gone =
      "heed's sources are no longer in " + (root / "") + ": give a text with --text";
  BOOST_TEST(message_of([&] { heed_sources(root / ""); }) == gone);
  make("tests/g.cpp");
  BOOST_TEST(message_of([&] { heed_sources(root / ""); }) == gone);
  make("view/i.h");
  BOOST_TEST(heed_sources(root / "") ==
             "README.md\nautograd/a.h\ndata/h.h\nexamples/deep/c.cpp\nheed.h\nnn/d.h\n"
             "optim/e.h\ntensor/f.h\ntests/g.cpp\nview/i.h\n");
  std::filesystem::remove_all(root / "nn");  // not the last one
  BOOST_TEST(message_of([&] { heed_sources(root / ""); }) == gone);
}

BOOST_AUTO_TEST_CASE(settings_are_written_and_read_back) {
  Settings settings = small_settings();
  settings.lr = 0.1 / 3;
  settings.bias = true;
  settings.seed = 18446744073709551615u;
  const auto written = to_strings(settings);
  BOOST_TEST(written.size() == 18u);
  BOOST_TEST(written.at("seed") == "18446744073709551615");
  BOOST_TEST((to_strings(settings_from(written, "f")) == written));
  BOOST_TEST(settings_from(written, "f").lr == 0.1 / 3);

  auto wrong = written;
  wrong.erase("min-lr");
  BOOST_TEST(message_of([&] { settings_from(wrong, "f"); }) ==
             "f: the setting min-lr is missing");
  wrong = written;
  wrong["heads"] = "0";
  BOOST_TEST(
      message_of([&] { settings_from(wrong, "f"); }) ==
      "f: a setting is wrong: --heads: a whole number from 1 to 1000 is needed, got "
      "0");
}

BOOST_AUTO_TEST_CASE(the_whole_loss_asks_for_each_character_once) {
  const Corpus corpus(sample_text(), "t");
  Trainer trainer(small_settings(), corpus);
  // 39 characters can be predicted: 6 pieces of 6, and one of 3.
  const Tensor part = corpus.validation;
  NoGrad no_grad;
  nn::eval(trainer.model());
  double sum = 0;
  for (std::int64_t i = 1; i < part.numel(); ++i) {
    const std::int64_t begin = (i - 1) / 6 * 6;
    const Variable logits =
        trainer.model()(unsqueeze(slice(part, 0, begin, i), 0));  // (1, n, vocabulary)
    const Variable last = select(logits, 1, logits.size(1) - 1);  // (1, vocabulary)
    sum += nn::cross_entropy(last, slice(part, 0, i, i + 1)).item();
  }
  BOOST_TEST(part.numel() == 40);
  nn::train(trainer.model());  // in which dropout would change the loss
  BOOST_TEST(std::abs(whole_loss(trainer.model(), part) - sum / 39) < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_part_must_hold_a_piece) {
  const Corpus corpus(sample_text(), "t.txt");
  Settings settings = small_settings();
  settings.context = 39;
  Trainer{settings, corpus};
  settings.context = 40;
  BOOST_TEST(message_of([&] { Trainer(settings, corpus); }) ==
             "t.txt: the validation part must be longer than --context, got 40 and 40 "
             "characters");
}

BOOST_AUTO_TEST_CASE(evaluations_change_nothing_of_the_steps) {
  const Corpus corpus(sample_text(), "t");
  const auto losses = [&](bool evaluate) {
    Trainer trainer(small_settings(), corpus);
    std::vector<double> losses;
    for (int i = 0; i < 8; ++i) {
      if (evaluate) trainer.evaluate();
      losses.push_back(trainer.step());
    }
    return losses;
  };
  BOOST_TEST(losses(true) == losses(false), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_matrices_decay) {
  const Corpus corpus(sample_text(), "t");
  Settings settings = small_settings();
  settings.bias = true;
  settings.lr = settings.min_lr = 0.1;
  settings.warmup = 0;
  const auto state_after = [&](int steps, double decay) {
    settings.weight_decay = decay;
    Trainer trainer(settings, corpus);
    for (int i = 0; i < steps; ++i) trainer.step();
    return nn::state_dict(trainer.model());
  };
  const nn::StateDict before = state_after(0, 0), plain = state_after(1, 0);
  const nn::StateDict decayed = state_after(1, 0.5);
  for (const auto& [name, tensor] : plain) {
    // What decay takes away: lr weight_decay of what the weight was.
    const Tensor expected = tensor - (tensor.dim() >= 2 ? 0.05 : 0) * before.at(name);
    BOOST_TEST(max(abs(decayed.at(name) - expected)).item() < 1e-6, name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
