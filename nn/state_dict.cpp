#include "nn/state_dict.h"

#include <cstddef>

#include "tensor/core/text.h"

namespace heed::nn {

StateDict::StateDict(std::initializer_list<value_type> entries) {
  for (const auto& [name, value] : entries) emplace(name, value);
}

StateDict::StateDict(std::map<std::string, Tensor> entries) {
  for (auto& [name, value] : entries) emplace(name, std::move(value));
}

StateDict::operator std::map<std::string, Tensor>() const {
  return {entries_.begin(), entries_.end()};
}

StateDict::const_iterator StateDict::find(const std::string& name) const {
  const auto place = places_.find(name);
  return place == places_.end() ? end() : begin() + std::ptrdiff_t(place->second);
}

const Tensor& StateDict::at(const std::string& name) const {
  const auto entry = find(name);
  check(entry != end(), "the state has no entry {}", [&] { return shown(name); });
  return entry->second;
}

Tensor& StateDict::at(const std::string& name) {
  return const_cast<Tensor&>(std::as_const(*this).at(name));
}

Tensor& StateDict::operator[](const std::string& name) {
  emplace(name, Tensor());
  return at(name);
}

bool StateDict::emplace(std::string name, Tensor value) {
  if (!places_.emplace(name, entries_.size()).second) return false;
  entries_.emplace_back(std::move(name), std::move(value));
  return true;
}

std::size_t StateDict::erase(const std::string& name) {
  const auto place = places_.find(name);
  if (place == places_.end()) return 0;
  const std::size_t gone = place->second;
  entries_.erase(entries_.begin() + std::ptrdiff_t(gone));
  places_.erase(place);
  for (auto& [other, at] : places_) at -= at > gone;
  return 1;
}

}  // namespace heed::nn
