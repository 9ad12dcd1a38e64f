// The bits of every result are the same for any number of threads, on tensors large
// enough for several threads.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tensor/core/parallel.h"
#include "tests/compare.h"
#include "tests/tensor/show.h"

using namespace heed;

namespace {

// Whether in_threads() calls its function once for each of `threads` threads.
bool calls_each_once(std::int64_t threads) {
  std::array<std::atomic<int>, 64> calls{};
  in_threads(threads, [&](std::int64_t thread) { ++calls[thread]; });
  return std::count(calls.begin(), calls.end(), 1) == threads &&
         std::count(calls.begin(), calls.end(), 0) == std::ssize(calls) - threads;
}

// Whether the other threads of a loop compute their parts before the caller's ends, which
// waits for up to 20 s: it computes what they have not begun by then.
bool others_take_part(std::int64_t threads) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(20);
  std::atomic<std::int64_t> others = 0;
  bool before_the_caller = false;
  in_threads(threads, [&](std::int64_t thread) {
    if (thread != 0) {
      ++others;
      return;
    }
    while (others < threads - 1 && Clock::now() < end) std::this_thread::yield();
    before_the_caller = others == threads - 1;
  });
  return before_the_caller;
}

// A signal's handler that keeps its thread.
std::atomic<bool> is_kept = false, may_go_on = false;
void keep(int) {
  is_kept = true;
  while (!may_go_on) std::this_thread::yield();
}

