// Several threads, each with a graph of its own over leaves that they share.

#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/checks.h"

using namespace heed;

namespace {

constexpr int thread_count = 4, rounds = 200;

// Runs f(thread) on `thread_count` threads at once.
template <class F>
void on_threads(F&& f) {
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back([&f, i] { f(i); });
  for (std::thread& thread : threads) thread.join();
}

// 1 + 2 + ... + thread_count
constexpr double total = thread_count * (thread_count + 1) / 2;

}  // namespace

BOOST_AUTO_TEST_SUITE(threads)

BOOST_AUTO_TEST_CASE(a_shared_leaf_gets_the_gradients_of_all) {
  const Variable w = leaf(3);
  on_threads([&](int thread) {
    for (int i = 0; i < rounds; ++i) {
      ((thread + 1.0) * w + w * w - w * w).backward();
    }
  });
  BOOST_TEST(w.grad().item() == rounds * total);
}

BOOST_AUTO_TEST_CASE(what_grad_captures_is_the_thread_s_own) {
  const Variable w = leaf(3), other = leaf(5);
  std::vector<int> wrong(thread_count, 0);
  on_threads([&](int thread) {
    const double factor = thread + 1;
    for (int i = 0; i < rounds; ++i) {
      const Variable y = factor * w * other;
      const std::vector<Variable> slopes = grad(y, {w, other, w});
      wrong[thread] += slopes[0].item() != 5 * factor;
      wrong[thread] += slopes[1].item() != 3 * factor;
      wrong[thread] += slopes[2].item() != 5 * factor;
      const Variable slope = grad(factor * w * w, {w}, {.create_graph = true})[0];
      wrong[thread] += grad(slope, {w})[0].item() != 2 * factor;
    }
  });
  BOOST_TEST(wrong == std::vector<int>(thread_count, 0),
             boost::test_tools::per_element());
  BOOST_TEST(!w.has_grad());
}

BOOST_AUTO_TEST_CASE(gradients_may_be_read_and_forgotten_meanwhile) {
  Variable w(ones({50}), true);
  on_threads([&](int thread) {
    for (int i = 0; i < rounds; ++i) {
      sum(w * (thread + 1.0)).backward();
      if (w.has_grad() && thread == 0) w.zero_grad();
    }
  });
  w.zero_grad();
  sum(w).backward();
  BOOST_TEST(sum(w.grad().value()).item() == 50);
}

// A leaf of one thread may be gone while another thread's graph still leads to it.
BOOST_AUTO_TEST_CASE(a_leaf_may_be_let_go_of_before_the_walk) {
  for (int i = 0; i < rounds; ++i) {
    auto w = std::make_unique<Variable>(full({}, 3.0, float64), true);
    const Variable y = *w * *w;
    std::thread walk([&] { y.backward(); });
    std::thread end([&] { w.reset(); });
    walk.join();
    end.join();
  }
  BOOST_TEST(true);
}

BOOST_AUTO_TEST_SUITE_END()
