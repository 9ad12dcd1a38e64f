#include "tests/examples/run.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <sys/wait.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/folder.h"

namespace heed::examples {

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Outcome run(const std::string& program, const std::string& arguments,
            const std::string& environment) {
  const char* const folder = std::getenv("HEED_EXAMPLES");
  if (folder == nullptr) throw std::runtime_error("HEED_EXAMPLES names no folder");
  const support::TemporaryFolder output;
  const std::string out = output / "out", err = output / "err";
  const std::string command = environment + " '" + folder + "/" + program + "' " +
                              arguments + " >'" + out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 125)
    throw std::runtime_error("cannot be run, or ended by a signal: " + command);
  return {WEXITSTATUS(status), contents(out), contents(err)};
}

std::string check_refused(const std::string& program, const std::string& arguments) {
  const Outcome outcome = run(program, arguments);
  BOOST_TEST_INFO_SCOPE(program << ' ' << arguments);
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(outcome.out == "");
  BOOST_TEST(outcome.err != "");
  return outcome.err;
}

}  // namespace heed::examples
