#include "tensor/core/parallel.h"

#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include <pthread.h>

#include "tensor/kernels/level.h"

namespace heed {
namespace {

using std::int64_t;

// In a shared library each access is a call by default; initial-exec makes it a load.
[[gnu::tls_model("initial-exec")]] thread_local bool is_in_loop = false;

// A loop that threads share: call(f, thread) computes one thread's part of it.
struct Loop {
  void (*call)(void* f, int64_t thread);
  void* f;
};

// What a thread has to do: its part of a loop, or nothing. On a cache line of its own,
// for two threads write it. An int, not the pointer, is waited for: libstdc++ lets
// threads sleep on the address of an int, but wakes all that wait for any pointer.
class alignas(64) Task {
 public:
  // The caller's side. It withdraws what the thread has not taken: where other programs
  // want the processors too, a thread may wait for its turn for longer than the whole
  // loop takes.
  void offer(const Loop& loop) {
    loop_ = &loop;
    set(offered);
  }
  bool withdraw() { return change(offered, none); }
  void wait_for_end() const { wait_while(taken); }

  // The thread's side: waits for a loop, and returns it.
  const Loop& take() {
    for (;;) {
      wait_while(none);
      if (change(offered, taken)) return *loop_;
    }
  }
  void end() { set(none); }

 private:
  enum State { none, offered, taken };

  const Loop* loop_ = nullptr;
  std::atomic<int> state_ = none;

  void set(State state) {
    state_ = state;
    state_.notify_one();
  }
  bool change(int from, State to) { return state_.compare_exchange_strong(from, to); }

  // A thread that sleeps takes some 50 microseconds to wake up, and the next loop often
  // begins sooner. So at first it waits busily, for 100 pauses, which take some
  // microseconds; then, until a fifth of a millisecond has passed, it lets others use the
  // processor that want to; and then it sleeps.
  void wait_while(State old) const {
    using Clock = std::chrono::steady_clock;
    for (int i = 0; i < 100; ++i) {
      if (state_ != old) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    const auto end = Clock::now() + std::chrono::microseconds(200);
    while (Clock::now() < end) {
      if (state_ != old) return;
      std::this_thread::yield();
    }
    state_.wait(old);
  }
};

// The threads that compute parts of loops, beside the thread that calls in_threads().
// They start when a loop first needs them, and run until the process ends.
class Team {
 public:
  // The caller computes part 0, and then those that no thread has taken. Returns false,
  // with nothing computed, while the team computes another thread's loop. noexcept: if
  // the caller's part threw, the others would read what the caller destroys.
  bool compute(const Loop& loop, int64_t threads) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    start(threads - 1);
    const int64_t helpers = std::min(threads - 1, started_);
    for (int64_t i = 0; i < helpers; ++i) tasks_[i].offer(loop);
    is_in_loop = true;
    loop.call(loop.f, 0);
    for (int64_t i = 1; i < threads; ++i) {
      if (i > helpers || tasks_[i - 1].withdraw()) loop.call(loop.f, i);
    }
    is_in_loop = false;
    for (int64_t i = 0; i < helpers; ++i) tasks_[i].wait_for_end();
    return true;
  }

 private:
  std::mutex mutex_;
  int64_t started_ = 0;
  std::array<Task, max_threads - 1> tasks_;  // no memory that could run out

  // Starts what is missing of `wanted` threads, or as many as the system allows.
  void start(int64_t wanted) {
    try {
      for (; started_ < wanted && started_ < std::ssize(tasks_); ++started_) {
        std::thread(work, &tasks_[started_], started_ + 1).detach();
      }
    } catch (const std::exception&) {
    }
  }

  // What a thread of the team does.
  static void work(Task* task, int64_t thread) {
    is_in_loop = true;
    for (;;) {
      const Loop& loop = task->take();
      loop.call(loop.f, thread);
      task->end();
    }
  }
};

constinit Team team;

// fork() copies only the thread that calls it: the child starts threads of its own.
// Nothing waits for a loop under way, for a handler of a signal may call fork() in it.
[[maybe_unused]] const int fork_handlers =
    pthread_atfork(nullptr, nullptr, [] { std::construct_at(&team); });

}  // namespace

bool in_parallel() { return is_in_loop; }

void in_threads(int64_t threads, void (*call)(void* f, int64_t thread), void* f) {
  if (threads > 1 && num_threads() > 1 && !is_in_loop) {
    // Throws Error here where HEED_LEVEL is wrong, before threads run f: in f, which
    // looks up its kernels, the same Error would end the program.
    kernels::level();
    if (team.compute({call, f}, threads)) return;
  }
  for (int64_t thread = 0; thread < threads; ++thread) call(f, thread);
}

}  // namespace heed
