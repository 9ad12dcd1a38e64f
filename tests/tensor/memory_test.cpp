// What the pool keeps of the blocks that were freed.

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tensor/core/buffer.h"
#include "tests/support/limits.h"

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

// The address space of the program, in bytes.
rlim_t address_space() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// Whether the system was asked to use large pages at this place: the flag "hg" in Linux's
// list of the memory of a process, which has the addresses of each part in its first line
// and the flags in its last.
bool wants_large_pages(const void* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  std::ifstream parts("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(parts, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      here = begin <= address && address < end;
    } else if (here && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

// A system may have none.
boost::test_tools::assertion_result has_large_pages(boost::unit_test::test_unit_id) {
  constexpr std::size_t size = 4 * mib;
  void* const place =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  const bool asked = madvise(place, size, MADV_HUGEPAGE) == 0 && wants_large_pages(place);
  munmap(place, size);
  return asked;
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
    block(1);  // makes its pool
    blocks.clear();
    BOOST_TEST(taken() <= before - 256 + 64);
  }).join();
}

BOOST_AUTO_TEST_CASE(a_thread_that_only_frees_has_none) {
  Tensor x = block(60);
  const std::int64_t before = taken();
  std::thread([&] {
    x = {};
    BOOST_TEST(taken() <= before - 60);
  }).join();
}

// Also where a tensor is made after that.
BOOST_AUTO_TEST_CASE(it_ends_with_its_thread) {
  struct Late {
    ~Late() { block(1); }
  };
  const std::int64_t before = taken();
  for (int i = 0; i < 50; ++i) {
    std::thread([] {
      thread_local const Late late;  // older than the pool, so that it goes after it
      block(1);
    }).join();
  }
  BOOST_TEST(taken() < before + 10);
}

BOOST_AUTO_TEST_CASE(what_is_needed_for_a_moment_takes_a_free_block) {
  memory::release_cached();
  BOOST_TEST(memory::free_size(70000) == 70000u);
  for (std::size_t bytes : {200000, 100000, 120000}) {
    memory::deallocate(memory::allocate(bytes), bytes);
  }
  // The smallest one that is large enough, if less than twice as large.
  BOOST_TEST(memory::free_size(70000) >= 100000u);
  BOOST_TEST(memory::free_size(70000) < 120000u);
  BOOST_TEST(memory::free_size(110000) >= 120000u);
  BOOST_TEST(memory::free_size(110000) < 200000u);
  BOOST_TEST(memory::free_size(50000) == 50000u);
  BOOST_TEST(memory::free_size(250000) == 250000u);
  const std::int64_t before = memory::bytes_live();
  { const Buffer<float> buffer(70000 / 4); }
  BOOST_TEST(memory::bytes_live() == before);
  BOOST_TEST(memory::free_size(70000) < 120000u);  // the block is of its old size
  memory::deallocate(memory::allocate(500), 500);
  BOOST_TEST(memory::free_size(300) == 512u);
  BOOST_TEST(memory::free_size(200) == 200u);
  memory::deallocate(memory::allocate(1), 1);
  BOOST_CHECK_THROW(Buffer<float>(-1), Error);
  memory::release_cached();
}

// Where loads of one block could seem to need the stores to its neighbour.
BOOST_AUTO_TEST_CASE(neighbours_do_not_lie_a_line_apart_within_a_page) {
  constexpr std::uintptr_t size = 64 << 10;  // 16 pages
  memory::release_cached();
  std::vector<void*> blocks(64);
  for (void*& block : blocks) block = memory::allocate(size);
  std::sort(blocks.begin(), blocks.end());
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(blocks[i]) -
                                    reinterpret_cast<std::uintptr_t>(blocks[i - 1]);
    BOOST_TEST(distance >= size + 256);
  }
  for (void* const block : blocks) memory::deallocate(block, size);
  memory::release_cached();
}

BOOST_AUTO_TEST_CASE(large_blocks_ask_for_large_pages,
                     *boost::unit_test::precondition(has_large_pages)) {
  memory::release_cached();
  for (const std::int64_t size : {4 * mib, 5 * mib + 64, 100 * mib}) {
    void* const block = memory::allocate(size);
    for (const std::int64_t at : {std::int64_t{0}, size / 2, size - 1}) {
      BOOST_TEST(wants_large_pages(static_cast<char*>(block) + at));
    }
    memory::deallocate(block, size);
    memory::release_cached();
  }
  // No large page reaches from what is asked for into the rest of the block. (The C
  // library may reuse memory of smaller blocks, in which more was asked for.)
  void* const block = memory::allocate(130 * mib);  // of 144 MiB
  BOOST_TEST(!wants_large_pages(static_cast<char*>(block) + 140 * mib));
  memory::deallocate(block, 130 * mib);
  memory::release_cached();
}

BOOST_AUTO_TEST_CASE(it_gives_back_all_before_memory_runs_out) {
  std::thread([] {
    { const Tensor a = block(300), b = block(300); }
    const support::Limit limit(RLIMIT_AS, address_space() + 20 * mib);
    void* const more = std::malloc(400 * mib);
    BOOST_TEST(!more);
    std::free(more);
    BOOST_CHECK_NO_THROW(block(400));
  }).join();
}

BOOST_AUTO_TEST_SUITE_END()
