// Tensors as text, laid out as PyTorch lays them out.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "tensor/core/tensor.h"

namespace heed {
namespace {

PrintOptions options;

// Whether only some of its elements are shown.
bool is_summarised(const Tensor& x) { return x.numel() > options.threshold; }

std::string text(bool value) { return value ? "True" : "False"; }
std::string text(std::int64_t value) { return fmt::format("{}", value); }

// How the numbers of one tensor are written: as whole numbers with a point, with a fixed
// number of digits, with an exponent, or by a format of fmt's; all of them as wide as the
// widest.
class NumberFormat {
 public:
  template <class T>
  NumberFormat(const std::vector<T>& values, std::string_view format) : format_(format) {
    if constexpr (std::is_floating_point_v<T>) {
      choose_notation(values);
    }
    for (const T value : values) {
      // Zeros, infinities and NaN do not count for the width: PyTorch's layout.
      if constexpr (std::is_floating_point_v<T>) {
        if (format_.empty() && (value == 0 || !std::isfinite(value))) continue;
      }
      width_ = std::max(width_, written(value).size());
    }
  }

  std::int64_t width() const { return static_cast<std::int64_t>(width_); }

  template <class T>
  std::string operator()(T value) const {
    return fmt::format("{:>{}}", written(value), width_);
  }

 private:
  enum class Notation { whole, fixed, exponent };

  template <class T>
  void choose_notation(const std::vector<T>& values) {
    double smallest = INFINITY, largest = 0;
    bool all_whole = true;
    for (const double value : values) {
      if (value == 0 || !std::isfinite(value)) continue;
      smallest = std::min(smallest, std::abs(value));
      largest = std::max(largest, std::abs(value));
      all_whole = all_whole && value == std::ceil(value);
    }
    const bool wide_range = largest / smallest > 1000 || largest > 1e8;
    const bool suits = wide_range || (!all_whole && smallest < 1e-4);
    notation_ = options.sci_mode.value_or(suits) ? Notation::exponent
                : all_whole                      ? Notation::whole
                                                 : Notation::fixed;
  }

  template <class T>
  std::string formatted(T value) const {
    const std::string format = fmt::format("{{:{}}}", format_);
    // As in Python, a whole number takes the formats of fractions too.
    const bool fraction = std::string_view("eEfFgG").find(format_.back()) < 6;
    if (fraction) return fmt::format(fmt::runtime(format), static_cast<double>(value));
    return fmt::format(fmt::runtime(format), value);
  }

  template <class T>
  std::string written(T value) const {
    if (!format_.empty()) return formatted(value);
    if constexpr (!std::is_floating_point_v<T>) {
      return text(value);
    } else {
      const double number = value;
      if (std::isnan(number)) return "nan";
      if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
      switch (notation_) {
        case Notation::exponent: return fmt::format("{:.{}e}", number, options.precision);
        case Notation::fixed: return fmt::format("{:.{}f}", number, options.precision);
        case Notation::whole: break;
      }
      return fmt::format("{:.0f}.", number);
    }
  }

  std::string_view format_;
  Notation notation_ = Notation::whole;
  std::size_t width_ = 1;
};

// The tensor as nested lists in brackets.
template <class T>
class Lists {
 public:
  Lists(const Tensor& x, std::string_view format)
      : x_(x), summarised_(is_summarised(x)), format_(shown_values(), format) {}

  std::string operator()(int indent) const {
    return x_.dim() == 0 ? format_(*x_.data<T>()) : list(0, x_.data<T>(), indent);
  }

 private:
  // The elements of a dimension that are shown, the left-out middle as -1.
  std::vector<std::int64_t> shown(int dim) const {
    const std::int64_t size = x_.shape()[dim];
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < size; ++i) {
      if (summarised_ && size - options.edgeitems > options.edgeitems &&
          i == options.edgeitems) {
        places.push_back(-1);
        i = size - options.edgeitems;
        if (i == size) break;
      }
      places.push_back(i);
    }
    return places;
  }

