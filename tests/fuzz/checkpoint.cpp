// A checkpoint of char_lm in which anything but its hash has been changed: generate
// writes with it, and a training goes on from it, or they refuse it; either way they take
// no more memory than the size of the file justifies.
#include <algorithm>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <string>

#include <fuzzer/FuzzedDataProvider.h>

#include "examples/char_lm/checkpoint.h"
#include "examples/char_lm/generate.h"
#include "examples/char_lm/train.h"
#include "examples/training/run_folder.h"
#include "tensor/core/factories.h"
#include "tensor/core/memory.h"
#include "tensor/core/views.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/folder.h"

// For hash_of() and unpacked(), which no header declares: with a wrong hash every changed
// checkpoint would be refused at once. load() is replaced by one that needs no file,
// since a million files take hours.
#define load load_file
#include "examples/training/checkpoint.cpp"
#undef load

using namespace heed;
using namespace heed::char_lm;
using namespace heed::fuzz;

namespace {

const support::TemporaryFolder folder;
const std::string path = training::checkpoint_path(folder / "");
const training::Checkpoint* loaded = nullptr;  // what load() returns

// The most to one checkpoint. More only take time: the first error refuses it.
constexpr int max_changes = 6;

const Corpus& corpus() {
  static const Corpus corpus("\n to be or not to be", "the text");
  return corpus;
}

nn::Safetensors original() {
  const Settings settings{.layers = 1,
                          .heads = 1,
                          .width = 2,
                          .context = 1,
                          .batch = 1,
                          .steps = 2,
                          .dropout = 0.5};
  Trainer trainer(settings, corpus());
  trainer.step();
  trainer.evaluate();
  training::save(path, trainer.checkpoint(), checkpoint_format());
  return nn::read_safetensors(path);
}

// Sets the first elements to any bytes.
void fill(Tensor& tensor, FuzzedDataProvider& input) {
  const auto bytes = input.ConsumeBytes<char>(input.ConsumeIntegralInRange(0, 40));
  dispatch(tensor.dtype(), [&]<class T>() {
    const auto count =
        std::min(bytes.size() / sizeof(T), static_cast<std::size_t>(tensor.numel()));
    T* const elements = tensor.mutable_data<T>();
    if constexpr (std::is_same_v<T, bool>) {
      for (std::size_t i = 0; i < count; ++i) elements[i] = (bytes[i] & 1) != 0;
    } else if (count > 0) {
      std::memcpy(elements, bytes.data(), count * sizeof(T));
    }
  });
}

// Of any dtype, with at most 2^14 elements: 0, 1, ... except the first ones, which are
// anything.
Tensor any_tensor(FuzzedDataProvider& input) {
  constexpr std::int64_t sizes[] = {0, 1, 2, 3, 4, 6, 8, 14, 256, 2500, 1 << 14};
  Shape shape;
  for (int left = input.ConsumeIntegralInRange(0, 4); left > 0; --left) {
    shape.push_back(input.PickValueInArray(sizes));
    if (count(shape) > 1 << 14) shape = {};
  }
  const DType dtype = input.PickValueInArray({float32, float64, int64, boolean});
  Tensor tensor = reshape(arange(count(shape)), shape).to(dtype);
  fill(tensor, input);
  return tensor;
}

auto& any_of(auto& map, FuzzedDataProvider& input) {
  const auto last = static_cast<std::ptrdiff_t>(map.size()) - 1;
  return *std::next(map.begin(), input.ConsumeIntegralInRange<std::ptrdiff_t>(0, last));
}

void change(nn::Safetensors& file, FuzzedDataProvider& input) {
  constexpr const char* prefixes[] = {"", "model.", "optimizer."};
  auto& [name, tensor] = any_of(file.tensors, input);
  auto& [key, text] = any_of(file.metadata, input);
  switch (input.ConsumeIntegralInRange(0, 7)) {
    case 0: text = input.ConsumeRandomLengthString(40); break;
    case 1:  // of any size
      text = std::to_string(input.ConsumeIntegralInRange(0, 70'000) >>
                            input.ConsumeIntegralInRange(0, 16));
      break;
    case 2: tensor = any_tensor(input); break;
    case 3:
      tensor = tensor.clone();
      fill(tensor, input);
      break;
    case 4:
      file.tensors[input.PickValueInArray(prefixes) +
                   input.ConsumeRandomLengthString(20)] = any_tensor(input);
      break;
    case 5: file.tensors["vocabulary"] = flatten(any_tensor(input)); break;
    case 6:
      if (file.tensors.size() > 1) file.tensors.erase(name);
      break;
    default:
      if (file.metadata.size() > 1) file.metadata.erase(key);
  }
}

std::int64_t size_of(const nn::Safetensors& file) {
  std::size_t size = 0;
  for (const auto& [name, text] : file.metadata) size += name.size() + text.size();
  for (const auto& [name, tensor] : file.tensors) {
    size += name.size() +
            static_cast<std::size_t>(tensor.numel()) * element_size(tensor.dtype());
  }
  return static_cast<std::int64_t>(size);
}

// Calls f, which may refuse the checkpoint.
void attempt(auto&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    check_message(error.what());
  }
}

}  // namespace

heed::training::Checkpoint heed::training::load(const std::string&, const Format&) {
  return *loaded;
}

void heed::fuzz::try_input(std::string_view bytes) {
  static const nn::Safetensors whole = original();
  FuzzedDataProvider input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                           bytes.size());
  nn::Safetensors file = whole;
  for (int left = max_changes; left > 0 && input.remaining_bytes() > 0; --left) {
    change(file, input);
  }
  file.metadata["hash"] = training::hash_of(file);
  memory::reset_peak();
  const std::int64_t before = memory::bytes_live();
  attempt([&] {
    const training::Checkpoint checkpoint =
        training::unpacked(file, checkpoint_format(), path);
    loaded = &checkpoint;
    attempt([] { generate({.out = folder / "", .tokens = 2}); });
    attempt([] {
      Trainer trainer(settings_from(loaded->settings, path), corpus());
      trainer.restore(*loaded, path);
    });
  });
  const std::int64_t size = size_of(file), taken = memory::bytes_peak() - before;
  require(taken < (1 << 20) + 32 * size, "memory that the size of the file justifies",
          std::to_string(taken) + " for " + std::to_string(size));
}
