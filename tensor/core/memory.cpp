#include "tensor/core/memory.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "tensor/core/error.h"

namespace heed {
namespace {

std::atomic<std::int64_t> live{0};
std::atomic<std::int64_t> peak{0};

// Sizes are rounded up to classes so that a freed block fits the next request of about
// its size. A class is one of the eight steps between two powers of two, at least 64
// bytes wide: no block is more than an eighth too large, small ones aside.
struct SizeClass {
  int index;
  std::size_t bytes;
};

SizeClass size_class(std::size_t bytes) {
  const std::size_t units = (std::max<std::size_t>(bytes, 1) + 63) / 64;
  if (units <= 8) return {static_cast<int>(units), units * 64};
  const int shift = static_cast<int>(std::bit_width(units - 1)) - 4;
  const std::size_t step = std::size_t{1} << shift;
  const std::size_t steps = (units + step - 1) >> shift;  // 9 to 16
  return {shift * 8 + static_cast<int>(steps), (steps << shift) * 64};
}

constexpr int class_count = 58 * 8 + 17;

// Under AddressSanitizer every block goes back to the system at once, so that it can tell
// a use after the free.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool reuse = false;
#elif defined(__has_feature)
constexpr bool reuse = !__has_feature(address_sanitizer);
#else
constexpr bool reuse = true;
#endif

// A new block, of which `used` bytes are asked for; null when there is no memory. Blocks
// of whole pages, 4 KiB each, get 448 bytes more, so that neighbours in malloc's heap lie
// 512 bytes apart within a page. With the 64 bytes that it leaves between them an op
// could take a quarter longer and more: the processor compares a load with the stores
// before it by the place within a page alone, and the loads of one block waited for the
// stores to another, a cache line or two further on. Not under AddressSanitizer, which
// would no longer see what is written past the end.
//
// Blocks of 4 MiB or more ask for pages of 2 MiB: an op on 10 million numbers takes about
// a tenth less. The processor keeps the places of only some thousand pages at hand, which
// of 4 KiB each are less than such a block and its neighbours. Only for the `used` bytes:
// a large page that reaches beyond them would take memory for nothing. (A later use of
// more of the block has small pages there.) If the system has no large pages, nothing
// changes.
void* new_block(std::size_t bytes, std::size_t used) {
  const std::size_t gap = reuse && bytes % 4096 == 0 ? 448 : 0;
  void* const block = std::aligned_alloc(64, bytes + gap);
  if (block && bytes >= std::size_t{4} << 20) {
    const std::size_t in_page = reinterpret_cast<std::uintptr_t>(block) % 4096;
    madvise(static_cast<char*>(block) - in_page, in_page + used, MADV_HUGEPAGE);
  }
  return block;
}

// Free blocks of one thread, a list for each class, linked through the blocks themselves.
// A training step asks for the same sizes again and again; taking a warm block back is
// cheaper than fresh pages, which cost more than the arithmetic on them.
class Pool {
 public:
  ~Pool() { release(); }

  // Null when there is no memory.
  void* take(const SizeClass& wanted, std::size_t used) {
    void* memory = free_[wanted.index];
    last_use_[wanted.index] = ++uses_;
    if (memory) {
      free_[wanted.index] = free_[wanted.index]->next;
      cached_ -= wanted.bytes;
    } else {
      memory = new_block(wanted.bytes, used);
      if (!memory) return nullptr;
    }
    taken_ += static_cast<std::int64_t>(wanted.bytes);
    most_taken_ = std::max(most_taken_, taken_);
    return memory;
  }

  // The size of the smallest free block of at least `bytes` bytes and less than twice as
  // many; `bytes` if there is none.
  std::size_t free_size(std::size_t bytes) const {
    const int end = size_class(2 * bytes).index;
    for (int i = size_class(bytes).index; i < end; ++i) {
      if (free_[i]) return bytes_[i];
    }
    return bytes;
  }

  void give(void* memory, const SizeClass& kind) {
    taken_ -= static_cast<std::int64_t>(kind.bytes);
    if (!reuse || kind.bytes > worth_keeping()) {
      std::free(memory);
      return;
    }
    while (cached_ + kind.bytes > worth_keeping()) free_oldest();
    cached_ += kind.bytes;
    bytes_[kind.index] = kind.bytes;
    free_[kind.index] = new (memory) Block{free_[kind.index]};
  }