// What f() returns in a child that fork() makes; -1 if it takes more than 20 s.
template <class F>
int in_child(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(f());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(threads)

BOOST_AUTO_TEST_CASE(at_the_start_they_are_as_omp_num_threads_says_or_the_processors) {
  cpu_set_t set;
  BOOST_TEST_REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  const int all = std::min(CPU_COUNT(&set), max_threads);
  const std::map<std::string, int> expected{{"1", 1},
                                            {"3", 3},
                                            {"3,2", 3},
                                            {"5000", 1024},
                                            {"99999999999", 1024},
                                            {"0", all},
                                            {"-2", all},
                                            {"-99999999999", all},
                                            {"all", all},
                                            {"", all}};
  const char* const value = std::getenv("OMP_NUM_THREADS");
  const auto found = expected.find(value ? value : "");
  if (found != expected.end()) BOOST_TEST(num_threads() == found->second);
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

BOOST_AUTO_TEST_CASE(as_many_threads_work_as_have_enough_to_do) {
  const int before = num_threads();
  set_num_threads(3);
  BOOST_TEST(thread_count(2 * parallel_grain - 1, 1) == 1);
  BOOST_TEST(thread_count(2 * parallel_grain, 1) == 2);
  BOOST_TEST(thread_count(512, 4 * 16) == 2);
  BOOST_TEST(thread_count(100 * parallel_grain, 1) == 3);
  BOOST_TEST(thread_count(2, 100 * parallel_grain) == 2);
  BOOST_TEST(thread_count(100, 10, 500) == 2);
  BOOST_TEST(thread_count(0, 1) == 1);
  BOOST_TEST(thread_count(100, 0) == 1);
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
      for (const std::int64_t work : {0, 1, 100, 16384, 1'000'000}) {
        parallel_for(count, work, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) ++done[i];
        });
        BOOST_TEST(each_once());
        parallel_shares(count, work, [&](std::int64_t begin, std::int64_t end) {
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
  int before_first = 0;
  parallel_stealing(10, 2, [&](auto, std::int64_t i) {
    if (i == 0) {
      const auto end = Clock::now() + std::chrono::seconds(20);
      while (done < 9 && Clock::now() < end) std::this_thread::yield();
      before_first = done;
    }
    ++done;
  });
  set_num_threads(before);
  BOOST_TEST(before_first == 9);
  BOOST_TEST(done == 10);
}

BOOST_AUTO_TEST_CASE(a_loop_in_a_loop_stays_on_its_thread) {
  const int before = num_threads();
  set_num_threads(4);
  std::atomic<int> calls = 0, elsewhere = 0;
  BOOST_TEST(!in_parallel());
  in_threads(4, [&](auto) {
    const auto outer = std::this_thread::get_id();
    if (!in_parallel() || thread_count(100 * parallel_grain, 1) != 1) ++elsewhere;
    in_threads(3, [&](auto) {
      ++calls;
      if (std::this_thread::get_id() != outer) ++elsewhere;
    });
  });
  BOOST_TEST(!in_parallel());
  BOOST_TEST(calls == 12);
  BOOST_TEST(elsewhere == 0);
  set_num_threads(before);
}

// Some loops begin at once, some while the threads let others run, some when they sleep.
BOOST_AUTO_TEST_CASE(threads_that_wait_in_any_way_take_part) {
  const int before = num_threads();
  set_num_threads(3);
  int wrong = 0;
  for (const int pause : {0, 20, 100, 1000}) {
    for (int i = 0; i < 200; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(pause));
      wrong += !others_take_part(3) || !calls_each_once(3);
    }
  }
  BOOST_TEST(wrong == 0);
  // The caller sleeps too, until the last one is done.
  std::atomic<bool> begun = false, done = false;
  in_threads(3, [&](std::int64_t thread) {
    while (thread == 0 && !begun) std::this_thread::yield();
    if (thread != 2) return;
    begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    done = true;
  });
  BOOST_TEST(done);
  set_num_threads(before);
}

// As where other programs use its processor.
BOOST_AUTO_TEST_CASE(a_thread_that_does_not_run_does_not_keep_the_caller) {
  const int before = num_threads();
  set_num_threads(2);
  const int code = in_child([] {
    std::signal(SIGUSR1, keep);
    pthread_t helper{};
    std::atomic<bool> begun = false;
    in_threads(2, [&](std::int64_t thread) {
      while (thread == 0 && !begun) std::this_thread::yield();
      if (thread == 0) return;
      helper = pthread_self();
      begun = true;
    });
    pthread_kill(helper, SIGUSR1);
    while (!is_kept) std::this_thread::yield();
    int wrong = 0;
    for (int i = 0; i < 100; ++i) wrong += !calls_each_once(2);
    std::atomic<int> items = 0;
    parallel_stealing(1000, 2, [&](auto, auto) { ++items; });
    may_go_on = true;
    return wrong == 0 && items == 1000 && others_take_part(2) ? 7 : 1;
  });
  BOOST_TEST(code == 7);
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(a_program_s_own_threads_may_all_call) {
  const int before = num_threads();
  set_num_threads(3);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) wrong += !calls_each_once(3);
    });
  }
  for (std::thread& caller : callers) caller.join();
  BOOST_TEST(wrong == 0);
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(the_child_of_a_fork_has_threads_of_its_own) {
  const int before = num_threads();
  set_num_threads(3);
  BOOST_TEST(calls_each_once(3));
  const auto both_work = [] { return others_take_part(2) && calls_each_once(3) ? 7 : 1; };
  BOOST_TEST(in_child(both_work) == 7);
  BOOST_TEST(in_child([&] { return in_child(both_work); }) == 7);
  BOOST_TEST(both_work() == 7);
  // In a loop, as a handler of a signal may.
  int code = 0;
  in_threads(2, [&](std::int64_t thread) {
    if (thread == 0) code = in_child([] { return 7; });
  });
  BOOST_TEST(code == 7);
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(where_no_thread_can_be_had_the_caller_does_all) {
  const int before = num_threads();
  set_num_threads(3);
  const int code = in_child([] {
    pthread_attr_t attributes;  // of new threads: their stacks would take all addresses
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 47);
    if (pthread_setattr_default_np(&attributes) != 0) return 1;
    const auto caller = std::this_thread::get_id();
    int calls = 0;
    in_threads(3, [&](auto) { calls += std::this_thread::get_id() == caller; });
    return calls_each_once(3) && calls == 3 ? 7 : 2;
  });
  BOOST_TEST(code == 7);
  set_num_threads(before);
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
