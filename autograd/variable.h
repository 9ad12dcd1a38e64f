// Variable: a tensor that remembers how it was made, so that it can be differentiated.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed {

class Node;
class GradSlot;

// A counted reference to a node of the graph, or to none. Letting go of the last one
// frees the node, and what only it referred to, without recursion.
class NodeRef {
 public:
  NodeRef() = default;
  explicit NodeRef(Node* node);
  NodeRef(const NodeRef& other) noexcept;
  NodeRef(NodeRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  NodeRef& operator=(NodeRef other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~NodeRef() {
    if (node_) release();
  }
  Node* get() const { return node_; }
  Node* operator->() const { return node_; }
  explicit operator bool() const { return node_ != nullptr; }

 private:
  void release();
  Node* node_ = nullptr;
};

struct BackwardOptions {
  // Keeps the graph for another backward. The default frees what its ops saved, and a
  // second backward is refused.
  bool retain_graph = false;
  // Records the computing of the gradients, so that they can be differentiated in turn;
  // keeps the graph too.
  bool create_graph = false;
};

namespace detail {
// Why a value with a gradient is not written into another in place.
constexpr const char* unrecorded_write =
    "what is written requires a gradient, which a change in place would lose; "
    "stack() and cat() put such values together, index_put() replaces some in a new one";

// Throws Error, naming `op`, unless the result can be written over x: of its shape and
// dtype.
void check_writes_over(std::string_view op, const Tensor& x, const Tensor& result);
}  // namespace detail

// A value in a computation. A Variable made with requires_grad = true is a leaf: what is
// computed from it is recorded, and backward() leaves its gradient in it. Copies of a
// Variable share value and history, and a leaf's gradient.
class [[nodiscard]] Variable : public Methods<Variable> {
 public:
  Variable() = default;
  Variable(const Variable& x)
      : value_(x.value_), node_(x.node_), slot_(x.slot_), is_copy_(!x.node_) {}
  Variable(Variable&&) noexcept = default;
  Variable& operator=(const Variable& x) & { return *this = Variable(x); }
  Variable& operator=(Variable&&) & noexcept = default;
  // x[0] = y would only change the temporary x[0].
  template <class T>
  void operator=(const T&) && {
    static_assert(!sizeof(T),
                  "heed: an assignment to a temporary Variable writes nothing");
  }
  // A leaf, or a constant. Not explicit: a Tensor is a constant wherever a Variable is
  // taken. Throws Error when a gradient is asked of a dtype that is not floating.
  Variable(Tensor value, bool requires_grad = false);
  // The value of a node of the graph: for ops and backward, not for users.
  Variable(Tensor value, NodeRef node)
      : value_(std::move(value)), node_(std::move(node)) {}

  // Whether it has a value; false for Variable() and for one that was moved from: these
  // print as tensor(undefined), and what needs the value throws Error.
  bool defined() const { return value_.defined(); }
  const Tensor& value() const& { return value_; }
  const Shape& shape() const& { return value_.shape(); }
  // Of a temporary by value, so that it outlives the Variable.
  Tensor value() && { return std::move(value_); }
  Shape shape() && { return value_.shape(); }
  Shape size() const { return value_.shape(); }
  std::int64_t size(Dim dim) const { return value_.size(dim); }
  int dim() const { return value_.dim(); }
  std::int64_t numel() const { return value_.numel(); }
  DType dtype() const { return value_.dtype(); }
  // The only element. Throws Error unless there is exactly one.
  double item() const { return value_.item(); }
  template <Arithmetic T>
  T item() const {
    return value_.item<T>();
  }
  // For a condition, as in if (loss < 1): whether the only element is not 0. Throws Error
  // as item() does.
  explicit operator bool() const { return bool(value_); }

  using Methods::operator[];
  // x[x > 0]: comparisons of Variables are Variables.
  Variable operator[](const Variable& index) const { return (*this)[index.value()]; }

  // Whether a gradient can reach this value or pass through it.
  bool requires_grad() const;
  // Whether no recorded op made it: a leaf, or a constant that is not the result of one.
  bool is_leaf() const;
  // The same elements without a history, which is a Tensor: gradients stop here.
  Tensor detach() const { return value_; }
  // The elements as a Tensor, to change them whether ops are recorded or not, as
  // PyTorch's w.data: w.data() -= 0.1 * w.grad().value().
  Tensor data() const { return value_; }
  const void* data_ptr() const { return value_.data_ptr(); }
  // Whether the two are one value, as copies of a Variable are, with the same history.
  bool is_same(const Variable& other) const {
    return node_.get() == other.node_.get() && value_.is_same(other.value_);
  }
  // The same elements one after the other in memory: this value itself if they are so,
  // otherwise a recorded copy.
  Variable contiguous() const;
  // A copy with elements of its own; gradients pass through.
  Variable clone() const;
  // The value as `dtype`, as the function to() has it.
  Variable to(DType dtype) const;

  // While ops are recorded and either side requires a gradient, x += y is x = x + y: a
  // new value, of which copies of x know nothing. A leaf that requires a gradient cannot
  // be changed so: Error. Otherwise, as under NoGrad, the elements are changed in place:
  //   { NoGrad no_grad; w -= lr * w.grad(); }
  Variable& operator+=(const Variable& x) &;
  Variable& operator-=(const Variable& x) &;
  Variable& operator*=(const Variable& x) &;
  Variable& operator/=(const Variable& x) &;
  Variable& operator+=(Number x) &;
  Variable& operator-=(Number x) &;
  Variable& operator*=(Number x) &;
  Variable& operator/=(Number x) &;
  // On a temporary, such as x[0] += y: in place. Throw Error where it would be recorded,
  // and for a temporary that is no view, as Tensor's do.
  template <class X>
  void operator+=(const X& x) && {
    unrecorded("+=", x) += x;
  }
  template <class X>
  void operator-=(const X& x) && {
    unrecorded("-=", x) -= x;
  }
  template <class X>
  void operator*=(const X& x) && {
    unrecorded("*=", x) *= x;
  }
  template <class X>
  void operator/=(const X& x) && {
    unrecorded("/=", x) /= x;
  }
  // Changes the elements in place, which no derivative would know of. Throw Error while
  // ops are recorded and this value, or x, requires a gradient; copy_, which converts
  // dtypes, also unless x broadcasts to the shape.
  Variable& copy_(const Variable& x);
  Variable& fill_(Number value);
  Variable& zero_() { return fill_(0); }
  Variable& masked_fill_(const Variable& mask, Number value);
  // Numbers drawn in place, as the functions of these names do in random.h; refused as
  // fill_ is.
  Variable& uniform_(double low = 0, double high = 1);
  Variable& normal_(double mean = 0, double std = 1);

  // Freezes a leaf, or makes it ask for its gradient again, in all copies; a frozen one
  // is a constant to the ops that follow. true makes a constant a leaf. Throws Error for
  // the result of an op (its detach() is a constant), for true and a dtype that is not
  // floating, and for true on a copy of a constant: the other copies would stay
  // constants.
  Variable& requires_grad_(bool requires_grad = true);

  // Differentiates this value by every leaf that it depends on, and adds each derivative
  // to that leaf's grad(). The value must have one element; otherwise pass `gradient`,
  // the derivative of something by this value, of this value's shape. Throws Error when
  // the value depends on no leaf, was made by an op without a derivative, when the graph
  // was freed by an earlier backward, or when a tensor that a derivative needs was
  // overwritten since; the graph is then what it was. When memory runs out on the way, or
  // a rule throws, no grad() has changed, but without retain_graph a part of the graph is
  // freed: compute the value anew.
  void backward(BackwardOptions options = {}) const;
  void backward(const Variable& gradient, BackwardOptions options = {}) const;

  // Whether backward has left a gradient here.
  bool has_grad() const;
  // The gradient that backward has left here, of the value's shape and dtype. Throws
  // Error when there is none.
  Variable grad() const;
  // Puts a gradient in its place. Throws Error unless this is a leaf, frozen or not, or
  // retain_grad() was called, and the shape and dtype are the value's.
  void set_grad(const Variable& gradient);
  // Forgets that gradient.
  void zero_grad();
  // Makes backward leave the gradient here, and in copies taken from now on, although an
  // op made this value. Throws Error for a constant.
  void retain_grad();

  // This value's node in the graph; null unless it is a leaf or a recorded op made it.
  const NodeRef& node() const { return node_; }

 private:
  friend Methods<Variable>;

  // *this, if an update by x is not recorded; else throws Error.
  Variable& unrecorded(std::string_view op, const Variable& x);
  Variable& unrecorded(std::string_view op, Number) { return unrecorded(op, Variable()); }
  // The value, to be changed in place by the member `name`; Error where it must not be.
  Tensor writable(const char* name) const;
  Tensor value_;
  NodeRef node_;
  // Where the gradient is put. Only Variables that a user holds own it, and the graph
  // does not: so a gradient with a graph of its own (create_graph) can never be part of a
  // cycle.
  std::shared_ptr<GradSlot> slot_;
  bool is_copy_ = false;  // of a constant
};

// Values with names, such as nn::named_parameters() gives.
using NamedVariables = std::vector<std::pair<std::string, Variable>>;

struct GradOptions {
  // The derivatives of something by the outputs, one each; ones for outputs of a single
  // element if empty.
  std::vector<Variable> grad_outputs = {};
  bool retain_graph = false;
  bool create_graph = false;
};

// The derivatives of the sum of `outputs` by each of `inputs`, without touching any
// grad(). Zeros for an input that takes no part. Inputs need not be leaves. The results
// may share elements: write to a clone(). Throws Error as backward does, and when an
// input does not require a gradient.
std::vector<Variable> grad(std::span<const Variable> outputs,
                           std::span<const Variable> inputs,
                           const GradOptions& options = {});
std::vector<Variable> grad(const Variable& output, const std::vector<Variable>& inputs,
                           const GradOptions& options = {});
// The same with `grad_output` as the derivative of something by the output.
std::vector<Variable> grad(const Variable& output, const std::vector<Variable>& inputs,
                           const Variable& grad_output, GradOptions options = {});

// Whether ops are recorded on this thread.
bool grad_enabled();
inline bool is_grad_enabled() { return grad_enabled(); }  // PyTorch's name

// While such an object lives, this thread records ops if `enabled`, else it does not.
class SetGradEnabled {
 public:
  [[nodiscard]] explicit SetGradEnabled(bool enabled);
  ~SetGradEnabled();
  SetGradEnabled(const SetGradEnabled&) = delete;
  SetGradEnabled& operator=(const SetGradEnabled&) = delete;

 private:
  bool before_;
};

// While such an object lives, this thread records nothing:
//   { NoGrad no_grad; y = net(x); }
struct NoGrad : SetGradEnabled {
  [[nodiscard]] NoGrad() : SetGradEnabled(false) {}
};

inline std::ostream& operator<<(std::ostream& out, const Variable& x) {
  return out << x.value();
}

}  // namespace heed

// A Variable prints as its value.
template <>
struct fmt::formatter<heed::Variable> : fmt::formatter<heed::Tensor> {
  format_context::iterator format(const heed::Variable& x,
                                  format_context& context) const {
    return fmt::formatter<heed::Tensor>::format(x.value(), context);
  }
};
