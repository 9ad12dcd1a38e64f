#include "nn/state/safetensors.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <istream>
#include <span>
#include <system_error>
#include <vector>

#include "nn/state/atomic_file.h"
#include "nn/state/safetensors_header.h"
#include "tensor/core/text.h"

namespace heed::nn {
namespace {

static_assert(std::endian::native == std::endian::little, "as the files are");

std::size_t bytes_of(const Tensor& x) {
  return static_cast<std::size_t>(x.numel()) * element_size(x.dtype());
}

// The elements of a contiguous tensor as bytes.
const char* data_of(const Tensor& x) {
  return dispatch(x.dtype(),
                  [&]<class T>() { return reinterpret_cast<const char*>(x.data<T>()); });
}
char* mutable_data_of(Tensor& x) {
  return dispatch(
      x.dtype(), [&]<class T>() { return reinterpret_cast<char*>(x.mutable_data<T>()); });
}

// The file, read from front to back.
class Source {
 public:
  Source(std::streambuf* buffer, const std::string& where)
      : stream_(buffer), where_(where) {
    stream_.seekg(0, std::ios::end);
    const std::streamoff size = stream_.tellg();
    stream_.seekg(0);
    check(stream_ && size >= 0, "{}: cannot find its length", where_);
    left_ = static_cast<std::uint64_t>(size);
  }

  // The bytes that are yet to read.
  std::uint64_t left() const { return left_; }

  // Reads the next `size` bytes, at most left().
  void read(char* target, std::uint64_t size) {
    stream_.read(target, static_cast<std::streamsize>(size));
    check(static_cast<bool>(stream_), "{}: cannot read {} of its last {} bytes", where_,
          size, left_);
    left_ -= size;
  }

 private:
  std::istream stream_;  // one that never throws, whatever the caller's does
  const std::string& where_;
  std::uint64_t left_ = 0;
};

SafetensorsHeader read_header(Source& source, const std::string& where) {
  std::uint64_t size = 0;
  check(source.left() >= sizeof size,
        "{}: must begin with the header's length in {} bytes, got {} in all", where,
        sizeof size, source.left());
  source.read(reinterpret_cast<char*>(&size), sizeof size);
  // A zip archive begins with PK, 3 and 4, then a version and flags that are not all 0,
  // so that it gives too large a length.
  constexpr std::uint32_t zip = 0x04034b50;
  check(size <= max_header_size || static_cast<std::uint32_t>(size) != zip,
        "{}: must be a safetensors file, got a zip archive, as torch.save writes them; "
        "write the file with Python's safetensors.torch.save_file",
        where);
  check(size <= max_header_size,
        "{}: the header must have at most {} bytes, got {}; is it a safetensors file?",
        where, max_header_size, size);
  check(size <= source.left(),
        "{}: the header must end within the file, got {} of {} bytes", where,
        source.left(), size);
  std::string text(size, '\0');
  source.read(text.data(), size);
  return parse_header(where, text, source.left());
}

Tensor read_tensor(Source& source, const TensorEntry& entry, const std::string& where) {
  Tensor tensor = empty(entry.shape, entry.dtype);
  char* const data = mutable_data_of(tensor);
  const std::size_t size = bytes_of(tensor);
  if (size > 0) source.read(data, size);
  if (entry.dtype == boolean) {  // a C++ bool may only be 0 or 1
    const std::span bytes(reinterpret_cast<const unsigned char*>(data), size);
    const auto wrong = std::ranges::find_if(bytes, [](auto byte) { return byte > 1; });
    if (wrong != bytes.end()) {
      fail("{}: tensor {}: a BOOL must be 0 or 1, got {} as element {}", where,
           shown(entry.name), *wrong, wrong - bytes.begin());
    }
  }
  return tensor;
}

Safetensors read(std::streambuf* buffer, const std::string& where) {
  Source source(buffer, where);
  SafetensorsHeader header = read_header(source, where);
  Safetensors content;
  for (const TensorEntry& entry : header.tensors) {
    content.tensors.emplace(entry.name, read_tensor(source, entry, where));
  }
  content.metadata = std::move(header.metadata);
  return content;
}

// The tensors in the order in which the reference writes them, so that each begins at a
// multiple of its elements' size: I64, F64, F32, BOOL, and by name within each.
SafetensorsHeader header_of(const Safetensors& content) {
  constexpr int rank[] = {2, 1, 0, 3};  // by DType
  SafetensorsHeader header;
  for (const auto& [name, tensor] : content.tensors) {
    header.tensors.push_back({name, tensor.dtype(), tensor.shape()});
  }
  std::ranges::stable_sort(header.tensors, {}, [&](const TensorEntry& entry) {
    return rank[static_cast<int>(entry.dtype)];
  });
  std::uint64_t end = 0;
  for (TensorEntry& entry : header.tensors) {
    entry.begin = end;
    end += bytes_of(content.tensors.at(entry.name));
    entry.end = end;
  }
  header.metadata = content.metadata;
  return header;
}

}  // namespace

Safetensors read_safetensors(const std::string& path) {
  const std::string where = "read_safetensors: " + printable(path);
  check_regular(where, path);  // a folder has no length, and opening a pipe would wait
  errno = 0;
  std::filebuf file;
  if (!file.open(path, std::ios::in | std::ios::binary)) {
    fail("{}: cannot open: {}", where, std::generic_category().message(errno));
  }
  return read(&file, where);
}

Safetensors read_safetensors(std::istream& stream, const std::string& name) {
  return read(stream.rdbuf(), "read_safetensors: " + printable(name));
}

void write_safetensors(const std::string& path, const Safetensors& content) {
  const std::string where = "write_safetensors: " + printable(path);
  const SafetensorsHeader header = header_of(content);
  const std::string text = format_header(where, header);
  const std::uint64_t size = text.size();
  AtomicFile file(where, path);
  file.write(reinterpret_cast<const char*>(&size), sizeof size);
  file.write(text.data(), text.size());
  for (const TensorEntry& entry : header.tensors) {
    const Tensor tensor = content.tensors.at(entry.name).contiguous();
    file.write(data_of(tensor), bytes_of(tensor));
  }
  file.commit();
}

}  // namespace heed::nn
