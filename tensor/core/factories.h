// New tensors: constants, ranges, and lists of numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "tensor/core/number.h"
#include "tensor/core/tensor.h"

namespace heed {

// --- constants

Tensor zeros(const Shape& shape, DType dtype = float32);
Tensor ones(const Shape& shape, DType dtype = float32);
// Throws Error when the dtype cannot hold `value`.
Tensor full(const Shape& shape, Number value, DType dtype = float32);
// zeros and ones with the shape of x, and its dtype unless another is given.
Tensor zeros_like(const Tensor& x, std::optional<DType> dtype = {});
Tensor ones_like(const Tensor& x, std::optional<DType> dtype = {});
// Throws Error when the dtype cannot hold `value`.
Tensor full_like(const Tensor& x, Number value, std::optional<DType> dtype = {});
// Elements not set, with the shape of x, its dtype unless another is given, and its order
// of strides: like a transposed x, the result is transposed in memory. It is dense even
// where x is not.
Tensor empty_like(const Tensor& x, std::optional<DType> dtype = {});
// The identity matrix, or its m x n corner. Throws Error for a negative size.
Tensor eye(Size n, DType dtype = float32);
Tensor eye(Size m, Size n, DType dtype = float32);

// --- ranges

// start, start + step, ... below `end` (above it for a negative step), rounded as by
// PyTorch's vector kernels. Without a dtype whole numbers give int64, others float32,
// as in PyTorch. Throws Error when step is 0 or points away from `end`, a number is not
// finite, or the dtype is bool or cannot hold the numbers.
Tensor arange(Number start, Number end, Number step = 1, std::optional<DType> dtype = {});
Tensor arange(Number start, Number end, DType dtype);
// 0, 1, ... below `end`.
Tensor arange(Number end, std::optional<DType> dtype = {});

// `steps` numbers from start to end, both included, evenly spaced; truncated for int64.
// Throws Error for a negative number of steps, or a dtype that is bool or cannot hold the
// bounds.
Tensor linspace(double start, double end, Size steps, DType dtype = float32);
// base to the powers linspace(start, end, steps), computed in float64. Throws Error for a
// negative number of steps.
Tensor logspace(double start, double end, Size steps, double base = 10,
                DType dtype = float32);

// --- lists

// A number, or a list of such lists: in braces, or a vector.
class NestedList {
 public:
  template <Arithmetic T>
  NestedList(T value) : number_(value), is_list_(false) {}
  NestedList(std::initializer_list<NestedList> parts)
      : number_(0), is_list_(true), parts_(parts) {}
  template <class T>
  NestedList(const std::vector<T>& parts)
      : number_(0), is_list_(true), parts_(parts.begin(), parts.end()) {}

  bool is_list() const { return is_list_; }
  const Number& number() const { return number_; }
  const std::vector<NestedList>& parts() const { return parts_; }

 private:
  Number number_;
  bool is_list_;
  std::vector<NestedList> parts_;
};

// The numbers of the list; its depth is the number of dimensions, so tensor({{1, 2}}) has
// the shape (1, 2) and tensor(3.5) is a scalar. Without a dtype bools give bool, whole
// numbers (and bools among them) int64, others and an empty list float32. Throws Error
// when the lists at one depth differ in length, or int64 or bool cannot hold a number.
Tensor tensor(const NestedList& list, std::optional<DType> dtype = {});

// The elements of `values` in row-major order, with the dtype of their type; of the shape
// (values.size()) where none is given. Throws Error when their numbers of elements
// differ. Integers of any width make int64; throws Error for one that does not fit.
Tensor from_vector(const std::vector<float>& values);
Tensor from_vector(const std::vector<double>& values);
Tensor from_vector(const std::vector<std::int64_t>& values);
Tensor from_vector(const std::vector<float>& values, const Shape& shape);
Tensor from_vector(const std::vector<double>& values, const Shape& shape);
Tensor from_vector(const std::vector<std::int64_t>& values, const Shape& shape);
Tensor from_vector(const std::vector<bool>& values);
Tensor from_vector(const std::vector<bool>& values, const Shape& shape);
template <std::integral T>
Tensor from_vector(const std::vector<T>& values, const Shape& shape) {
  std::vector<std::int64_t> whole;
  whole.reserve(values.size());
  for (const T value : values) {
    whole.push_back(Number(value).as<std::int64_t>("from_vector"));
  }
  return from_vector(whole, shape);
}
template <std::integral T>
Tensor from_vector(const std::vector<T>& values) {
  return from_vector(values, {static_cast<std::int64_t>(values.size())});
}

}  // namespace heed
