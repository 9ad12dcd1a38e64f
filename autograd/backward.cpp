// The reverse walk: from outputs to inputs, each node once.

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "autograd/elementwise.h"
#include "autograd/node.h"
#include "autograd/reductions.h"
#include "tensor/elementwise/elementwise.h"

namespace heed {
namespace {

// How many walks are under way on this thread: more than one where a rule calls grad().
[[gnu::tls_model("initial-exec")]] constinit thread_local int walks = 0;

}  // namespace

// The nodes behind the outputs, which for_each() gives every one before the nodes of its
// inputs. Cleans up what a walk leaves in the nodes, also when it ends in an exception.
class Walk {
 public:
  Walk(std::span<const Variable> outputs, std::span<const Capture> captures,
       std::span<Node* const> ends) {
    // What takes memory comes first: an exception here leaves nothing in the nodes.
    // A fused op's composed form ends at its inputs: they are seen before the visits
    // begin, so that none goes beyond.
    for (Node* end : ends) {
      if (see(*end)) order_.push_back(end);
    }
    const std::size_t begin = order_.size();
    for (const Variable& output : outputs) visit(output.node().get());
    for (const Capture& capture : captures) {
      if (seen(*capture.node)) notes(*capture.node).captured = capture.gradient;
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {  // inputs first
      WalkNotes& here = notes(*order_[i]);
      here.passes_on = captures.empty();
      if (i < begin) continue;  // an end
      for (const NodeRef& input : order_[i]->inputs()) {
        if (input && notes(*input.get()).needed()) here.passes_on = true;
      }
    }
    ++walks;
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;
  ~Walk() {
    --walks;
    for (Node* node : order_) {
      notes(*node).arriving.reset();
      notes(*node).captured = nullptr;
    }
  }

  // Calls f(node, notes) for every node, results before inputs.
  template <class F>
  void for_each(F&& f) {
    for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
      f(**node, notes(**node));
    }
  }

  // The notes of a node that the walk has seen.
  WalkNotes& notes(Node& node) {
    return is_in_table(node) ? table_.find(&node)->second : node.notes;
  }

  // Whether the walk has come to a node.
  bool seen(const Node& node) const {
    return is_in_table(node) ? table_.contains(&node) : node.visit == walk_;
  }

 private:
  // Appends the nodes behind `root` that no visit has seen, inputs first: a depth-first
  // search whose stack is a vector, since graphs are deeper than any call stack.
  void visit(Node* root) {
    struct Step {
      Node* node;
      std::span<NodeRef> inputs;
    };
    std::vector<Step> stack;
    const auto enter = [&](Node* node) {
      if (node && see(*node)) stack.push_back({node, node->inputs()});
    };
    enter(root);
    while (!stack.empty()) {
      Step& step = stack.back();
      if (step.inputs.empty()) {
        order_.push_back(step.node);
        stack.pop_back();
        continue;
      }
      Node* const next = step.inputs.front().get();
      step.inputs = step.inputs.subspan(1);
      enter(next);
    }
  }

  // Marks a node as seen; false if it was.
  bool see(Node& node) {
    if (is_in_table(node)) return table_.try_emplace(&node).second;
    return std::exchange(node.visit, walk_) != walk_;
  }

  // Notes stand in the nodes themselves, which is quick. There are two exceptions. Other
  // threads may walk over the same leaf at the same time. And a rule may begin a walk:
  // then the notes of the walk that called the rule are in the nodes.
  bool is_in_table(const Node& node) const {
    return is_inner_ || node.kind == Node::Kind::leaf;
  }

  static std::uint64_t next_walk() {
    static std::atomic<std::uint64_t> count{0};
    return ++count;
  }

  std::uint64_t walk_ = next_walk();
  std::vector<Node*> order_;
  std::unordered_map<const Node*, WalkNotes> table_;
  const bool is_inner_ = walks > 0;
};

namespace {

// Whether a gradient can be added to `sum` in place: not while gradients are recorded,
// not to a sum with a history, which would be that of a part of the new sum, nor to
// elements that anyone else can see or that are there only once (expand).
bool adds_in_place(const Variable& sum) {
  return !grad_enabled() && !sum.node() && sum.value().storage().unique() &&
         sum.value().is_contiguous();
}

void add_in_place(const Variable& sum, const Variable& g) {
  Tensor target = sum.value();
  add_(target, g.value());
}

// sum += g
void accumulate(std::optional<Variable>& sum, Variable&& g) {
  if (!sum) {
    sum = std::move(g);
  } else if (adds_in_place(*sum)) {
    add_in_place(*sum, g);
  } else {
    sum = *sum + g;
  }
}

// A gradient that a user sees must be a tensor of its own: a rule may hand one tensor to
// several inputs, and users write to gradients. Nor may a small one keep the large one
// alive that it is a part of.
Variable own(const Variable& g) {
  const Tensor& value = g.value();
  const auto bytes =
      static_cast<std::size_t>(value.numel()) * element_size(value.dtype());
  const bool is_own = value.storage().unique() && value.is_contiguous() &&
                      value.storage()->bytes <= 2 * bytes + 1024;
  return Variable(is_own ? value : value.clone(), grad_enabled() ? g.node() : NodeRef());
}

// Guards the gradients in all slots: threads may share a leaf.
std::mutex& slots() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

std::optional<Variable> GradSlot::get() const {
  const std::lock_guard lock(slots());
  return grad_;
}

void GradSlot::clear() {
  const std::lock_guard lock(slots());
  grad_.reset();
}

// Gradients on their way to the slots where users find them. They are left there when the
// walk is over, all or, where it ends in an exception, none.
class Deposits {
 public:
  void add(std::shared_ptr<GradSlot> slot, const Variable& g) {
    deposits_.push_back({std::move(slot), own(g)});
  }

