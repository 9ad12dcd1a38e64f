// The main function of every test program; Boost.Test writes it. HEED_SUITE is the name
// of the layer under test.
#define BOOST_TEST_MODULE HEED_SUITE
#include <boost/test/unit_test.hpp>
