// What nearly every test includes, compiled once: most of the time of a test's
// compilation goes into these headers. A test still includes what it uses.
#include <boost/test/unit_test.hpp>

#include "heed.h"