  std::vector<T> shown_values() const {
    std::vector<T> values;
    gather(0, x_.data<T>(), values);
    return values;
  }

  void gather(int dim, const T* first, std::vector<T>& values) const {
    if (dim == x_.dim()) {
      values.push_back(*first);
      return;
    }
    for (const std::int64_t i : shown(dim)) {
      if (i >= 0) gather(dim + 1, first + i * x_.strides()[dim], values);
    }
  }

  std::string list(int dim, const T* first, int indent) const {
    if (dim == x_.dim() - 1) return row(first, indent);
    // One empty line between matrices, two between what holds matrices, and so on.
    const auto breaks = static_cast<std::size_t>(x_.dim() - dim - 1);
    const std::string separator =
        "," + std::string(breaks, '\n') + std::string(indent + 1, ' ');
    std::string result = "[";
    for (const std::int64_t i : shown(dim)) {
      if (result.size() > 1) result += separator;
      result += i < 0 ? "..." : list(dim + 1, first + i * x_.strides()[dim], indent + 1);
    }
    return result + "]";
  }

  std::string row(const T* first, int indent) const {
    const int dim = x_.dim() - 1;
    const std::int64_t a_line =
        std::max<std::int64_t>(1, (options.linewidth - indent) / (format_.width() + 2));
    std::string result = "[";
    std::int64_t written = 0;
    for (const std::int64_t i : shown(dim)) {
      if (written > 0) {
        result += written % a_line == 0 ? ",\n" + std::string(indent + 1, ' ') : ", ";
      }
      result +=
          i < 0 ? (written == 0 ? "..." : " ...") : format_(first[i * x_.strides()[dim]]);
      ++written;
    }
    return result + "]";
  }

  const Tensor& x_;
  bool summarised_;
  NumberFormat format_;
};

}  // namespace

void set_printoptions(const PrintOptions& chosen) {
  const std::int64_t least = std::min({std::int64_t{chosen.precision}, chosen.threshold,
                                       chosen.edgeitems, chosen.linewidth});
  check(least >= 0, "set_printoptions: the numbers must not be negative, got {}", least);
  options = chosen;
}

std::string to_string(const Tensor& tensor, std::string_view format) {
  if (!tensor.defined()) return "tensor(undefined)";
  const auto lists = [&](int indent) {
    return dispatch(tensor.dtype(),
                    [&]<class T>() { return Lists<T>(tensor, format)(indent); });
  };
  if (!format.empty() && tensor.dim() == 0) return lists(0);
  std::string result = "tensor(";
  const bool is_empty = tensor.numel() == 0;
  if (is_empty) {
    result += "[]";
  } else {
    result += lists(static_cast<int>(result.size()));
  }

  // The shape or the dtype, where the numbers do not show it.
  std::vector<std::string> remarks;
  const bool shows_none = is_summarised(tensor) && options.edgeitems == 0;
  if ((is_empty && tensor.dim() != 1) || shows_none) {
    remarks.push_back(fmt::format("size={}", tensor.shape()));
  }
  if (tensor.dtype() == float64 || (is_empty && tensor.dtype() != float32)) {
    remarks.push_back(fmt::format("dtype={}", name(tensor.dtype())));
  }
  // PyTorch counts the last line of the numbers two characters longer than it is.
  std::size_t last_line = result.size() - (result.rfind('\n') + 1) + 2;
  const auto line_width = static_cast<std::size_t>(options.linewidth);
  for (const std::string& remark : remarks) {
    if (last_line + remark.size() + 2 > line_width) {
      result += ",\n       " + remark;
      last_line = 7 + remark.size();
    } else {
      result += ", " + remark;
      last_line += remark.size() + 2;
    }
  }
  return result + ")";
}

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << fmt::format("{}", shape);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace heed

fmt::format_context::iterator fmt::formatter<heed::DType>::format(
    heed::DType dtype, format_context& context) const {
  return fmt::format_to(context.out(), "{}", heed::name(dtype));
}
