#include "data/idx.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "data/file.h"
#include "tensor/core/error.h"

namespace heed::data {
namespace {

// An element as the file has it: the most significant byte first.
template <class T>
T element(const char* bytes) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bits = bits << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  } else if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

template <class From>
Tensor converted(const char* bytes, const Shape& shape, DType dtype) {
  Tensor out = empty(shape, dtype);
  dispatch(dtype, [&]<class To>() {
    To* to = out.mutable_data<To>();
    for (std::int64_t i = 0; i < out.numel(); ++i) {
      to[i] = static_cast<To>(element<From>(bytes + i * sizeof(From)));
    }
  });
  return out;
}

// Calls f.operator()<T>() for the type of the elements that the third byte of the file
// names; false if it names none.
template <class F>
bool dispatch_code(int code, F&& f) {
  switch (code) {
    case 0x08: f.template operator()<std::uint8_t>(); return true;
    case 0x09: f.template operator()<std::int8_t>(); return true;
    case 0x0b: f.template operator()<std::int16_t>(); return true;
    case 0x0c: f.template operator()<std::int32_t>(); return true;
    case 0x0d: f.template operator()<float>(); return true;
    case 0x0e: f.template operator()<double>(); return true;
    default: return false;
  }
}

}  // namespace

Tensor parse_idx(std::string_view bytes, const std::string& source,
                 std::optional<DType> dtype) {
  // Two zeros, the type of the elements, the number of dimensions, then their sizes.
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  check(
      bytes.size() >= 4,
      "{}: is no IDX file: it must begin with two zero bytes, a type and a rank, and has "
      "{} bytes",
      source, bytes.size());
  check(byte(0) == 0 && byte(1) == 0,
        "{}: is no IDX file: it must begin with two zero bytes, got 0x{:02x} 0x{:02x}",
        source, byte(0), byte(1));
  const int rank = byte(3);
  check(rank <= max_rank, "{}: at most {} dimensions are allowed, got {}", source,
        max_rank, rank);
  const std::size_t header = 4 + 4 * static_cast<std::size_t>(rank);
  check(bytes.size() >= header, "{}: the header must have {} bytes, got {}", source,
        header, bytes.size());
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    shape.push_back(element<std::uint32_t>(bytes.data() + 4 + 4 * i));
  }
  std::int64_t numel = 0;
  try {
    numel = count(shape);
  } catch (const Error& error) {
    fail("{}: {}", source, error.what());
  }
  Tensor out;
  const bool known = dispatch_code(byte(2), [&]<class T>() {
    const std::size_t found = bytes.size() - header;
    check(
        static_cast<std::uint64_t>(numel) == found / sizeof(T) && found % sizeof(T) == 0,
        "{}: a file of shape {} must have {} elements of {} bytes after its header, got "
        "{} bytes",
        source, shape, numel, sizeof(T), found);
    constexpr bool is_floating = std::is_floating_point_v<T>;
    const DType own = !is_floating ? int64 : sizeof(T) == 4 ? float32 : float64;
    const DType to = dtype.value_or(own);
    check(!is_floating || heed::is_floating(to),
          "{}: has fractions; its dtype must be float32 or float64, got {}", source,
          name(to));
    out = converted<T>(bytes.data() + header, shape, to);
  });
  check(known,
        "{}: the type of its elements must be 0x08, 0x09 or 0x0b to 0x0e, got 0x{:02x}",
        source, byte(2));
  return out;
}

Tensor read_idx(const std::string& path, std::optional<DType> dtype) {
  return parse_idx(read_file(path, "an IDX file", std::size_t{4} << 30), path, dtype);
}

}  // namespace heed::data
