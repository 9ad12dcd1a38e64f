// The bits of every result are the same for any number of threads, on tensors large
// enough for several threads.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tensor/core/parallel.h"
#include "tests/compare.h"
#include "tests/tensor/show.h"

using namespace heed;

BOOST_AUTO_TEST_SUITE(threads)

BOOST_AUTO_TEST_CASE(at_the_start_they_are_no_more_than_can_be_set) {
  BOOST_TEST(num_threads() >= 1);
  BOOST_TEST(num_threads() <= max_threads);
  set_num_threads(num_threads());
}

BOOST_AUTO_TEST_CASE(results_have_the_same_bits_for_any_number_of_threads) {
  Generator generator(4);
  const Tensor a = randn({700, 333}, float32, generator);
  const Tensor b = randn({700, 333}, float32, generator);
  const Tensor row = randn({333}, float32, generator);
  const Tensor column = randn({700, 1}, float32, generator);
  const Tensor wide = randn({3, 200, 501}, float64, generator);
  const Tensor flat = randn({1'000'003}, float32, generator);
  const Tensor weight = randn({333, 200}, float32, generator);
  const Tensor batch = randn({40, 60, 50}, float32, generator);
  const Tensor index = randint(0, 700, {5000}, generator);
  const Tensor mask = a > 0;
  const std::pair<const char*, std::function<Tensor()>> calls[] = {
      {"add", [&] { return a + b; }},
      {"broadcast", [&] { return a * row - column; }},
      {"transposed",
       [&] { return transpose(a, 0, 1) + transpose(b, 0, 1).contiguous(); }},
      {"exp", [&] { return exp(a); }},
      {"sliced", [&] { return tanh(slice(a, 1, 0, to_end, 3)); }},
      {"where", [&] { return where(mask, a, b); }},
      {"sum of all", [&] { return sum(flat); }},
      {"sum of rows", [&] { return sum(a, 1); }},
      {"sum of columns", [&] { return sum(a, 0); }},
      {"sum of two",
       [&] {
         return sum(wide, {0, 2});
       }},
      {"mean", [&] { return mean(wide, 1); }},
      {"var", [&] { return var(wide, {-1}); }},
      {"prod", [&] { return prod(a, 1); }},
      {"max", [&] { return max(a, 0).indices; }},
      {"norm", [&] { return norm(flat); }},
      {"logsumexp", [&] { return logsumexp(a, 1); }},
      {"softmax of rows", [&] { return softmax(a, 1); }},
      {"softmax of columns", [&] { return softmax(wide, 1); }},
      {"log_softmax", [&] { return log_softmax(a, -1); }},
      {"cumsum", [&] { return cumsum(a, 0); }},
      {"sort", [&] { return sort(a, 0).values; }},
      {"index_select", [&] { return index_select(a, 0, index); }},
      {"index_add",
       [&] {
         return index_add({700, 333}, 0, index, a[0] + zeros({5000, 1}));
       }},
      {"cat",
       [&] {
         return cat({a, b}, 1);
       }},
      {"repeat",
       [&] {
         return repeat(a, {2, 1, 2});
       }},
      {"matmul", [&] { return matmul(a, weight); }},
      {"matmul, transposed", [&] { return matmul(transpose(a, 0, 1), b); }},
      {"bmm", [&] { return bmm(batch, transpose(batch, 1, 2)); }},
      {"vector", [&] { return matmul(a, row); }},
  };
  const int before = num_threads();
  for (const auto& [name, call] : calls) {
    set_num_threads(1);
    const Tensor expected = call();
    for (const int threads : {2, 3, 5}) {
      set_num_threads(threads);
      BOOST_TEST(same_bits(call(), expected), name << " on " << threads << " threads");
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(each_piece_is_done_once) {
  const int before = num_threads();
  for (const int threads : {1, 2, 3, 5}) {
    set_num_threads(threads);
    for (const std::int64_t count : {0, 1, 2, 7, 20, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      const auto each_once = [&] {
        const auto once = [](auto& times) { return times.exchange(0) == 1; };
        return std::all_of(done.begin(), done.end(), once);
      };
      for (const std::int64_t grain : {0, 1, 3, 100}) {
        parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) ++done[i];
        });
        BOOST_TEST(each_once());
        parallel_shares(count, grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) ++done[i];
        });
        BOOST_TEST(each_once());
      }
      parallel_pieces(count, threads, [&](auto thread, auto begin, auto end) {
        for (std::int64_t i = begin; i < end && thread < threads; ++i) ++done[i];
      });
      BOOST_TEST(each_once());
      parallel_stealing(count, threads, [&](auto, std::int64_t i) { ++done[i]; });
      BOOST_TEST(each_once());
    }
  }
  // More threads than shares. There is one thread, so the first takes all.
  set_num_threads(1);
  std::vector<int> times(1000);
  parallel_stealing(1000, 100, [&](auto, std::int64_t i) { ++times[i]; });
  BOOST_TEST(std::count(times.begin(), times.end(), 1) == 1000);
  set_num_threads(before);
}

// The first piece takes until all others are done, those of its own share too.
BOOST_AUTO_TEST_CASE(a_slow_thread_loses_its_share) {
  using Clock = std::chrono::steady_clock;
  const int before = num_threads();
  set_num_threads(2);
  std::atomic<int> done = 0;
  int before_first = 0, team = 0;
  parallel_stealing(10, 2, [&](auto, std::int64_t i) {
    if (i == 0) {
      team = omp_get_num_threads();  // with OMP_DYNAMIC there may be one only
      const auto end = Clock::now() + std::chrono::seconds(20);
      while (team > 1 && done < 9 && Clock::now() < end) std::this_thread::yield();
      before_first = done;
    }
    ++done;
  });
  set_num_threads(before);
  BOOST_TEST(before_first == (team > 1 ? 9 : 0));
  BOOST_TEST(done == 10);
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_is_kept_and_told) {
  const int before = num_threads();
  set_num_threads(3);
  BOOST_TEST(num_threads() == 3);
  const std::string info = build_info();
  BOOST_TEST(info.starts_with("heed "));
  BOOST_TEST(info.find(" kernels") != std::string::npos);
  BOOST_TEST(info.find(", BLIS ") != std::string::npos);
  BOOST_TEST(info.ends_with(", 3 threads"));
  set_num_threads(1);
  BOOST_TEST(build_info().ends_with(", 1 thread"));
  BOOST_TEST(error_of([] { set_num_threads(0); }) ==
             "set_num_threads: from 1 to 1024 threads, got 0");
  BOOST_TEST(error_of([] { set_num_threads(1025); }) ==
             "set_num_threads: from 1 to 1024 threads, got 1025");
  BOOST_TEST(num_threads() == 1);
  set_num_threads(before);
}

BOOST_AUTO_TEST_SUITE_END()
