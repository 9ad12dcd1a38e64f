// Memory that runs out on purpose: the k-th allocation of the thread fails, for every k.
// (`new (std::nothrow)`, the threads of a loop and malloc inside BLIS never fail here.)
//
// This program replaces `operator new` and heed::memory::allocate. For the latter the
// linker renames all calls (--wrap), so the library needs no change.
#pragma once

#include <cstdint>
#include <new>
#include <string>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/compare.h"

namespace heed::tests {

enum class Shortage {
  once,    // one allocation fails
  lasting  // and all after it
};

// While it lives, allocation number k of this thread fails, counted from 0.
class OutOfMemory {
 public:
  OutOfMemory(std::int64_t k, Shortage shortage);
  ~OutOfMemory();
  OutOfMemory(const OutOfMemory&) = delete;
  OutOfMemory& operator=(const OutOfMemory&) = delete;
  // Whether an allocation has failed.
  static bool has_failed();
};

// Blocks of `operator new` that have not been freed.
std::int64_t heap_blocks();

// Lets each allocation in act(state) fail in turn, on a new make() each time. act() may
// throw Error or std::bad_alloc; then observe() must give what it gave before, a second
// act() must end as if nothing had failed, and nothing may leak.
template <class Make, class Act, class Observe>
void check_shortages(const std::string& name, Make make, Act act, Observe observe) {
  Bits before, after;
  const auto run_without_failure = [&] {
    auto state = make();
    before = observe(*state);
    act(*state);
    after = observe(*state);
  };
  run_without_failure();  // makes what is made once in a program
  run_without_failure();
  BOOST_TEST_CONTEXT(name) {
    for (const Shortage shortage : {Shortage::once, Shortage::lasting}) {
      std::int64_t k = 0;
      for (bool failed = true; failed; ++k) {
        BOOST_TEST_REQUIRE(k < 20'000);
        bool thrown = false, unchanged = true, repeated = false;
        const std::int64_t pool = memory::bytes_live(), heap = heap_blocks();
        {
          auto state = make();
          try {
            const OutOfMemory short_of_memory(k, shortage);
            act(*state);
          } catch (const Error&) {
            thrown = true;
          } catch (const std::bad_alloc&) {
            thrown = true;
          }
          failed = OutOfMemory::has_failed();
          if (failed) {
            unchanged = observe(*state) == before;
            act(*state);
          }
          repeated = observe(*state) == after;
        }
        const std::int64_t pool_left = memory::bytes_live() - pool;
        const std::int64_t heap_left = heap_blocks() - heap;
        BOOST_TEST_INFO_SCOPE("allocation " << k);
        BOOST_TEST(thrown == failed);
        BOOST_TEST(unchanged);
        BOOST_TEST(repeated);
        BOOST_TEST(pool_left == 0);
        BOOST_TEST(heap_left == 0);
      }
      BOOST_TEST(k > 1);
    }
  }
}

}  // namespace heed::tests
