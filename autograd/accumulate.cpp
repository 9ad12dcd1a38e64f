#include "autograd/accumulate.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "autograd/elementwise.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"

namespace heed {
namespace {

// Whether a gradient can be added to `sum` in place. Not while gradients are recorded.
// Not to a sum that has a history: this would then belong to one part of the new sum
// only. Not to a tensor whose elements others can see, nor to one whose elements stand
// for several (expand).
bool adds_in_place(const Variable& sum) {
  return !grad_enabled() && !sum.node() && sum.value().storage().unique() &&
         sum.value().is_contiguous();
}

void add_in_place(const Variable& sum, const Variable& g) {
  Tensor target = sum.value();
  add_(target, g.value());
}

// A gradient as a tensor of its own, since users write to gradients and a rule may give
// one tensor to several inputs. A part of a tensor more than twice as large is copied,
// too: otherwise it would keep all of that tensor in memory.
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

void detail::GradientSum::add(Variable g) {
  complete();
  if (!sum_) {
    sum_ = std::make_unique<Variable>(std::move(g));
  } else if (adds_in_place(*sum_)) {
    add_in_place(*sum_, g);
  } else {
    *sum_ = *sum_ + g;
  }
}

bool detail::GradientSum::add(const SliceGradient& part, const Node& input) {
  const bool can_add = sum_ ? adds_in_place(*sum_) : !grad_enabled() && part.step == 1;
  if (!can_add) return false;
  const Tensor& g = part.g.value();
  const Shape& shape = input.shape;
  if (g.dim() != shape.rank() || g.dtype() != input.dtype) return false;
  const bool is_new = !sum_;
  const Tensor whole = sum_ ? sum_->value() : empty(shape, input.dtype);
  const Tensor rest = slice(whole, part.dim, part.start, to_end, part.step);
  Tensor target = slice(rest, part.dim, 0, g.size(part.dim));
  if (target.shape() != g.shape()) return false;
  const int dim = normalize_dim("slice", part.dim, shape.rank());
  const std::int64_t begin = shape[dim] - rest.size(dim), end = begin + g.size(dim);
  const bool extends = dim == dim_ && part.step == 1 && (begin == end_ || end == begin_);
  if (!is_new && !extends) {
    complete();
    add_(target, g);
    return true;
  }
  target.copy_(g);
  if (is_new) sum_ = std::make_unique<Variable>(whole);
  begin_ = is_new ? begin : std::min(begin, begin_);
  end_ = is_new ? end : std::max(end, end_);
  dim_ = dim;
  return true;
}

Variable detail::GradientSum::get() {
  complete();
  return *sum_;
}

void detail::GradientSum::complete() {
  if (dim_ < 0) return;
  const Tensor whole = sum_->value();
  slice(whole, dim_, 0, begin_).fill_(0);
  slice(whole, dim_, end_).fill_(0);
  dim_ = -1;
}

std::optional<Variable> GradSlot::get() const {
  const std::lock_guard lock(slots());
  return grad_;
}

void GradSlot::set(const Variable& grad) {
  const std::lock_guard lock(slots());
  grad_ = grad;
}

void GradSlot::clear() {
  const std::lock_guard lock(slots());
  grad_.reset();
}

namespace detail {

void Deposits::add(std::shared_ptr<GradSlot> slot, const Variable& g) {
  deposits_.push_back({std::move(slot), own(g)});
}

void Deposits::commit() {
  const std::lock_guard lock(slots());
  // First what may throw: the sums that need memory of their own. Whether a sum does is
  // asked once, since another thread may let go of a gradient at any moment.
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

}  // namespace detail
}  // namespace heed
