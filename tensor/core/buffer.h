// Memory for a computation's own use. Only heed's own sources include this file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/core/memory.h"

namespace heed {

// `count` elements from the pool, aligned to 64 bytes, not initialised, given back at the
// end. Throws Error when there is no memory.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::int64_t count)
      : bytes_(memory::free_size(static_cast<std::size_t>(count) * sizeof(T))),
        first_(static_cast<T*>(memory::allocate(bytes_))) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { memory::deallocate(first_, bytes_); }
  T* first() const { return first_; }

 private:
  std::size_t bytes_;
  T* first_;
};

}  // namespace heed