  void commit() {
    const std::lock_guard lock(slots());
    // The sums that take memory come first. Which do is asked once: another thread that
    // holds a gradient may let go of it at any moment.
    for (auto& [slot, g, in_place] : deposits_) {
      if (!slot->grad_) continue;
      in_place = adds_in_place(*slot->grad_);
      if (!in_place) g = *slot->grad_ + g;
    }
    for (auto& [slot, g, in_place] : deposits_) {
      if (in_place) {
        add_in_place(*slot->grad_, g);
      } else {
        slot->grad_ = std::move(g);
      }
    }
  }

 private:
  struct Deposit {
    std::shared_ptr<GradSlot> slot;
    Variable gradient;
    bool in_place = false;  // added to what is there, else put in its place
  };
  std::vector<Deposit> deposits_;
};

bool Requests::wants(int i) const {
  return inputs_[i] && walk_.notes(*inputs_[i].get()).needed();
}

void Requests::deliver(int i, Variable gradient) {
  Node& input = *inputs_[i].get();
  const bool same_dtype = gradient.dtype() == input.dtype;
  if (!same_dtype || gradient.shape() != input.shape) {
    check(same_dtype && broadcasts_to(input.shape, gradient.shape()),
          "backward: the rule of {} must give {} for its input {}, and {} or what that "
          "broadcasts to, got {} {}",
          op_, name(input.dtype), i, input.shape, name(gradient.dtype()),
          gradient.shape());
    gradient = sum_to(gradient, input.shape);  // the op broadcast its input
  }
  accumulate(walk_.notes(input).arriving, std::move(gradient));
}

void run_backward(std::span<const Variable> outputs, std::span<const Variable> gradients,
                  std::span<const Capture> captures, BackwardOptions options,
                  std::span<Node* const> ends) {
  const bool keep_graph = options.retain_graph || options.create_graph;
  const SetGradEnabled recording(options.create_graph);
  Walk walk(outputs, captures, ends);

  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Variable& y = outputs[i];
    check(bool(y.node()),
          "backward: the value has no graph: no Variable with requires_grad took part, "
          "or NoGrad was in force");
    check(y.requires_grad(), "backward: {} has no derivative", y.node()->op.name);
    check(gradients[i].shape() == y.shape() && gradients[i].dtype() == y.dtype(),
          "backward: the gradient must be like the value, got {} {} for {} {}",
          name(gradients[i].dtype()), gradients[i].shape(), name(y.dtype()), y.shape());
    accumulate(walk.notes(*y.node().get()).arriving, Variable(gradients[i]));
  }
  // Before anything is freed: an error leaves all as it was.
  walk.for_each([](Node& node, const WalkNotes& notes) {
    if (notes.passes_on) node.check_usable();
  });

  Deposits deposits;
  walk.for_each([&](Node& node, WalkNotes& notes) {
    if (!notes.arriving || !notes.needed()) return;
    const Variable g = *std::move(notes.arriving);
    notes.arriving.reset();
    if (notes.captured) *notes.captured = g;
    if (captures.empty()) {
      if (auto slot = node.slot.lock()) deposits.add(std::move(slot), g);
    }
    if (node.kind == Node::Kind::leaf || !notes.passes_on) return;
    if (node.freed) node.check_usable();  // a rule has walked over it, and freed it
    Requests requests(node.op.name, node.inputs(), walk);
    node.differentiate(g, requests);
    if (!keep_graph) node.free_saved();
  });

  // An input that is listed twice was captured once.
  for (const Capture& capture : captures) {
    if (walk.seen(*capture.node)) {
      *capture.gradient = *walk.notes(*capture.node).captured;
    }
  }
  deposits.commit();
}

}  // namespace heed
