#include "autograd/matmul.h"

#include "autograd/record.h"
#include "autograd/views.h"

namespace heed {
namespace {

Variable transposed(const Variable& x) { return transpose(x, -2, -1); }

// Leading dimensions joined: (..., m, n) -> (... m, n).
Variable as_matrix(const Variable& x) {
  return x.dim() == 2 ? x : flatten(x, 0, -2);
}

}  // namespace

// C = A B, (..., m, k) x (..., k, n) -> (..., m, n)
//   dA = G Bᵀ     (..., m, n) x (..., n, k) -> (..., m, k)
//   dB = Aᵀ G     (..., k, m) x (..., m, n) -> (..., k, n)
// A vector is a matrix of one row (on the left) or one column (on the right).
Variable matmul(const Variable& a, const Variable& b) {
  if (a.dim() == 1 || b.dim() == 1) {
    // The tensor layer's own errors name the shapes as they were given.
    if (!grad_enabled() || !(a.requires_grad() || b.requires_grad())) {
      return matmul(a.value(), b.value());
    }
    const Shape shape = matmul(a.value(), b.value()).shape();
    return reshape(matmul(a.dim() == 1 ? unsqueeze(a, 0) : a,
                          b.dim() == 1 ? unsqueeze(b, 1) : b),
                   shape);
  }
  return record("matmul", matmul(a.value(), b.value()), inputs(a, b),
                keep(needed_by(b, a), needed_by(a, b)),
                [](const Kept& k, const Variable& g) {
                  return matmul(g, transposed(k[1]));
                },
                [n = b.dim()](const Kept& k, const Variable& g) {
                  // One matrix B for all batches: one product over all their rows, in
                  // place of a product a batch and a sum over them.
                  if (n == 2) return matmul(transposed(as_matrix(k[0])), as_matrix(g));
                  return matmul(transposed(k[0]), g);
                });
}

// The same for (b, m, k) x (b, k, n) -> (b, m, n).
Variable bmm(const Variable& a, const Variable& b) {
  return record(
      "bmm", bmm(a.value(), b.value()), inputs(a, b),
      keep(needed_by(b, a), needed_by(a, b)),
      [](const Kept& k, const Variable& g) { return bmm(g, transposed(k[1])); },
      [](const Kept& k, const Variable& g) { return bmm(transposed(k[0]), g); });
}

// C = a bᵀ                 da = G b,  db = Gᵀ a
Variable outer(const Variable& a, const Variable& b) {
  return record("outer", outer(a.value(), b.value()), inputs(a, b),
                keep(needed_by(b, a), needed_by(a, b)),
                [](const Kept& k, const Variable& g) { return matmul(g, k[1]); },
                [](const Kept& k, const Variable& g) {
                  return matmul(transposed(g), k[0]);
                });
}

}  // namespace heed
