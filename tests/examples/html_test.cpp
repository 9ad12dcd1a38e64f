// The attention pages of the programs (--html).
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/examples/run.h"
#include "tests/support/folder.h"
#include "tests/view/page_file.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;
using heed::viz::PageFile;

// The page that the program writes beside what it prints without.
PageFile page_of(const std::string& program, const std::string& arguments = "") {
  const TemporaryFolder folder;
  const std::string path = folder / "page.html";
  const Outcome outcome = run(program, arguments + " --html " + path);
  BOOST_TEST(outcome.code == 0, program << ": " << outcome.err);
  BOOST_TEST(outcome.out == run(program, arguments).out);
  return PageFile(path);
}

BOOST_AUTO_TEST_SUITE(html)

BOOST_AUTO_TEST_CASE(each_page_has_the_program_s_texts_and_maps) {
  const PageFile self = page_of("self_attention");
  BOOST_TEST(self.data["texts"].dump() ==
             R"([["position 0","position 1","position 2"]])");
  BOOST_TEST(self.data["maps"].size() == 2u);
  BOOST_TEST(self.codes.size() == 2u * 3 * 3);

  const PageFile heads = page_of("multi_head_attention");
  BOOST_TEST(heads.data["maps"][1].dump() ==
             R"({"heads":5,"keys":1,"layout":"all","path":"sequence 2, 2 keys count",)"
             R"("queries":0})");
  BOOST_TEST(heads.data["texts"][1][5] == "key 5");
  // No head attends beyond the valid lengths: query 3, key 5.
  BOOST_TEST(heads.codes.size() == 2u * 5 * 4 * 6);
  BOOST_TEST(heads.codes.back() == 0u);
}

BOOST_AUTO_TEST_CASE(a_training_has_snapshots) {
  const PageFile sentence = page_of("causal_language_model");
  BOOST_TEST(sentence.data["texts"].dump() == R"([["<BOS>","I","like","you"]])");
  BOOST_TEST(sentence.data["snapshots"].size() == 21u);
  BOOST_TEST(sentence.data["snapshots"][1] == "step 5");
  BOOST_TEST(sentence.data["maps"].dump() ==
             R"([{"heads":2,"keys":0,"layout":"lower","path":"attention","queries":0}])");
  // After training the second token has the weights that the program prints.
  const std::size_t last = 20 * 2 * 10;
  BOOST_TEST(sentence.codes.at(last) == 65534u);
  BOOST_TEST(sentence.codes.at(last + 1) / 65534.0 == 0.2517,
             boost::test_tools::tolerance(1e-3));

  const PageFile recall =
      page_of("associative_recall", "--steps 50 --attention multihead --threads 1");
  BOOST_TEST(recall.data["snapshots"].size() == 26u);
  BOOST_TEST(recall.data["snapshots"].back() == "step 50");
  BOOST_TEST(recall.data["texts"][0][0] == "A, J");
  BOOST_TEST(recall.data["texts"][1][9] == "J");
  BOOST_TEST(recall.codes.size() == 26u * 4 * 10 * 10);
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_refused_first) {
  for (const std::string program : {"self_attention", "multi_head_attention",
                                    "causal_language_model", "associative_recall"}) {
    BOOST_TEST(check_refused(program, "--html /dev/null/page.html") ==
               program +
                   ": --html: /dev/null/page.html: cannot look at the older file: Not a "
                   "directory\n");
    BOOST_TEST(check_refused(program, "--html /tmp") ==
               program + ": --html: /tmp: must be a regular file, got a folder\n");
    BOOST_TEST(check_refused(program, "--html ''") ==
               program +
                   ": --html: the name of the file is empty\n"
                   "Run with --help for more information.\n");
  }
  (void)check_refused("general_attention", "--html page.html");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
