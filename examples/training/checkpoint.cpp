#include "examples/training/checkpoint.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "examples/support/input_error.h"
#include "examples/training/hash.h"
#include "nn/state/safetensors.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"

namespace heed::training {
namespace {

using support::input_error;

constexpr std::string_view model_prefix = "model.", optimiser_prefix = "optimizer.";
const std::string generator_prefix = "generator.";

// What tells a checkpoint from other files, and from those of another layout.
std::string name_of(const Format& format) {
  return fmt::format("{} {}", format.program, format.version);
}

void put(std::map<std::string, Tensor>& tensors, std::string_view prefix,
         const std::map<std::string, Tensor>& part) {
  for (const auto& [name, tensor] : part) tensors[std::string(prefix) + name] = tensor;
}

// Takes the tensors whose names begin with `prefix` out of the map, without the prefix.
std::map<std::string, Tensor> take(std::map<std::string, Tensor>& tensors,
                                   std::string_view prefix) {
  std::map<std::string, Tensor> taken;
  std::erase_if(tensors, [&](const auto& entry) {
    const bool fits = entry.first.starts_with(prefix);
    if (fits) taken.emplace(entry.first.substr(prefix.size()), entry.second);
    return fits;
  });
  return taken;
}

template <class T>
T take_one(std::map<std::string, T>& map, const char* kind, const std::string& name) {
  auto node = map.extract(name);
  check(!node.empty(), "the {} {} is missing", kind, name);
  return std::move(node.mapped());
}

// Of all names, texts and elements except the hash itself: safetensors has no checksum.
std::string hash_of(const nn::Safetensors& file) {
  std::uint64_t hash = training::hash("");
  for (const auto& [name, text] : file.metadata) {
    if (name != "hash") hash = training::hash(text, training::hash(name, hash));
  }
  for (const auto& [name, tensor] : file.tensors) {
    hash = training::hash(name, hash);
    const Tensor elements = tensor.contiguous();
    dispatch(elements.dtype(), [&]<class T>() {
      const auto size = static_cast<std::size_t>(elements.numel()) * sizeof(T);
      const char* const bytes = reinterpret_cast<const char*>(elements.data<T>());
      hash = training::hash({bytes, size}, hash);
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

Checkpoint unpacked(nn::Safetensors file, const Format& format, const std::string& path) {
  const auto metadata = [&](const char* name) {
    return take_one(file.metadata, "metadata", name);
  };
  const std::string actual_hash = hash_of(file);
  if (const std::string name = metadata("format"); name != name_of(format)) {
    fail("the format must be {}, got {}", shown(name_of(format)), shown(name));
  }
  if (const std::string hash = metadata("hash"); hash != actual_hash) {
    fail("its hash must be {}, got {}", shown(hash), actual_hash);
  }
  Checkpoint checkpoint;
  checkpoint.fingerprint = metadata("text");
  checkpoint.step = whole_number("step", metadata("step"));
  checkpoint.settings = std::move(file.metadata);
  checkpoint.model = take(file.tensors, model_prefix);
  checkpoint.optimiser = take(file.tensors, optimiser_prefix);
  checkpoint.log = to_log(take_one(file.tensors, "tensor", "log"));
  for (const std::string& name : format.generators) {
    const std::string whole_name = generator_prefix + name;
    const auto bytes =
        whole_numbers(whole_name, take_one(file.tensors, "tensor", whole_name), 255);
    checkpoint.generators[name].assign(bytes.begin(), bytes.end());
  }
  for (const std::string& name : format.tensors) {
    checkpoint.tensors[name] = take_one(file.tensors, "tensor", name);
  }
  if (!file.tensors.empty()) {
    fail("the tensor {} is unexpected", shown(file.tensors.begin()->first));
  }
  const std::int64_t end = checkpoint.log.empty() ? 0 : checkpoint.log.back().step;
  check(end <= checkpoint.step, "the log must end by step {}, got {}", checkpoint.step,
        end);
  format.check(checkpoint, path);
  return checkpoint;
}

}  // namespace

void save(const std::string& path, const Checkpoint& checkpoint, const Format& format) {
  nn::Safetensors file{checkpoint.tensors, checkpoint.settings};
  file.metadata["format"] = name_of(format);
  file.metadata["step"] = std::to_string(checkpoint.step);
  file.metadata["text"] = checkpoint.fingerprint;
  put(file.tensors, model_prefix, checkpoint.model);
  put(file.tensors, optimiser_prefix, checkpoint.optimiser);
  for (const auto& [name, bytes] : checkpoint.generators) {
    file.tensors[generator_prefix + name] =
        from_vector(std::vector<std::int64_t>(bytes.begin(), bytes.end()));
  }
  file.tensors["log"] = to_tensor(checkpoint.log);
  file.metadata["hash"] = hash_of(file);
  support::from_user([&] { nn::write_safetensors(path, file); });
}

Checkpoint load(const std::string& path, const Format& format) {
  nn::Safetensors file;
  try {
    file = nn::read_safetensors(path);
  } catch (const Error& error) {
    input_error("{}", error.what());
  }
  try {
    return unpacked(std::move(file), format, path);
  } catch (const Error& error) {
    input_error("{}: must be a whole checkpoint of {}: {}", path, format.program,
                error.what());
  }
}

SettingsText resumed_settings(const Checkpoint& checkpoint, const SettingsText& given,
                              const std::string& path) {
  SettingsText settings = checkpoint.settings;
  for (const auto& [name, text] : given) {
    std::string& before = settings.at(name);
    if (name == "steps") {
      before = text;
    } else if (text != before) {
      input_error(
          "--{}: {} has begun with {}, got {}; leave the option out, or choose another "
          "--out",
          name, path, before, text);
    }
  }
  const std::string& steps = settings.at("steps");
  if (whole_number("steps", steps) < checkpoint.step) {
    input_error("--steps: {} has done {} steps already, got {}", path, checkpoint.step,
                steps);
  }
  return settings;
}

std::vector<std::int64_t> whole_numbers(std::string_view what, const Tensor& tensor,
                                        std::int64_t largest) {
  check(tensor.dtype() == int64 && tensor.dim() == 1,
        "{} must be int64 (count), got {} {}", what, name(tensor.dtype()),
        tensor.shape());
  const std::vector<std::int64_t> numbers = tensor.to_vector<std::int64_t>();
  for (const std::int64_t number : numbers) {
    check(0 <= number && number <= largest, "{}: a number must be from 0 to {}, got {}",
          what, largest, number);
  }
  return numbers;
}

}  // namespace heed::training
