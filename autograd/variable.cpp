#include "autograd/variable.h"

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "tensor/core/factories.h"
#include "tensor/core/tensor_iterator.h"

namespace heed {
namespace {

// Every op reads it; this TLS model makes that cheap.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool recording = true;

// The derivative of a value by itself.
Variable seed(const char* op, const Variable& output) {
  check(output.numel() == 1,
        "{}: the value must have one element, got the shape {}; sum() it, or pass a "
        "gradient of that shape",
        op, output.shape());
  return ones_like(output.value());
}

}  // namespace

Variable::Variable(Tensor value, bool requires_grad) : value_(std::move(value)) {
  if (requires_grad) requires_grad_();
}

bool Variable::requires_grad() const { return node_ && node_->requires_grad(); }

Variable& Variable::requires_grad_(bool requires_grad) {
  check(is_leaf(), "requires_grad_: it must be a leaf, got the result of {}",
        node_ ? node_->op.name : "");
  if (node_) {
    node_->is_frozen = !requires_grad;
  } else if (requires_grad) {
    check(is_floating(dtype()),
          "Variable: only float32 and float64 have gradients, got {}", name(dtype()));
    check(
        !is_copy_,
        "requires_grad_: this is a copy of another Variable, such as one in a list, and "
        "the other would stay without a gradient; ask for it before the copy is made, "
        "as Variable(value, true) does");
    auto slot = std::make_shared<GradSlot>();
    node_ = NodeRef(new Node({"leaf"}, value_, Node::Kind::leaf));
    node_->slot = slot;
    slot_ = std::move(slot);
  }
  return *this;
}

bool Variable::is_leaf() const { return !node_ || node_->kind == Node::Kind::leaf; }

void Variable::backward(BackwardOptions options) const {
  backward(seed("backward", *this), options);
}

void Variable::backward(const Variable& gradient, BackwardOptions options) const {
  run_backward({this, 1}, {&gradient, 1}, {}, options);
}

bool Variable::has_grad() const { return slot_ && slot_->get(); }

Variable Variable::grad() const {
  std::optional<Variable> gradient = slot_ ? slot_->get() : std::nullopt;
  check(gradient.has_value(),
        "grad: there is no gradient here; a leaf with requires_grad gets one from "
        "backward(), another value if retain_grad() was called before it");
  return *std::move(gradient);
}

void Variable::set_grad(const Variable& gradient) {
  check(slot_ != nullptr,
        "set_grad: the value must be a leaf that requires a gradient, or retain_grad() "
        "have been called");
  check(gradient.shape() == shape() && gradient.dtype() == dtype(),
        "set_grad: the gradient must be like the value, {} {}, got {} {}", name(dtype()),
        shape(), name(gradient.dtype()), gradient.shape());
  slot_->set(gradient);
}

void Variable::zero_grad() {
  if (slot_) slot_->clear();
}

void Variable::retain_grad() {
  check(requires_grad(), "retain_grad: this value does not require a gradient");
  if (slot_) return;
  slot_ = node_->slot.lock();
  if (slot_) return;
  slot_ = std::make_shared<GradSlot>();
  node_->slot = slot_;
}

void detail::check_writes_over(std::string_view op, const Tensor& x,
                               const Tensor& result) {
  check(result.shape() == x.shape(), "{}: the shape must stay {}, got {}", op, x.shape(),
        result.shape());
  check(result.dtype() == x.dtype(),
        "{}: the result would be {}, which cannot be written to {}", op,
        name(result.dtype()), name(x.dtype()));
}

namespace {

// a = op(a, b), in place if nothing is recorded.
template <class B, class Op>
Variable& assign(const char* name, Variable& a, const B& b, Op op) {
  constexpr bool is_number = std::is_same_v<B, Number>;
  bool is_recorded = a.requires_grad();
  if constexpr (!is_number) is_recorded = is_recorded || b.requires_grad();
  if (is_recorded && grad_enabled()) {
    check(!a.is_leaf() || !a.requires_grad(),
          "{}: a leaf that requires a gradient can be changed only while nothing is "
          "recorded; put the update into the scope of a NoGrad",
          name);
    Variable result = op(a, b);
    detail::check_writes_over(name, a.value(), result.value());
    return a = std::move(result);
  }
  Tensor target = a.value(), result;
  check_distinct(name, target);
  if constexpr (is_number) {
    result = op(target, b);
  } else {
    result = op(target, b.value());
  }
  detail::check_writes_over(name, target, result);
  target.copy_(result);
  return a;
}

}  // namespace

Variable& Variable::unrecorded(std::string_view op, const Variable& x) {
  check(!grad_enabled() || (!requires_grad() && !x.requires_grad()),
        "{}: what is updated is a temporary, such as x[i], and the new value, which "
        "requires a gradient, would be lost with it",
        op);
  value_.kept(op);
  return *this;
}

Variable& Variable::copy_(const Variable& x) {
  check(!grad_enabled() || !x.requires_grad(), "copy_: {}", detail::unrecorded_write);
  writable("copy_").copy_(x.value());
  return *this;
}

Tensor Variable::writable(const char* name) const {
  check(!grad_enabled() || !requires_grad(),
        "{}: a value that requires a gradient can be changed only while nothing is "
        "recorded; put the change into the scope of a NoGrad",
        name);
  return value_;
}

Variable& Variable::fill_(Number value) {
  writable("fill_").fill_(value);
  return *this;
}

Variable& Variable::masked_fill_(const Variable& mask, Number value) {
  writable("masked_fill_").masked_fill_(mask.value(), value);
  return *this;
}

Variable& Variable::uniform_(double low, double high) {
  writable("uniform_").uniform_(low, high);
  return *this;
}

Variable& Variable::normal_(double mean, double std) {
  writable("normal_").normal_(mean, std);
  return *this;
}

Variable& Variable::operator+=(const Variable& x) & {
  return assign("+=", *this, x, [](auto& a, auto& b) { return a + b; });
}
Variable& Variable::operator-=(const Variable& x) & {
  return assign("-=", *this, x, [](auto& a, auto& b) { return a - b; });
}
Variable& Variable::operator*=(const Variable& x) & {
  return assign("*=", *this, x, [](auto& a, auto& b) { return a * b; });
}
Variable& Variable::operator/=(const Variable& x) & {
  return assign("/=", *this, x, [](auto& a, auto& b) { return a / b; });
}
Variable& Variable::operator+=(Number x) & {
  return assign("+=", *this, x, [](auto& a, auto& b) { return a + b; });
}
Variable& Variable::operator-=(Number x) & {
  return assign("-=", *this, x, [](auto& a, auto& b) { return a - b; });
}
Variable& Variable::operator*=(Number x) & {
  return assign("*=", *this, x, [](auto& a, auto& b) { return a * b; });
}
Variable& Variable::operator/=(Number x) & {
  return assign("/=", *this, x, [](auto& a, auto& b) { return a / b; });
}

std::vector<Variable> grad(std::span<const Variable> outputs,
                           std::span<const Variable> inputs, const GradOptions& options) {
  check(!outputs.empty() && !inputs.empty(),
        "grad: there must be outputs and inputs, got {} and {}", outputs.size(),
        inputs.size());
  std::vector<Variable> gradients = options.grad_outputs;
  if (gradients.empty()) {
    for (const Variable& output : outputs) gradients.push_back(seed("grad", output));
  }
  check(gradients.size() == outputs.size(),
        "grad: one of grad_outputs an output, got {} for {}", gradients.size(),
        outputs.size());

  std::vector<Variable> results(inputs.size());
  std::vector<Capture> captures;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check(inputs[i].requires_grad(), "grad: input {} does not require a gradient", i);
    results[i] = zeros_like(inputs[i].value());
    captures.push_back({inputs[i].node().get(), &results[i]});
  }
  run_backward(
      outputs, gradients, captures,
      {.retain_graph = options.retain_graph, .create_graph = options.create_graph});
  return results;
}

std::vector<Variable> grad(const Variable& output, const std::vector<Variable>& inputs,
                           const GradOptions& options) {
  return grad(std::span(&output, 1), std::span(inputs), options);
}

std::vector<Variable> grad(const Variable& output, const std::vector<Variable>& inputs,
                           const Variable& grad_output, GradOptions options) {
  options.grad_outputs = {grad_output};
  return grad(output, inputs, options);
}

bool grad_enabled() { return recording; }

SetGradEnabled::SetGradEnabled(bool enabled)
    : before_(std::exchange(recording, enabled)) {}
SetGradEnabled::~SetGradEnabled() { recording = before_; }

}  // namespace heed
