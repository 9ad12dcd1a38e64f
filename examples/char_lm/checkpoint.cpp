#include "examples/char_lm/checkpoint.h"

#include <charconv>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "examples/char_lm/hash.h"
#include "examples/support/input_error.h"
#include "nn/state/safetensors.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"

namespace heed::char_lm {
namespace {

using support::input_error;

// What tells a checkpoint from other files, and from those of another layout.
constexpr const char* format_name = "char_lm 1";
constexpr std::string_view model_prefix = "model.", optimiser_prefix = "optimizer.";

// Small whole numbers as a tensor, int64 (count), and back. Throws Error unless the
// tensor is one of int64 with a dimension, and its numbers are from 0 to `largest`.
template <class Numbers>
Tensor pack(const Numbers& numbers) {
  return from_vector(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
}
template <class Numbers>
Numbers unpack(std::string_view what, const Tensor& tensor, std::int64_t largest) {
  check(tensor.dtype() == int64 && tensor.dim() == 1,
        "{} must be int64 (count), got {} {}", what, name(tensor.dtype()),
        tensor.shape());
  Numbers numbers;
  for (const std::int64_t number : tensor.to_vector<std::int64_t>()) {
    check(0 <= number && number <= largest, "{}: a number must be from 0 to {}, got {}",
          what, largest, number);
    numbers.push_back(static_cast<typename Numbers::value_type>(number));
  }
  return numbers;
}

// Takes the tensors whose names begin with `prefix` out of the map, without the prefix.
std::map<std::string, Tensor> take(std::map<std::string, Tensor>& tensors,
                                   std::string_view prefix) {
  std::map<std::string, Tensor> taken;
  for (auto at = tensors.begin(); at != tensors.end();) {
    const bool fits = at->first.starts_with(prefix);
    if (fits) taken.emplace(at->first.substr(prefix.size()), at->second);
    at = fits ? tensors.erase(at) : std::next(at);
  }
  return taken;
}

Tensor take_one(std::map<std::string, Tensor>& tensors, const std::string& name) {
  auto node = tensors.extract(name);
  check(!node.empty(), "the tensor {} is missing", name);
  return node.mapped();
}

// Of all names, texts and elements but itself: the format would not notice a changed one.
std::string hash_of(const nn::Safetensors& file) {
  std::uint64_t hash = char_lm::hash("");
  for (const auto& [name, text] : file.metadata) {
    if (name != "hash") hash = char_lm::hash(text, char_lm::hash(name, hash));
  }
  for (const auto& [name, tensor] : file.tensors) {
    hash = char_lm::hash(name, hash);
    const Tensor elements = tensor.contiguous();
    dispatch(elements.dtype(), [&]<class T>() {
      const auto size = static_cast<std::size_t>(elements.numel()) * sizeof(T);
      const char* const bytes = reinterpret_cast<const char*>(elements.data<T>());
      hash = char_lm::hash({bytes, size}, hash);
    });
  }
  return fmt::format("{:016x}", hash);
}

std::int64_t whole_number(const std::string& name, const std::string& text) {
  std::int64_t number = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) {
    fail("{} must be a whole number from 0, got {}", name, shown(text));
  }
  return number;
}

// Throws Error unless they are different code points in their order.
void check_characters(const std::u32string& characters) {
  char32_t last = 0;
  for (const char32_t code : characters) {
    const bool is_first = &code == characters.data();
    const bool is_surrogate = 0xd800 <= code && code <= 0xdfff;
    if (is_surrogate || (!is_first && code <= last)) {
      fail("the vocabulary must be different characters in their order, got U+{:04X}",
           static_cast<std::uint32_t>(code));
    }
    last = code;
  }
}

// Throws Error unless a model of these settings takes no more memory than the file
// justifies: about as many numbers as the file has, in the embeddings of characters and
// places and in the matrices of the layers.
void check_size(const Checkpoint& checkpoint) {
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : checkpoint.model) {
    if (tensor.dtype() != float32) {
      fail("the tensor {} of the model must be float32, got {}", shown(name),
           heed::name(tensor.dtype()));
    }
    numbers += tensor.numel();
  }
  const Settings& s = checkpoint.settings;
  const auto characters = static_cast<std::int64_t>(checkpoint.characters.size());
  const std::int64_t least = (characters + s.context + 12 * s.layers * s.width) * s.width;
  check(numbers >= least,
        "its settings ask for a larger model than the {} numbers it has, {}", numbers,
        least);
}

Checkpoint unpacked(nn::Safetensors file, const std::string& path) {
  const auto metadata = [&file](const std::string& name) -> const std::string& {
    const auto found = file.metadata.find(name);
    check(found != file.metadata.end(), "the metadata {} is missing", name);
    return found->second;
  };
  if (metadata("format") != format_name) {
    fail("the format must be {}, got {}", shown(format_name), shown(metadata("format")));
  }
  const std::string hash = hash_of(file);
  if (metadata("hash") != hash) {
    fail("its hash must be {}, got {}", shown(metadata("hash")), hash);
  }
  Checkpoint checkpoint{
      .settings = settings_from(file.metadata, path),
      .fingerprint = metadata("text"),
      .characters = unpack<std::u32string>(
          "vocabulary", take_one(file.tensors, "vocabulary"), 0x10ffff),
      .step = whole_number("step", metadata("step")),
      .model = take(file.tensors, model_prefix),
      .optimiser = take(file.tensors, optimiser_prefix),
      .data_state = unpack<std::vector<std::uint8_t>>(
          "generator.data", take_one(file.tensors, "generator.data"), 255),
      .dropout_state = unpack<std::vector<std::uint8_t>>(
          "generator.dropout", take_one(file.tensors, "generator.dropout"), 255),
      .log = to_log(take_one(file.tensors, "log")),
  };
  if (!file.tensors.empty()) {
    fail("the tensor {} is unexpected", shown(file.tensors.begin()->first));
  }
  const std::int64_t end = checkpoint.log.empty() ? 0 : checkpoint.log.back().step;
  check(end <= checkpoint.step, "the log must end by step {}, got {}", checkpoint.step,
        end);
  check_characters(checkpoint.characters);
  check_size(checkpoint);
  return checkpoint;
}

}  // namespace

