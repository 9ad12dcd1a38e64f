// The numbers of the nodes in a backward pass. For topological_order.h, not for users.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace heed {

class Node;

namespace detail {

// Numbers nodes from 0 on, in the order in which they are added: a hash table with open
// addressing. A std::unordered_map takes memory for every single node, which made an op
// on one number a sixth slower.
class NodeNumbers {
 public:
  static constexpr std::size_t none = -1;

  // The number of a node, which is added if it has none.
  std::size_t add(const Node* node) {
    Slot& slot = slots_[slot_of(node)];
    if (slot.node) return slot.number;
    const std::size_t number = count_++;
    slot = {node, number};
    if (count_ > slots_.size() / 2) grow();
    return number;
  }
  // The number of a node, or none.
  std::size_t find(const Node* node) const { return slots_[slot_of(node)].number; }

 private:
  struct Slot {
    const Node* node = nullptr;
    std::size_t number = none;
  };

  // The slot of the node, or the empty one where it belongs.
  std::size_t slot_of(const Node* node) const {
    // The upper half of the product depends on every bit of the address: multiplicative
    // hashing (Knuth, The Art of Computer Programming, volume 3, 6.4).
    const auto address = reinterpret_cast<std::uintptr_t>(node);
    std::size_t i = address * std::uint64_t{0x9e3779b97f4a7c15} >> 32;
    for (;; ++i) {
      i &= slots_.size() - 1;
      if (!slots_[i].node || slots_[i].node == node) return i;
    }
  }
  void grow() {
    for (const Slot& old : std::exchange(slots_, std::vector<Slot>(2 * slots_.size()))) {
      if (old.node) slots_[slot_of(old.node)] = old;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(32);  // their count is a power of two
  std::size_t count_ = 0;
};

}  // namespace detail
}  // namespace heed
