#include "nn/state/safetensors_header.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tensor/core/text.h"

namespace heed::nn {
namespace {

using nlohmann::json;

constexpr std::string_view metadata_name = "__metadata__";
// By DType.
constexpr std::array<std::string_view, 4> dtype_names = {"F32", "F64", "I64", "BOOL"};
constexpr std::array<std::string_view, 3> fields = {"dtype", "shape", "data_offsets"};
enum Field { dtype_field, shape_field, offsets_field };

std::string tensor_name_of(const TensorEntry& t) { return "tensor " + shown(t.name); }

// Receives the events of nlohmann's SAX parser, which reads the text piece by piece. No
// tree of values is built and nothing recurses, however deeply the text is nested; and a
// name that comes twice is reported twice, so that it can be refused.
class HeaderListener : public json::json_sax_t {
 public:
  HeaderListener(const std::string& where, std::string_view text)
      : where_(where), text_(text) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (level_ == Level::text) return enter(Level::header);
    if (level_ != Level::header) refuse("an object");
    return enter(in_metadata_ ? Level::metadata : Level::tensor);
  }

  bool key(std::string& name) override {
    switch (level_) {
      case Level::metadata: {
        const auto [place, is_new] = header_.metadata.try_emplace(name);
        if (!is_new) fail("{}: __metadata__ has two entries {}", where_, shown(name));
        metadatum_ = &*place;
        break;
      }
      case Level::tensor: start_field(name); break;
      default: start_entry(name);  // of the header: an array has no keys
    }
    return true;
  }

  bool end_object() override {
    if (level_ == Level::tensor) {
      for (std::size_t i = 0; i < fields.size(); ++i) {
        if (has_[i]) continue;
        fail("{}: {} must have a field {}, got none", where_, tensor_name(), fields[i]);
      }
    }
    return enter(level_ == Level::header ? Level::text : Level::header);
  }

  bool start_array(std::size_t) override {
    if (level_ != Level::tensor || field_ == dtype_field) refuse("a list");
    return enter(Level::list);
  }

  bool end_array() override {
    if (field_ == offsets_field && offsets_ != 2) {
      fail("{}: {}: data_offsets must be two numbers, got {}", where_, tensor_name(),
           offsets_);
    }
    return enter(Level::tensor);
  }

  bool string(std::string& value) override {
    if (level_ == Level::metadata) {
      metadatum_->second = std::move(value);
      return true;
    }
    if (level_ != Level::tensor || field_ != dtype_field) refuse("a string");
    const auto found = std::ranges::find(dtype_names, value);
    if (found == dtype_names.end()) {
      fail(
          "{}: {}: dtype must be F32, F64, I64 or BOOL, got {}; save the tensor as "
          "float32",
          where_, tensor_name(), shown(value));
    }
    tensor().dtype = static_cast<DType>(found - dtype_names.begin());
    return true;
  }

  bool number_unsigned(std::uint64_t value) override {
    if (level_ != Level::list || value > INT64_MAX) refuse(fmt::to_string(value));
    if (field_ == shape_field) {
      if (tensor().shape.rank() == max_rank) {
        fail("{}: {}: shape must have at most {} sizes, got more", where_, tensor_name(),
             max_rank);
      }
      tensor().shape.push_back(static_cast<std::int64_t>(value));
    } else {
      if (offsets_ == 2) {
        fail("{}: {}: data_offsets must be two numbers, got more", where_, tensor_name());
      }
      (offsets_ == 0 ? tensor().begin : tensor().end) = value;
      ++offsets_;
    }
    return true;
  }

  // Whole numbers with a minus sign, -0 too.
  bool number_integer(std::int64_t value) override {
    refuse(fmt::format("-{}", -static_cast<std::uint64_t>(value)));
  }
  bool number_float(double, const std::string& digits) override { refuse(shown(digits)); }
  bool null() override { refuse("null"); }
  bool boolean(bool value) override { refuse(value ? "true" : "false"); }
  bool binary(json::binary_t&) override { refuse("binary data"); }

  // `position` counts the bytes that were read, the end of the text being one.
  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& error) override {
    if (dynamic_cast<const json::out_of_range*>(&error)) refuse("one beyond float64");
    const std::size_t end = std::min(position, text_.size());
    const std::size_t begin = end - std::min<std::size_t>(end, 20);
    fail("{}: the header must be JSON, got {} up to its byte {} of {}", where_,
         shown(text_.substr(begin, end - begin)), end, text_.size());
  }

 private:
  // Where in the header the parser is.
  enum class Level { text, header, metadata, tensor, list };

  bool enter(Level level) {
    level_ = level;
    return true;
  }

  void start_entry(const std::string& name) {
    if (!names_.insert(name).second) {
      fail("{}: the header has two entries {}", where_, shown(name));
    }
    in_metadata_ = name == metadata_name;
    if (in_metadata_) return;
    header_.tensors.emplace_back().name = name;
    has_ = {};
    offsets_ = 0;
  }

  void start_field(const std::string& name) {
    const auto found = std::ranges::find(fields, name);
    if (found == fields.end()) {
      fail("{}: {}: the fields must be dtype, shape and data_offsets, got {}", where_,
           tensor_name(), shown(name));
    }
    field_ = static_cast<Field>(found - fields.begin());
    if (has_[field_]) fail("{}: {} has two fields {}", where_, tensor_name(), name);
    has_[field_] = true;
  }

