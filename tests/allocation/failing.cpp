#include "tests/allocation/failing.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include <malloc.h>

namespace {

// Of this thread: the threads that share loops are left alone.
thread_local constinit std::int64_t left = 0;  // until one fails
thread_local constinit bool armed = false, lasting = false, failed = false;

constinit std::atomic<std::int64_t> blocks{0};

// Counts one allocation. Returns whether it is to fail.
bool fails() {
  if (!armed || left-- > 0) return false;
  if (!failed || lasting) {
    failed = true;
    return true;
  }
  return false;
}

void* counted(void* block) noexcept {
  if (block) blocks.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* taken(std::size_t bytes) {
  void* const block = fails() ? nullptr : counted(std::malloc(bytes ? bytes : 1));
  if (!block) throw std::bad_alloc();
  return block;
}

void* taken(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  void* const block = fails() ? nullptr : counted(std::aligned_alloc(unit, rounded));
  if (!block) throw std::bad_alloc();
  return block;
}

void given_back(void* block) noexcept {
  if (!block) return;
  blocks.fetch_sub(1, std::memory_order_relaxed);
  // A read after the free must not find the old content.
  std::memset(block, 0xdb, malloc_usable_size(block));
  std::free(block);
}

}  // namespace

// All forms: a sanitizer would supply those that are left out.
void* operator new(std::size_t bytes) { return taken(bytes); }
void* operator new[](std::size_t bytes) { return taken(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return taken(bytes, alignment);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return taken(bytes, alignment);
}
// Callers like std::stable_sort go on without this memory, so it does not fail here.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(std::malloc(bytes ? bytes : 1));
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return counted(std::malloc(bytes ? bytes : 1));
}
void operator delete(void* block) noexcept { given_back(block); }
void operator delete[](void* block) noexcept { given_back(block); }
void operator delete(void* block, std::size_t) noexcept { given_back(block); }
void operator delete[](void* block, std::size_t) noexcept { given_back(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { given_back(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { given_back(block); }
void operator delete(void* block, std::align_val_t) noexcept { given_back(block); }
void operator delete[](void* block, std::align_val_t) noexcept { given_back(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  given_back(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  given_back(block);
}

// heed::memory::allocate(), and what is called in its place: the linker's names.
extern "C" {
void* __real__ZN4heed6memory8allocateEm(std::size_t bytes);
void* __wrap__ZN4heed6memory8allocateEm(std::size_t bytes) {
  if (fails()) heed::fail("memory: cannot allocate {} bytes, for a test", bytes);
  return __real__ZN4heed6memory8allocateEm(bytes);
}
}

namespace heed::tests {

OutOfMemory::OutOfMemory(std::int64_t k, Shortage shortage) {
  left = k;
  lasting = shortage == Shortage::lasting;
  failed = false;
  armed = true;
}
OutOfMemory::~OutOfMemory() { armed = false; }
bool OutOfMemory::has_failed() { return failed; }

std::int64_t heap_blocks() { return blocks.load(); }

}  // namespace heed::tests
