// The functions that PyTorch's programs call as members: x.sum() is sum(x).
#pragma once

#include <optional>
#include <vector>

#include "tensor/core/shape.h"

namespace heed {

class Tensor;
template <class T>
struct WithIndices;

// The base of Tensor and of Variable, so that both have one list. What a member does, and
// throws, is said where the function of its name is declared; autograd/methods.cpp calls
// that function.
template <class Self>
class [[nodiscard]] Methods {
 public:
  Self sum(const Dims& dims = {}, bool keepdim = false) const;
  Self mean(const Dims& dims = {}, bool keepdim = false) const;
  Self prod(const Dims& dims = {}, bool keepdim = false) const;
  Self var(const Dims& dims = {}, Integer correction = 1, bool keepdim = false) const;
  Self std(const Dims& dims = {}, Integer correction = 1, bool keepdim = false) const;
  Self norm(const Dims& dims = {}, bool keepdim = false) const;
  Self any(const Dims& dims = {}, bool keepdim = false) const;
  Self all(const Dims& dims = {}, bool keepdim = false) const;
  Self max() const;
  Self min() const;
  WithIndices<Self> max(Dim dim, bool keepdim = false) const;
  WithIndices<Self> min(Dim dim, bool keepdim = false) const;
  Self argmax() const;
  Self argmin() const;
  Self argmax(Dim dim, bool keepdim = false) const;
  Self argmin(Dim dim, bool keepdim = false) const;
  Self amax(const Dims& dims = {}, bool keepdim = false) const;
  Self amin(const Dims& dims = {}, bool keepdim = false) const;
  WithIndices<Self> sort(Dim dim = -1, bool descending = false) const;
  Self argsort(Dim dim = -1, bool descending = false) const;
  WithIndices<Self> topk(Size k, Dim dim = -1, bool largest = true) const;

  Self reshape(const Shape& shape) const;
  Self view(const Shape& shape) const;
  Self flatten(Dim start = 0, Dim end = -1) const;
  Self transpose(Dim a, Dim b) const;
  Self t() const;  // of a matrix
  Self permute(const Dims& dims) const;
  Self expand(const Shape& shape) const;
  Self squeeze() const;
  Self squeeze(Dim dim) const;
  Self unsqueeze(Dim dim) const;
  Self repeat(const Shape& repeats) const;
  Self repeat_interleave(Integer repeats) const;
  Self repeat_interleave(Integer repeats, Dim dim) const;
  Self flip(const Dims& dims) const;
  Self tril(Integer diagonal = 0) const;
  Self triu(Integer diagonal = 0) const;

  Self abs() const;
  Self exp() const;
  Self log() const;
  Self sqrt() const;
  Self square() const;
  Self sign() const;
  Self floor() const;
  Self ceil() const;
  Self round() const;
  Self pow(double exponent) const;
  Self sin() const;
  Self cos() const;
  Self tanh() const;
  Self sigmoid() const;
  Self relu() const;
  Self clamp(std::optional<double> min, std::optional<double> max = {}) const;
  Self softmax(Dim dim) const;
  Self log_softmax(Dim dim) const;
  Self logsumexp(const Dims& dims, bool keepdim = false) const;
  Self cumsum(Dim dim) const;
  Self matmul(const Self& other) const;

  // Element i of the first dimension, a view: select(x, 0, i).
  Self operator[](Integer i) const;
  // x[index] of an int64 tensor: the elements of the first dimension with these numbers,
  // (index's shape, the other dimensions). x[mask] of a bool tensor, whose sizes are the
  // first of x: what is there where the mask holds, (number, the other dimensions). A
  // copy in both cases. Throws Error for other dtypes, for a mask of other sizes, and as
  // index_select() does.
  Self operator[](const Tensor& index) const;
  Self slice(Dim dim, Integer start, Integer stop = to_end, Integer step = 1) const;
  ::std::vector<Self> split(Size size, Dim dim = 0) const;
  ::std::vector<Self> chunk(Size chunks, Dim dim = 0) const;
  Self select(Dim dim, Integer index) const;
  Self index_select(Dim dim, const Tensor& index) const;
  Self gather(Dim dim, const Tensor& index) const;
  Self masked_select(const Tensor& mask) const;
  Self masked_fill(const Self& mask, double value) const;

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace heed