void save(const std::string& path, const Checkpoint& checkpoint) {
  nn::Safetensors file;
  file.metadata = to_strings(checkpoint.settings);
  file.metadata["format"] = format_name;
  file.metadata["step"] = std::to_string(checkpoint.step);
  file.metadata["text"] = checkpoint.fingerprint;
  for (const auto& [name, tensor] : checkpoint.model) {
    file.tensors[std::string(model_prefix) + name] = tensor;
  }
  for (const auto& [name, tensor] : checkpoint.optimiser) {
    file.tensors[std::string(optimiser_prefix) + name] = tensor;
  }
  file.tensors["vocabulary"] = pack(checkpoint.characters);
  file.tensors["generator.data"] = pack(checkpoint.data_state);
  file.tensors["generator.dropout"] = pack(checkpoint.dropout_state);
  file.tensors["log"] = to_tensor(checkpoint.log);
  file.metadata["hash"] = hash_of(file);
  try {
    nn::write_safetensors(path, file);
  } catch (const Error& error) {
    input_error("{}", error.what());
  }
}

Checkpoint load(const std::string& path) {
  nn::Safetensors file;
  try {
    file = nn::read_safetensors(path);
  } catch (const Error& error) {
    input_error("{}", error.what());
  }
  try {
    return unpacked(std::move(file), path);
  } catch (const Error& error) {
    input_error("{}: must be a whole checkpoint of char_lm: {}", path, error.what());
  }
}

}  // namespace heed::char_lm
