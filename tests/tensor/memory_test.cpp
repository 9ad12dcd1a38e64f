// What the pool keeps of the blocks that were freed.

#include <malloc.h>

#include <optional>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

using namespace heed;

namespace {

constexpr std::int64_t mib = 1 << 20;

// A tensor of so many MiB.
Tensor block(std::int64_t size) { return empty({size * mib / 4}); }

// The memory that the program has from the C library, used or kept by the pool, in MiB.
std::int64_t taken() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<std::int64_t>(all.uordblks + all.hblkhd) / mib;
}

// Under sanitizers every block goes back at once, and mallinfo2() says nothing.
boost::test_tools::assertion_result keeps_blocks(boost::unit_test::test_unit_id) {
  bool kept = false;
  std::thread([&] {
    const std::int64_t before = taken();
    block(16);
    kept = taken() >= before + 16;
  }).join();
  return kept;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pool, *boost::unit_test::precondition(keeps_blocks))

// Each in a thread of its own, with a pool that holds nothing yet.
BOOST_AUTO_TEST_CASE(it_keeps_what_was_in_use_at_a_time) {
  std::thread([] {
    const std::int64_t before = taken();
    std::optional<Tensor> a = block(200), b = block(100);
    a.reset();
    b.reset();
    BOOST_TEST(taken() >= before + 300);
    memory::release_cached();
    BOOST_TEST(taken() < before + 10);
  }).join();
}

BOOST_AUTO_TEST_CASE(it_keeps_blocks_again_after_a_release) {
  std::thread([] {  // which has had no more in use than these
    const std::int64_t before = taken();
    block(60);
    memory::release_cached();
    BOOST_TEST(taken() < before + 10);
    block(60);
    BOOST_TEST(taken() >= before + 60);
  })
      .join();
}

BOOST_AUTO_TEST_CASE(it_goes_over_to_other_sizes) {
  std::thread([] {
    {
      std::vector<Tensor> blocks;
      for (int i = 0; i < 20; ++i) blocks.push_back(block(5));
    }
    for (int size : {30, 20}) const Tensor other = block(size);
    const std::int64_t before = taken();
    for (int size : {30, 20, 30, 20}) {
      const Tensor other = block(size);
      BOOST_TEST(taken() == before);  // not from the C library
    }
  }).join();
}

BOOST_AUTO_TEST_CASE(a_thread_that_frees_the_blocks_of_others_does_not_collect_them) {
  std::vector<Tensor> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(block(32));
  const std::int64_t before = taken();
  std::thread([&] {
    blocks.clear();
    BOOST_TEST(taken() <= before - 256 + 64);
  }).join();
}

BOOST_AUTO_TEST_SUITE_END()
