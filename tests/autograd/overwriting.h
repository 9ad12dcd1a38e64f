// Writing over tensors between an op and its backward.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tensor/core/tensor_iterator.h"
#include "tests/autograd/op_table.h"
#include "tests/compare.h"

namespace heed::tests {

// Another tensor of the same storage, as a user's other handle is; and a view of a part.
inline Tensor alias(const Tensor& x) { return x; }
inline Tensor part(const Tensor& x) {
  return x.dim() ? slice(x, -1, 0, 1) : view(x, {1});
}

// Changes the elements: reverses signs and orders, sets indices to 0.
inline void overwrite(Tensor x) {
  if (x.dtype() == boolean) {
    x.copy_(logical_not(x));
  } else if (x.dtype() == int64) {
    x.fill_(0);
  } else {
    x.copy_(x * -1.7 + 0.3);
  }
}

// What f returns, or nothing if backward refused because of an overwritten tensor. Any
// other Error is passed on.
template <class F>
std::optional<Bits> unless_refused(F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    const std::string message = error.what();
    const bool refused = message.starts_with("backward: a tensor of shape ") &&
                         message.find(" was overwritten after ") != std::string::npos;
    if (!refused) throw;
    return std::nullopt;
  }
}

// The same elements in the same layout in a storage of its own.
inline Tensor copied(const Tensor& x) {
  if (!x.storage()) return x;
  const auto bytes = x.storage()->bytes - sizeof(Storage);
  StorageRef storage = StorageRef::make(bytes);
  std::memcpy(storage->data(), x.storage()->data(), bytes);
  return Tensor(std::move(storage), x.offset(), x.shape(), x.strides(), x.dtype());
}

// One op on leaves of its own, and its first and second derivatives.
struct Run {
  std::vector<Variable> leaves;  // the inputs; those that are not floating are constants
  Variable y, seed;
  std::vector<Variable> gradients;  // by the leaves; after differentiate()

  explicit Run(const Sample& sample) {
    for (const Tensor& x : sample.inputs) {
      leaves.emplace_back(copied(x), is_floating(x.dtype()));
    }
    y = sample.f(leaves);
    Generator generator(3);
    seed = Variable(rand(y.shape(), y.dtype(), generator) + 0.5, true);
  }

  std::vector<Variable> wanted() const {
    std::vector<Variable> list;
    for (const Variable& leaf : leaves) {
      if (leaf.requires_grad()) list.push_back(leaf);
    }
    return list;
  }
  // Leaves a graph of the gradients behind.
  void differentiate() {
    gradients = grad(y, wanted(), {.grad_outputs = {seed}, .create_graph = true});
  }

  Bits first() const {
    Bits bits;
    for (const Variable& g : grad(y, wanted(), {.grad_outputs = {seed}})) {
      append_bits(bits, g.value());
    }
    return bits;
  }
  // The derivatives of the gradients; nothing where they are constants.
  Bits second() const {
    std::vector<Variable> outputs, weights, inputs = wanted();
    inputs.push_back(seed);
    for (const Variable& g : gradients) {
      if (!g.requires_grad()) continue;
      Generator generator(4);
      outputs.push_back(g);
      weights.emplace_back(rand(g.shape(), g.dtype(), generator) + 0.5);
    }
    Bits bits;
    if (outputs.empty()) return bits;
    for (const Variable& g : grad(outputs, inputs, {.grad_outputs = weights})) {
      append_bits(bits, g.value());
    }
    return bits;
  }

  // All that a user holds and can write to.
  std::vector<Tensor> visible() const {
    std::vector<Tensor> list;
    for (const Variable& leaf : leaves) list.push_back(leaf.value());
    list.push_back(y.value());
    if (gradients.empty()) return list;
    for (const Variable& g : gradients) list.push_back(g.value());
    list.push_back(seed.value());
    return list;
  }
};

// Overwrites in turn all that the user sees, whole and in part: prepare(run) runs before
// a tensor is overwritten, derivatives(run) after it, and returns the numbers that are
// compared. Returns how often they were refused.
template <class Prepare, class Derivatives>
int overwrite_in_turn(const Sample& sample, Prepare prepare, Derivatives derivatives) {
  Run untouched(sample);
  prepare(untouched);
  const Bits expected = derivatives(untouched);
  const std::size_t count = untouched.visible().size();
  int refusals = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& handle : {alias, part}) {
      Run run(sample);
      prepare(run);
      const Tensor target = run.visible()[i];
      if (target.numel() == 0 || repeats_elements(target)) continue;
      overwrite(handle(target));
      const std::optional<Bits> got = unless_refused([&] { return derivatives(run); });
      refusals += !got;
      BOOST_TEST_CONTEXT("tensor " << i << (handle == part ? ", in part" : "")) {
        BOOST_TEST((!got || *got == expected));
      }
    }
  }
  return refusals;
}

}  // namespace heed::tests
