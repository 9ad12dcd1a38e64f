// char_lm attention: the page of a trained model.
#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/examples/char_lm_place.h"
#include "tests/examples/run.h"
#include "tests/view/page_file.h"

namespace {

using namespace heed::examples;

BOOST_AUTO_TEST_SUITE(char_lm_attention)

BOOST_AUTO_TEST_CASE(the_page_has_the_characters_and_all_heads) {
  const Place place;
  BOOST_TEST(run("char_lm", place.fresh()).code == 0);
  const std::string file = place.folder / "model.html";
  const auto arguments = [&](const std::string& prompt) {
    return "attention --out " + place.out + " --html " + file + " --prompt " + prompt;
  };
  const Outcome outcome = run("char_lm", arguments("'line 3: \u00e9\n'"));
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err == "");
  BOOST_TEST(outcome.out == "characters: 10; layers: 2; heads: 2; see " + file + "\n");
  const heed::viz::PageFile page(file);
  BOOST_TEST(page.data["texts"].dump() ==
             R"([["l","i","n","e","␣","3",":","␣","é","\\n"]])");
  BOOST_TEST(page.data["title"] == "char_lm: line 3: \u00e9\\n");
  BOOST_TEST(
      page.data["note"] ==
      "Layers: 2; heads: 2; steps of training: 30. Each character attends to itself "
      "and those before it.");
  BOOST_TEST(page.data["maps"][1].dump() ==
             R"({"heads":2,"keys":0,"layout":"lower","path":"transformer.h.1.attn",)"
             R"("queries":0})");
  BOOST_TEST(page.codes.size() == 2u * 2 * 55);
  BOOST_TEST(page.codes[0] == 65534u);

  // What does not fit changes no file.
  BOOST_TEST(refusal(arguments("'line 3: automne, hiver'")) ==
             "--prompt: the model sees 16 characters at once, got 22");
  BOOST_TEST(refusal(arguments("''")) == "--prompt: must have a character to go on from");
  BOOST_TEST(refusal(arguments("Z")).starts_with("--prompt"));
  BOOST_TEST(
      refusal("attention --prompt a --html " + file + " --out " + place.folder / "none")
          .ends_with("there is no such file; char_lm train makes one"));
  BOOST_TEST(
      refusal("attention --prompt a --html /dev/null/page.html --out " + place.out) ==
      "--html: /dev/null/page.html: cannot look at the older file: Not a directory");
  BOOST_TEST(heed::viz::PageFile(file).text == page.text);
  BOOST_TEST(run("char_lm", "attention --out " + place.out).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