  TensorEntry& tensor() { return header_.tensors.back(); }
  std::string tensor_name() { return tensor_name_of(tensor()); }

  // Throws the Error that says what must stand here instead of `found`.
  [[noreturn]] void refuse(std::string_view found) {
    switch (level_) {
      case Level::header:
        if (in_metadata_) {
          fail("{}: __metadata__ must be an object of strings, got {}", where_, found);
        }
        fail("{}: {} must be an object, got {}", where_, tensor_name(), found);
      case Level::metadata:
        fail("{}: __metadata__: {} must be a string, got {}", where_,
             shown(metadatum_->first), found);
      case Level::tensor:
        fail("{}: {}: {} must be a {}, got {}", where_, tensor_name(), fields[field_],
             field_ == dtype_field ? "string" : "list", found);
      default: break;  // in a list: the text as a whole is an object
    }
    fail("{}: {}: {} must hold whole numbers from 0 to 2^63 - 1, got {}", where_,
         tensor_name(), fields[field_], found);
  }

  const std::string& where_;
  std::string_view text_;
  SafetensorsHeader header_;
  Level level_ = Level::text;
  std::set<std::string> names_;  // of the header's entries so far
  bool in_metadata_ = false;
  std::pair<const std::string, std::string>* metadatum_ = nullptr;
  Field field_ = dtype_field;
  std::array<bool, fields.size()> has_{};  // the fields of this tensor so far
  int offsets_ = 0;                        // how many numbers its data_offsets has so far
};

// Throws Error unless the tensors, which it sorts, fill the data one after the other.
void lay_out(const std::string& where, std::vector<TensorEntry>& tensors,
             std::uint64_t data_size) {
  std::ranges::sort(tensors, {}, [](const TensorEntry& t) {
    return std::tuple(t.begin, t.end, std::string_view(t.name));
  });
  std::uint64_t end = 0;  // of the tensors so far
  for (const TensorEntry& t : tensors) {
    if (t.begin > t.end) {
      fail("{}: {}: its data must not end before they begin, got {} to {}", where,
           tensor_name_of(t), t.begin, t.end);
    }
    if (t.end > data_size) {
      fail("{}: {}: its data must end within the {} bytes of data, got {} to {}", where,
           tensor_name_of(t), data_size, t.begin, t.end);
    }
    std::int64_t elements = 0;
    try {
      elements = count(t.shape);
    } catch (const Error& error) {
      fail("{}: {}: {}", where, tensor_name_of(t), error.what());
    }
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(elements) * element_size(t.dtype);
    if (t.end - t.begin != bytes) {
      fail("{}: {}: {} of shape {} must have {} bytes of data, got {} to {}", where,
           tensor_name_of(t), dtype_names[static_cast<int>(t.dtype)], t.shape, bytes,
           t.begin, t.end);
    }
    if (t.begin != end) {
      fail("{}: {}: its data must begin where those before it end, at {}, got {} to {}",
           where, tensor_name_of(t), end, t.begin, t.end);
    }
    end = t.end;
  }
  check(end == data_size, "{}: the tensors must fill the {} bytes of data, got {}", where,
        data_size, end);
}

// A JSON string in UTF-8.
std::string quoted(const std::string& where, std::string_view what,
                   const std::string& text) {
  try {
    return json(text).dump();
  } catch (const json::exception&) {
    fail("{}: {} must be UTF-8, got {}", where, what, shown(text));
  }
}

}  // namespace

SafetensorsHeader parse_header(const std::string& where, std::string_view text,
                               std::uint64_t data_size) {
  const std::string_view first = text.substr(0, 1);
  if (first != "{") {
    fail("{}: the header must begin with a brace, got {}", where, shown(first));
  }
  // nlohmann's parser would take a NUL for the end of the text.
  const std::size_t nul = text.find('\0');
  check(nul == text.npos, "{}: the header must be JSON, got a NUL at its byte {}", where,
        nul + 1);
  HeaderListener listener(where, text);
  json::sax_parse(text, &listener);
  SafetensorsHeader header = listener.take();
  lay_out(where, header.tensors, data_size);
  return header;
}

std::string format_header(const std::string& where, const SafetensorsHeader& header) {
  std::string text = "{";
  const auto add = [&](const std::string& key, std::string_view value) {
    text.append(text.back() == '{' ? "" : ",").append(key).append(":").append(value);
  };
  if (!header.metadata.empty()) {
    text += fmt::format("\"{}\":{{", metadata_name);
    for (const auto& [key, value] : header.metadata) {
      add(quoted(where, "a key of the metadata", key),
          quoted(where, "a text of the metadata", value));
    }
    text += "}";
  }
  for (const TensorEntry& t : header.tensors) {
    check(t.name != metadata_name, "{}: a tensor must not be called {}", where, t.name);
    add(quoted(where, "a tensor's name", t.name),
        fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                    dtype_names[static_cast<int>(t.dtype)], fmt::join(t.shape, ","),
                    t.begin, t.end));
  }
  text += "}";
  text.append(-text.size() % 8, ' ');
  check(text.size() <= max_header_size,
        "{}: names and metadata must fit {} bytes of header, got {}", where,
        max_header_size, text.size());
  return text;
}

}  // namespace heed::nn
