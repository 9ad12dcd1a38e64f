// The graph: a node for every recorded op and for every leaf.
//
// A node points at the nodes of its op's inputs and at no other node, so the graph has
// one direction, from results to inputs, and no cycle. Whoever holds a result holds the
// part of the graph that made it; letting go of the result frees that part.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "autograd/variable.h"

namespace heed {

// What an op is called, and its derivative as text: the gradients of its inputs, given
// the gradient g of its result, such as {"mul", "da = g b,  db = g a"}. Both are
// string literals: only their addresses are kept.
struct OpInfo {
  const char* name;
  const char* derivative = "none";
};

// A tensor that a rule will need, and the version of its storage when the op ran. The
// version counts the requests to write to the storage, through any view.
struct SavedTensor {
  Tensor value;
  // That of the Variable; null for a constant, and for the op's own result, since a node
  // that owned itself would be a cycle.
  NodeRef node;
  std::uint32_t version = 0;
  bool is_result = false;

  SavedTensor() = default;
  SavedTensor(const Tensor& value, NodeRef node, bool is_result);
  // The tensor with its history; `owner` is the node that saved it.
  Variable unpack(Node& owner) const {
    return Variable(value, is_result ? NodeRef(&owner) : node);
  }
};

namespace detail {
class TopologicalOrder;
struct NodeState;
class Deposits;
class BackwardObserver;
}  // namespace detail

// A gradient that is 0 except a slice of the input, where it is g. In a backward pass
// that is neither recorded nor observed it is summed up in place: the parts of a tensor
// cost no more than the whole.
struct SliceGradient {
  Variable g;
  Dim dim;
  std::int64_t start, step;
};

// What a backward pass asks of a node: the gradients of those inputs that need one.
class Requests {
 public:
  Requests(detail::TopologicalOrder& order, const detail::NodeState& node,
           detail::BackwardObserver* observer)
      : order_(order), node_(node), observer_(observer) {}

  // Whether the gradient of input i is needed.
  bool wants(int i) const;
  // Delivers the gradient of input i. It may have any shape that the input broadcasts to:
  // it is summed to the input's. Throws Error when it is of another shape, or not of the
  // input's dtype.
  void deliver(int i, Variable gradient);
  // Throws Error unless g has the slice's shape and the input's dtype.
  void deliver(int i, const SliceGradient& gradient);

 private:
  detail::TopologicalOrder& order_;
  const detail::NodeState& node_;
  detail::BackwardObserver* const observer_;  // or null
};

class Node {
 public:
  enum class Kind : std::uint8_t { op, constant, leaf };  // constant: no derivative

  Node(OpInfo op, const Tensor& value, Kind kind = Kind::op)
      : op(op), shape(value.shape()), dtype(value.dtype()), kind(kind) {}
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  virtual ~Node() = default;

  // Delivers the gradients that `requests` wants, given the gradient `g` of the result.
  // Throws Error when the op has no derivative.
  virtual void differentiate(const Variable& g, Requests& requests);
  // The nodes of the inputs, one an input; null where an input needs no gradient.
  virtual std::span<NodeRef> inputs() { return {}; }
  // The tensors that the rules need.
  virtual std::span<SavedTensor> saved() { return {}; }

  // Throws Error when the node was freed, or a saved tensor overwritten after the op ran.
  void check_usable();
  // Lets go of the saved tensors; after it the node cannot be differentiated again.
  void free_saved();

  static void* operator new(std::size_t bytes) { return memory::allocate(bytes); }
  static void operator delete(void* node, std::size_t bytes) {
    memory::deallocate(node, bytes);
  }

  const OpInfo op;    // for messages, and for whoever looks at the graph
  const Shape shape;  // of the result
  const DType dtype;
  const Kind kind;
  bool freed = false;
  bool is_frozen = false;  // a leaf that is a constant for now: requires_grad_(false)

  bool requires_grad() const { return kind != Kind::constant && !is_frozen; }

  // For NodeRef: how many there are, and the list of nodes that are to be freed.
  std::atomic<std::int32_t> references{0};
  Node* next_to_free = nullptr;

  // Where backward puts the gradient of this value, if it is a leaf or retain_grad() was
  // called. The Variables own the slot: it goes with the last of them.
  std::weak_ptr<GradSlot> slot;
};

// Where users find a gradient. Threads may share a slot, so every access takes a lock.
class GradSlot {
 public:
  std::optional<Variable> get() const;
  void set(const Variable& grad);
  void clear();

 private:
  friend class detail::Deposits;
  std::optional<Variable> grad_;
};

// Where grad() wants the gradient of a node. `gradient` is left as it is when the outputs
// do not depend on the node.
struct Capture {
  Node* node;
  Variable* gradient;
};

// The backward pass of Variable::backward and grad(), from `outputs`, given the
// derivatives by them, one each. With captures the gradients go there, else into the
// slots. The pass ends at the nodes `ends`: their rules are not run. `observer`, if any,
// looks on. Throws Error as Variable::backward does.
void run_backward(std::span<const Variable> outputs, std::span<const Variable> gradients,
                  std::span<const Capture> captures, BackwardOptions options,
                  std::span<Node* const> ends = {},
                  detail::BackwardObserver* observer = nullptr);

}  // namespace heed
