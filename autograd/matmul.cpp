#include "autograd/matmul.h"

#include "autograd/record.h"
#include "autograd/views.h"
#include "tensor/elementwise/elementwise.h"

namespace heed {
namespace {

Variable transposed(const Variable& x) { return transpose(x, -2, -1); }

// Leading dimensions joined: (..., m, n) -> (... m, n), and a vector (n) -> (1, n).
Variable as_matrix(const Variable& x) {
  return x.dim() == 2 ? x : x.dim() == 1 ? unsqueeze(x, 0) : flatten(x, 0, -2);
}

// Which operands are vectors, and what they are as matrices: a row on the left, a column
// on the right. The result lacks the dimensions that this adds.
struct Vectors {
  bool a, b;

  Variable row(const Variable& x) const { return a ? unsqueeze(x, 0) : x; }
  Variable column(const Variable& x) const { return b ? unsqueeze(x, 1) : x; }
  Variable matrix(const Variable& g) const {
    const Variable rows = b ? unsqueeze(g, -1) : g;
    return a ? unsqueeze(rows, -2) : rows;
  }
};

}  // namespace

// C = A B       (..., m, k) x (..., k, n) -> (..., m, n)
//   dA          (..., m, n) x (..., n, k) -> (..., m, k)
//   dB          (..., k, m) x (..., m, n) -> (..., k, n)
Variable matmul(const Variable& a, const Variable& b) {
  const Vectors v{a.dim() == 1, b.dim() == 1};
  const auto dA = [v](auto& g, auto& b) {
    const Variable da = matmul(v.matrix(g), transposed(v.column(b)));
    return v.a ? squeeze(da, -2) : da;
  };
  const auto dB = [v, n = b.dim()](auto& g, auto& a) {
    Variable A = v.row(a), G = v.matrix(g);
    // One matrix B for all batches: one product over all their rows, in place of a
    // product a batch and a sum over them.
    if (n <= 2) {
      A = as_matrix(A);
      G = as_matrix(G);
    }
    const Variable db = matmul(transposed(A), G);
    return v.b ? squeeze(db, -1) : db;
  };
  return record({"matmul", "dA = g Bᵀ,  dB = Aᵀ g"}, matmul(a.value(), b.value()),
                rule(a, save(b), dA), rule(b, save(a), dB));
}

// The same for (b, m, k) x (b, k, n) -> (b, m, n).
Variable bmm(const Variable& a, const Variable& b) {
  return record({"bmm", "dA = g Bᵀ,  dB = Aᵀ g"}, bmm(a.value(), b.value()),
                rule(a, save(b), [](auto& g, auto& b) { return bmm(g, transposed(b)); }),
                rule(b, save(a), [](auto& g, auto& a) { return bmm(transposed(a), g); }));
}

// Y = X Wᵀ + b
Variable linear(const Variable& x, const Variable& weight, const Variable& bias) {
  const auto dX = [](auto& g, auto& weight) { return matmul(g, weight); };
  const auto dW = [](auto& g, auto& x) {
    return matmul(transposed(as_matrix(g)), as_matrix(x));
  };
  if (!bias.defined()) {
    return record({"linear", "dX = g W,  dW = gᵀ X"}, linear(x.value(), weight.value()),
                  rule(x, save(weight), dX), rule(weight, save(x), dW));
  }
  return record({"linear", "dX = g W,  dW = gᵀ X,  db = g, summed over its rows"},
                linear(x.value(), weight.value(), bias.value()),
                rule(x, save(weight), dX), rule(weight, save(x), dW),
                rule(bias, [](auto& g) { return g; }));
}

// C = a bᵀ
Variable outer(const Variable& a, const Variable& b) {
  return record(
      {"outer", "da = G b,  db = Gᵀ a"}, outer(a.value(), b.value()),
      rule(a, save(b), [](auto& g, auto& b) { return matmul(g, b); }),
      rule(b, save(a), [](auto& g, auto& a) { return matmul(transposed(g), a); }));
}

}  // namespace heed
