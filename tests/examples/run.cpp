#include "tests/examples/run.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <sys/wait.h>

#include <boost/test/unit_test.hpp>

namespace heed::examples {

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string command(const std::string& program, const std::string& arguments,
                    const support::TemporaryFolder& output) {
  const char* const folder = std::getenv("HEED_EXAMPLES");
  if (folder == nullptr) throw std::runtime_error("HEED_EXAMPLES names no folder");
  return std::string("'") + folder + "/" + program + "' " + arguments + " >'" +
         output / "out" + "' 2>'" + output / "err" + "'";
}

namespace {

// Runs a line of the shell that writes into the files "out" and "err" of `output`.
Outcome run_line(const std::string& line, const support::TemporaryFolder& output) {
  const int status = std::system(line.c_str());
  if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 125)
    throw std::runtime_error("cannot be run, or ended by a signal: " + line);
  return {WEXITSTATUS(status), contents(output / "out"), contents(output / "err")};
}

}  // namespace

Outcome run(const std::string& program, const std::string& arguments,
            const std::string& environment) {
  const support::TemporaryFolder output;
  return run_line(environment + " " + command(program, arguments, output), output);
}

Outcome run_into(const std::string& file, const std::string& program,
                 const std::string& arguments) {
  const support::TemporaryFolder output;
  return run_line(command(program, arguments, output) + " >" + file, output);
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
