// The recipe of char_lm: the losses of PyTorch, and that every setting takes part.
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/examples/char_lm_place.h"
#include "tests/examples/run.h"

namespace {

using namespace heed::examples;

// Only dropout has its default value.
const Options recipe = {{"layers", "2"},     {"heads", "2"},      {"width", "16"},
                        {"context", "16"},   {"batch", "4"},      {"steps", "30"},
                        {"lr", "0.02"},      {"min-lr", "0.004"}, {"warmup", "5"},
                        {"beta1", "0.8"},    {"beta2", "0.95"},   {"weight-decay", "0.3"},
                        {"clip", "0.5"},     {"dropout", "0.0"},  {"seed", "7"},
                        {"eval-every", "8"}, {"threads", "1"},    {"eval-batches", "3"}};

// The log of a training by the recipe, except one setting, and what it prints.
struct Result {
  std::string log, out;
};
Result trained(const std::string& name = "", const std::string& value = "",
               const std::string& flags = "") {
  const Place place;
  std::string arguments = place.train("--text " + place.text + " " + flags);
  for (const auto& [option, chosen] : recipe) {
    arguments += " --" + option + " " + (option == name ? value : chosen);
  }
  const Outcome outcome = run("char_lm", arguments);
  BOOST_TEST(outcome.code == 0, outcome.err);
  return {contents(place.log()), outcome.out};
}

BOOST_AUTO_TEST_SUITE(char_lm_recipe)

BOOST_AUTO_TEST_CASE(the_losses_are_pytorch_s) {
  // Of benchmarks/torch_char_lm.py with these settings and this text, PyTorch 2.15: the
  // step, the losses of training and validation.
  constexpr double expected[][3] = {{0, 3.190242, 3.181537},
                                    {8, 2.308777, 2.340441},
                                    {16, 1.358065, 1.377650},
                                    {24, 0.981959, 0.950161},
                                    {30, 0.860713, 0.858774}};
  const Result result = trained();
  std::istringstream log(result.log);
  std::string line;
  std::getline(log, line);
  const auto near = boost::test_tools::tolerance(1e-4);
  for (const auto& row : expected) {
    double step, train, validation;
    char comma;
    BOOST_REQUIRE(log >> step >> comma >> train >> comma >> validation);
    std::getline(log, line);
    BOOST_TEST(step == row[0]);
    BOOST_TEST(train == row[1], near);
    BOOST_TEST(validation == row[2], near);
  }
  BOOST_TEST(!std::getline(log, line));
  BOOST_TEST(result.out.find("validation loss 0.815") != std::string::npos, result.out);
}

BOOST_AUTO_TEST_CASE(every_setting_takes_part) {
  const std::string log = trained().log;
  BOOST_TEST(trained().log == log);
  BOOST_TEST(trained("threads", "2").log == log);
  for (const auto& [name, value] : Options{{"layers", "1"},
                                           {"heads", "4"},
                                           {"width", "18"},
                                           {"context", "15"},
                                           {"batch", "5"},
                                           {"steps", "29"},
                                           {"lr", "0.021"},
                                           {"min-lr", "0.005"},
                                           {"warmup", "4"},
                                           {"beta1", "0.81"},
                                           {"beta2", "0.96"},
                                           {"weight-decay", "0.2"},
                                           {"clip", "0"},
                                           {"dropout", "0.1"},
                                           {"seed", "8"},
                                           {"eval-every", "7"},
                                           {"eval-batches", "4"}}) {
    BOOST_TEST(trained(name, value).log != log, name);
  }
  BOOST_TEST(trained("", "", "--bias").log != log);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
