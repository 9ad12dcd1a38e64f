// Tensors by name: the state of a module.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "tensor/core/tensor.h"

namespace heed::nn {

// A map that keeps the order in which its entries were added, as Python's dict does. The
// members have the names and the meaning of std::map's, from which and to which it
// converts. A reference to a tensor stays valid until an entry is erased.
class StateDict {
 public:
  using value_type = std::pair<std::string, Tensor>;
  using const_iterator = std::deque<value_type>::const_iterator;

  StateDict() = default;
  StateDict(std::initializer_list<value_type> entries);
  StateDict(std::map<std::string, Tensor> entries);
  operator std::map<std::string, Tensor>() const;

  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  const_iterator find(const std::string& name) const;
  bool contains(const std::string& name) const { return places_.contains(name); }
  // Throw Error, naming the entry, when there is none.
  Tensor& at(const std::string& name);
  const Tensor& at(const std::string& name) const;
  // The entry, which is added, as an undefined Tensor, when there is none.
  Tensor& operator[](const std::string& name);
  // Whether there was none of this name, so that it was added.
  bool emplace(std::string name, Tensor value);
  // How many were removed: 0 or 1.
  std::size_t erase(const std::string& name);

 private:
  // In state["a"] = state["b"] the entry a is added when b is already a reference.
  std::deque<value_type> entries_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace heed::nn