  void release() {
    for (Block*& list : free_) {
      while (list) std::free(std::exchange(list, list->next));
    }
    cached_ = 0;
  }

 private:
  struct Block {
    Block* next;
  };
  // Frees a block of the class that has not been asked for the longest: a program that
  // goes over to other sizes would otherwise keep what it no longer needs, and get every
  // block of the new sizes from the system.
  void free_oldest() {
    int oldest = -1;
    for (int i = 0; i < class_count; ++i) {
      if (free_[i] && (oldest < 0 || last_use_[i] < last_use_[oldest])) oldest = i;
    }
    std::free(std::exchange(free_[oldest], free_[oldest]->next));
    cached_ -= bytes_[oldest];
  }
  // As much as this thread has ever had in use at a time, but at least 64 MiB: a step
  // that comes again needs no more, and a thread that frees more of others' blocks than
  // it takes does not collect them.
  std::size_t worth_keeping() const {
    constexpr std::int64_t least = std::int64_t{64} << 20;
    return static_cast<std::size_t>(std::max(most_taken_, least));
  }

  Block* free_[class_count] = {};
  // Of each class: when a block was last taken, and its size.
  std::uint64_t last_use_[class_count] = {}, uses_ = 0;
  std::size_t bytes_[class_count] = {};
  std::size_t cached_ = 0;
  std::int64_t taken_ = 0;  // less what was given back; below 0 if others took it
  std::int64_t most_taken_ = 0;
};

// The pool of this thread; null before its first use, and again when the thread has ended
// its pool while objects that live longer still free theirs. Plain, and at a place that
// the loader fixes (initial-exec), so that reading it takes an instruction and no call.
// The pool itself is elsewhere: a program that loads heed with dlopen() has only a few
// hundred bytes at such places.
[[gnu::tls_model("initial-exec")]] constinit thread_local Pool* pool = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool ended = false;

// Makes the thread's pool, and ends it with the thread. Null once it has ended, and when
// there is no memory for it.
Pool* make_pool() {
  struct Owner {
    ~Owner() {
      delete std::exchange(pool, nullptr);
      ended = true;
    }
  };
  if (ended) return nullptr;
  thread_local const Owner owner;
  pool = new (std::nothrow) Pool;
  return pool;
}

}  // namespace

namespace memory {

std::int64_t bytes_live() { return live.load(std::memory_order_relaxed); }
std::int64_t bytes_peak() { return peak.load(std::memory_order_relaxed); }
void reset_peak() { peak.store(bytes_live(), std::memory_order_relaxed); }

void release_cached() {
  if (pool) pool->release();
}

void* allocate(std::size_t bytes) {
  const SizeClass wanted = size_class(bytes);
  void* block = nullptr;
  if (bytes <= PTRDIFF_MAX) {
    const auto take = [&wanted, bytes] {
      Pool* const here = pool ? pool : make_pool();
      return here ? here->take(wanted, bytes) : new_block(wanted.bytes, bytes);
    };
    block = take();
    if (!block) {
      release_cached();
      block = take();
    }
  }
  check(block != nullptr, "memory: cannot allocate {} bytes, {} are in use", bytes,
        bytes_live());
  const auto size = static_cast<std::int64_t>(wanted.bytes);
  const std::int64_t now = live.fetch_add(size, std::memory_order_relaxed) + size;
  std::int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen &&
         !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
  return block;
}

std::size_t free_size(std::size_t bytes) {
  return pool && bytes <= PTRDIFF_MAX ? pool->free_size(bytes) : bytes;
}

void deallocate(void* block, std::size_t bytes) noexcept {
  const SizeClass kind = size_class(bytes);
  live.fetch_sub(static_cast<std::int64_t>(kind.bytes), std::memory_order_relaxed);
  // A thread that only frees what others allocate has no pool.
  if (pool) {
    pool->give(block, kind);
  } else {
    std::free(block);
  }
}

}  // namespace memory

}  // namespace heed
