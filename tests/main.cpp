// The main function of every test program, whose suite is named for it: tensor_tests.
// Boost.Test would write it itself, but not beside a precompiled header.
#include <filesystem>

#include <boost/test/unit_test.hpp>

int main(int argc, char** argv) {
  const auto name_suite = [] {
    auto& suite = boost::unit_test::framework::master_test_suite();
    suite.p_name.value = std::filesystem::path(suite.argv[0]).filename();
    return true;
  };
  return boost::unit_test::unit_test_main(+name_suite, argc, argv);
}
