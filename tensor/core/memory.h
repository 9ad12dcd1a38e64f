// Where the elements of tensors live: blocks from a pool, shared by counting references.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace heed {

namespace memory {

// Bytes in use now by tensors and graphs, over all threads.
std::int64_t bytes_live();
// The most that bytes_live() has been since the start or the last reset_peak().
std::int64_t bytes_peak();
void reset_peak();
// Gives the blocks that this thread's pool keeps for reuse back to the system.
void release_cached();

// A block of at least `bytes` bytes, aligned to 64, its contents unspecified.
// Throws Error when there is no memory.
void* allocate(std::size_t bytes);
// How much to ask allocate() for, if `bytes` are needed for a moment only. This thread's
// pool may have no free block of that size but a larger one, of less than twice as much:
// then it is the size of that block, and none is fetched from the system. Otherwise it is
// `bytes`.
std::size_t free_size(std::size_t bytes);
// Gives back a block that allocate(bytes) returned.
void deallocate(void* block, std::size_t bytes) noexcept;

}  // namespace memory

// The elements of one or more tensors: a header with its block right after it.
struct alignas(64) Storage {
  std::atomic<std::int32_t> references{1};
  // Counts the writes. An op notes the version of what it keeps for its derivative, so
  // that a later overwriting is found out instead of giving a wrong gradient.
  std::atomic<std::uint32_t> version{0};
  std::size_t bytes;  // of the whole block, this header included

  void* data() { return this + 1; }
};

// A counted reference to a Storage, or to none.
class StorageRef {
 public:
  StorageRef() = default;
  // Storage for `bytes` bytes of elements, not initialised. Throws Error when there is
  // no memory.
  static StorageRef make(std::size_t bytes) {
    StorageRef ref;
    const std::size_t total = sizeof(Storage) + bytes;
    ref.storage_ = new (memory::allocate(total)) Storage;
    ref.storage_->bytes = total;
    return ref;
  }

  StorageRef(const StorageRef& other) noexcept : storage_(other.storage_) {
    if (storage_) storage_->references.fetch_add(1, std::memory_order_relaxed);
  }
  StorageRef(StorageRef&& other) noexcept
      : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_ && storage_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const std::size_t bytes = storage_->bytes;
      memory::deallocate(storage_, bytes);
    }
  }

  Storage* operator->() const { return storage_; }
  explicit operator bool() const { return storage_ != nullptr; }
  bool unique() const {
    return storage_ && storage_->references.load(std::memory_order_acquire) == 1;
  }
  friend bool operator==(const StorageRef&, const StorageRef&) = default;

 private:
  Storage* storage_ = nullptr;
};

}  // namespace heed
