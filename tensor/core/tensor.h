// Tensor: a view of elements in shared storage.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/core/dtype.h"
#include "tensor/core/memory.h"
#include "tensor/core/methods.h"
#include "tensor/core/number.h"
#include "tensor/core/shape.h"

namespace heed {

// An array of any rank up to eight: a reference to storage, and how to read it. Element
// (i, j, ...) of the tensor is element  offset + i stride(0) + j stride(1) + ...  of the
// storage. Copying a Tensor copies the reference: both see the same elements, and so do
// the views that functions such as slice() return. clone() copies the elements. A const
// Tensor protects the reference, not the elements.
//
// A Tensor that was default-constructed or moved from is undefined: it refers to nothing.
// It stands for "none" where an operand is optional, and may be copied, compared by
// is_same() and printed; what asks for its shape, dtype or elements throws Error.
class [[nodiscard]] Tensor : public Methods<Tensor> {
 public:
  Tensor() = default;

  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  // x[0] = y would only make the temporary x[0] refer to y's elements.
  template <class T>
  void operator=(const T&) && {
    static_assert(
        !sizeof(T),
        "heed: an assignment to a temporary Tensor writes nothing; "
        "x[i].copy_(y) or x[i].fill_(2.0) writes elements, where i is a number; "
        "x.masked_fill_(mask, 2.0) and x.index_put_({index}, y) write to picked ones");
  }

  // A view of `storage`; every element must lie inside it, which is not checked.
  Tensor(StorageRef storage, std::int64_t offset, const Shape& shape,
         const Strides& strides, DType dtype)
      : storage_(std::move(storage)),
        offset_(offset),
        shape_(shape),
        strides_(strides),
        dtype_(dtype) {}

  // Whether it refers to a storage, even one of no elements; false for Tensor().
  bool defined() const { return static_cast<bool>(storage_); }
  const Shape& shape() const& { return checked().shape_; }
  const Strides& strides() const& { return checked().strides_; }
  // Of a temporary by value, so that it outlives the Tensor.
  Shape shape() && { return checked().shape_; }
  Strides strides() && { return checked().strides_; }
  // strides(), or one of them, under PyTorch's name.
  Strides stride() const { return strides(); }
  std::int64_t stride(Dim dim) const;
  // The number of dimensions; 0 for a scalar.
  int dim() const { return checked().shape_.rank(); }
  // The shape, or the size along a dimension, negative ones from the end. Throws Error
  // out of range.
  Shape size() const { return checked().shape_; }
  std::int64_t size(Dim dim) const;
  std::int64_t numel() const { return count(checked().shape_); }
  DType dtype() const { return checked().dtype_; }
  // The place of the first element in the storage, in elements.
  std::int64_t offset() const { return offset_; }
  const StorageRef& storage() const& { return storage_; }
  StorageRef storage() && { return std::move(storage_); }
  // True when the elements lie one after the other in row-major order.
  bool is_contiguous() const;
  // Whether the two are one tensor: the same elements, read in the same way. What
  // Python's `a is b` asks.
  bool is_same(const Tensor& other) const {
    return storage_ == other.storage_ && offset_ == other.offset_ &&
           shape_ == other.shape_ && strides_ == other.strides_ && dtype_ == other.dtype_;
  }
  // The address of the first element, to compare.
  const void* data_ptr() const {
    return static_cast<const char*>(checked().storage_->data()) +
           offset_ * static_cast<std::int64_t>(element_size(dtype_));
  }

  // The first element, for reading. Throws Error unless T is the C++ type of dtype().
  template <class T>
  const T* data() const {
    return const_cast<const T*>(pointer<T>());
  }
  // The first element, for writing: marks the storage as changed, so that a derivative
  // that needed the old elements is refused. Throws Error as data() does.
  template <class T>
  T* mutable_data() {
    T* const first = pointer<T>();
    storage_->version.fetch_add(1, std::memory_order_relaxed);
    return first;
  }

