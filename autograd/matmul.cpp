#include "autograd/matmul.h"

#include "autograd/record.h"
#include "autograd/views.h"

namespace heed {
namespace {

Variable transposed(const Variable& x) { return transpose(x, -2, -1); }

// Leading dimensions joined: (..., m, n) -> (... m, n).
Variable as_matrix(const Variable& x) { return x.dim() == 2 ? x : flatten(x, 0, -2); }

// Whether x lies in memory column by column, as a transposed view does.
bool is_column_major(const Variable& x) {
  if (x.dim() < 2) return false;
  const Strides& strides = x.value().strides();
  return strides[x.dim() - 2] < strides[x.dim() - 1];
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
  const auto dB = [v, n = b.dim(), by_columns = is_column_major(b)](auto& g, auto& a) {
    Variable A = v.row(a), G = v.matrix(g);
    // One matrix B for all batches: one product over all their rows, in place of a
    // product a batch and a sum over them.
    if (n <= 2) {
      A = as_matrix(A);
      G = as_matrix(G);
    }
    // For a B that is a transposed view, as a layer's weights are, Gᵀ A is computed and
    // transposed: then the gradient has the memory order of the weights.
    const Variable db =
        by_columns ? transposed(matmul(transposed(G), A)) : matmul(transposed(A), G);
    return v.b ? squeeze(db, -1) : db;
  };
  return record({"matmul", "dA = G Bᵀ,  dB = Aᵀ G"}, matmul(a.value(), b.value()),
                rule(a, save(b), dA), rule(b, save(a), dB));
}

// The same for (b, m, k) x (b, k, n) -> (b, m, n).
Variable bmm(const Variable& a, const Variable& b) {
  return record({"bmm", "dA = G Bᵀ,  dB = Aᵀ G"}, bmm(a.value(), b.value()),
                rule(a, save(b), [](auto& g, auto& b) { return bmm(g, transposed(b)); }),
                rule(b, save(a), [](auto& g, auto& a) { return bmm(transposed(a), g); }));
}

// C = a bᵀ
Variable outer(const Variable& a, const Variable& b) {
  return record(
      {"outer", "da = G b,  db = Gᵀ a"}, outer(a.value(), b.value()),
      rule(a, save(b), [](auto& g, auto& b) { return matmul(g, b); }),
      rule(b, save(a), [](auto& g, auto& a) { return matmul(transposed(g), a); }));
}

}  // namespace heed
