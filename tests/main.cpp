// The main function of every test program. HEED_SUITE is the name of the layer under
// test. Boost.Test would write this itself, but not beside a precompiled header.
#include <boost/test/unit_test.hpp>

#define STRING_OF(name) #name
#define STRING(name) STRING_OF(name)

int main(int argc, char** argv) {
  const auto name_suite = [] {
    boost::unit_test::framework::master_test_suite().p_name.value = STRING(HEED_SUITE);
    return true;
  };
  return boost::unit_test::unit_test_main(+name_suite, argc, argv);
}