  // The only element, as a double: an int64 beyond 2^53 is rounded. Throws Error unless
  // there is exactly one element.
  double item() const;
  // For a condition, as in if (x > 0): whether the only element is not 0. Throws Error
  // unless there is exactly one element: of several, any() or all() says what is meant,
  // and & and | combine element by element, where && and || ask for one.
  explicit operator bool() const;
  // The same as a T. As an integer an int64 is exact and a fraction loses its digits
  // after the point; throws Error when T cannot hold the number.
  template <Arithmetic T>
  T item() const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using Limits = std::numeric_limits<T>;
      return static_cast<T>(whole_item(Limits::min(), Limits::max()));
    } else {
      return static_cast<T>(item());
    }
  }
  // The element at `index`, one number per dimension, negative ones from the end, as a
  // double like item(). Throws Error when the count or a number does not fit.
  double at(std::initializer_list<Integer> index) const;
  // Writes the element at `index`. Throws Error as at() does, or when the dtype cannot
  // hold `value`.
  void set(std::initializer_list<Integer> index, Number value);
  // All elements in row-major order. Throws Error as data() does.
  template <Element T>
  std::vector<T> to_vector() const;

  // The functions that change the elements return the Tensor that they are called on, so
  // that calls can be chained: Tensor t = empty({3}).uniform_(). A reference to the
  // result lives no longer than that Tensor: after const Tensor& t =
  // empty({3}).uniform_() it refers to nothing.
  //
  // Sets every element. Throws Error when the dtype cannot hold `value`.
  Tensor& fill_(Number value);
  Tensor& zero_() { return fill_(0); }
  // The functions of these names in tensor/random/random.h, with the default generator.
  Tensor& uniform_(double low = 0, double high = 1);
  Tensor& normal_(double mean = 0, double std = 1);
  Tensor& exponential_(double lambda = 1);
  // Sets the elements for which the mask, bool and broadcast to shape(), holds. Throws
  // Error as masked_fill() does.
  Tensor& masked_fill_(const Tensor& mask, Number value);
  // Copies the elements of `source`, broadcast to shape(), converting them to dtype().
  // The two may share storage. Throws Error when the shapes do not broadcast.
  Tensor& copy_(const Tensor& source);

  // Change the elements in place; x broadcasts to shape(). Throw Error as +, -, * and /
  // do, when the result has another dtype, as int64 /= 2 would, and when the tensor
  // repeats elements, as expand() does.
  Tensor& operator+=(const Tensor& x) &;
  Tensor& operator-=(const Tensor& x) &;
  Tensor& operator*=(const Tensor& x) &;
  Tensor& operator/=(const Tensor& x) &;
  Tensor& operator+=(Number x) &;
  Tensor& operator-=(Number x) &;
  Tensor& operator*=(Number x) &;
  Tensor& operator/=(Number x) &;
  // Of a temporary, such as x[0] += y. Throw Error too for one that is no view, such as
  // x[mask], which is a copy: what is written would be lost with it.
  template <class X>
  void operator+=(const X& x) && {
    kept("+=") += x;
  }
  template <class X>
  void operator-=(const X& x) && {
    kept("-=") -= x;
  }
  template <class X>
  void operator*=(const X& x) && {
    kept("*=") *= x;
  }
  template <class X>
  void operator/=(const X& x) && {
    kept("/=") /= x;
  }

  // A contiguous copy with storage of its own.
  Tensor clone() const;
  // This tensor if it is contiguous, otherwise a contiguous copy.
  Tensor contiguous() const;
  // The elements as `dtype`, truncated towards zero for int64 (NaN becomes 0, and a
  // number out of range the nearest int64), compared with zero for bool; this tensor
  // itself if it has that dtype already.
  Tensor to(DType dtype) const;

 private:
  const Tensor& checked() const {
    if (!storage_) fail_undefined();
    return *this;
  }
  // The element without its fraction, modulo 2^64. Throws Error unless it is one and from
  // lowest to highest.
  std::uint64_t whole_item(std::int64_t lowest, std::uint64_t highest) const;
  // copy_() under the name of `op`.
  Tensor& overwrite(std::string_view op, const Tensor& source);
  // *this; throws Error when nothing else holds the elements.
  Tensor& kept(std::string_view op);
  friend class Variable;
  [[noreturn]] static void fail_undefined();
  [[noreturn]] void fail_dtype(DType asked) const;
  template <class T>
  T* pointer() const {
    if (dtype_of<T> != dtype()) fail_dtype(dtype_of<T>);
    return static_cast<T*>(storage_->data()) + offset_;
  }

  StorageRef storage_;
  std::int64_t offset_ = 0;
  Shape shape_;
  Strides strides_;
  DType dtype_ = DType::float32;
};

// A contiguous tensor whose elements are not set. Throws Error when the shape is negative
// or too large, or there is no memory.
Tensor empty(const Shape& shape, DType dtype = float32);

// What index() and index_put() take: indices of the first dimensions, in braces. Each is
// an index tensor, a mask, which stands for as many dimensions as it has, or a number,
// which is an index tensor of rank 0: {2, columns}. (A std::vector<Tensor> as a parameter
// would take that for two times columns.)
class Indices {
 public:
  class Index {
   public:
    // A template, so that {} is not taken for an undefined Tensor.
    template <std::convertible_to<Tensor> T>
    Index(const T& index) : index_(index) {}
    template <std::integral Int>
    requires(!std::same_as<Int, bool>) Index(Int index)
        : index_(scalar(Integer(index))) {}

   private:
    friend Indices;
    static Tensor scalar(std::int64_t index);
    Tensor index_;
  };
  Indices(std::initializer_list<Index> indices) {
    for (const Index& i : indices) tensors_.push_back(i.index_);
  }
  Indices(std::vector<Tensor> indices) : tensors_(std::move(indices)) {}

  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

// Throws Error, naming `op`, unless the two dtypes are equal.
void check_same_dtype(std::string_view op, const Tensor& a, const Tensor& b);

// How tensors are printed; names and values are those of torch.set_printoptions.
struct PrintOptions {
  int precision = 4;              // digits after the point
  std::int64_t threshold = 1000;  // of more elements than this only some are shown,
  std::int64_t edgeitems = 3;     // so many at both ends of each dimension
  std::int64_t linewidth = 80;
  std::optional<bool> sci_mode = {};  // whether with an exponent; by default as it suits
};
// For all tensors from now on; what is not named gets its default again. Not while
// another thread prints. Throws Error for a negative number.
//   set_printoptions({.precision = 2, .sci_mode = false});
void set_printoptions(const PrintOptions& options);

// The tensor as PyTorch prints it, `tensor([[1., 2.], [3., 4.]])` with its line breaks,
// but `dtype=float64` without the `torch.`.
// With a format of one number, such as ".2f", each element is written so, and a scalar as
// the number alone. Throws fmt::format_error for a format that numbers do not take.
std::string to_string(const Tensor& tensor, std::string_view format = {});
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace heed

// Tensors print with fmt: fmt::print("{}\n", x), or with a format for each element,
// fmt::print("{:.2f}\n", x).
template <>
struct fmt::formatter<heed::Tensor> {
  constexpr auto parse(format_parse_context& context) {
    auto end = context.begin();
    while (end != context.end() && *end != '}') ++end;
    element_ = {context.begin(), static_cast<std::size_t>(end - context.begin())};
    return end;
  }
  format_context::iterator format(const heed::Tensor& tensor,
                                  format_context& context) const;

 private:
  std::string_view element_;
};
