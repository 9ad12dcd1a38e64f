#include "tensor/elementwise/updates.h"

#include <algorithm>
#include <initializer_list>

#include "tensor/core/parallel.h"
#include "tensor/elementwise/update_kernels.h"
#include "tensor/kernels/level.h"

namespace heed {
namespace {

// Throws Error, naming `op`, unless all are as the parameter, the first of them, and each
// has a storage of its own. One that is not there is null.
void check_operands(std::string_view op, std::initializer_list<const Tensor*> operands) {
  const Tensor& x = **operands.begin();
  for (const Tensor* other : operands) {
    if (!other) continue;
    check(other->shape() == x.shape() && other->dtype() == x.dtype() &&
              other->is_contiguous(),
          "{}: all must be contiguous and like the parameter, {} {}, got {} {} with "
          "strides {}",
          op, name(x.dtype()), x.shape(), name(other->dtype()), other->shape(),
          other->strides());
    const auto shares = [&](const Tensor* t) {
      return t && t->storage() == other->storage();
    };
    check(x.numel() == 0 || std::ranges::count_if(operands, shares) == 1,
          "{}: each must have a storage of its own", op);
  }
}

const Tensor* pointer(const std::optional<Tensor>& x) { return x ? &*x : nullptr; }

}  // namespace

void adam_(Tensor& x, const Tensor& gradient, Tensor& m, Tensor& v,
           std::optional<Tensor>& largest, const AdamUpdate& update) {
  check_operands("adam_", {&x, &gradient, &m, &v, pointer(largest)});
  dispatch_floating("adam_", x.dtype(), [&]<class T>() {
    const auto as = [](double number) { return static_cast<T>(number); };
    const kernels::AdamNumbers<T> numbers = {
        as(update.shrink), as(update.weight_decay), as(update.beta1),
        as(update.beta2),  as(1 - update.beta1),    as(1 - update.beta2),
        as(update.eps),    as(update.step_size),    as(update.root_scale),
        update.maximize};
    T* const to = x.mutable_data<T>();
    const T* const g = gradient.data<T>();
    T *const ms = m.mutable_data<T>(), *const vs = v.mutable_data<T>();
    T* const most = largest ? largest->mutable_data<T>() : nullptr;
    parallel_for(x.numel(), parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      kernels::get<kernels::UpdateKernels<T>>().adam(
          end - begin, to + begin, g + begin, ms + begin, vs + begin,
          most ? most + begin : nullptr, numbers);
    });
  });
}

void sgd_(Tensor& x, const Tensor& gradient, std::optional<Tensor>& velocity,
          const SgdUpdate& update) {
  check_operands("sgd_", {&x, &gradient, pointer(velocity)});
  dispatch_floating("sgd_", x.dtype(), [&]<class T>() {
    const auto as = [](double number) { return static_cast<T>(number); };
    const kernels::SgdNumbers<T> numbers = {
        as(update.lr),           as(update.momentum), as(1 - update.dampening),
        as(update.weight_decay), update.first,        update.nesterov,
        update.maximize};
    T* const to = x.mutable_data<T>();
    const T* const g = gradient.data<T>();
    T* const v = velocity ? velocity->mutable_data<T>() : nullptr;
    parallel_for(x.numel(), parallel_grain, [&](std::int64_t begin, std::int64_t end) {
      kernels::get<kernels::UpdateKernels<T>>().sgd(end - begin, to + begin, g + begin,
                                                    v ? v + begin : nullptr, numbers);
    });
  });
}

}  // namespace heed
