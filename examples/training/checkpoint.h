// Everything that a run goes on from, in one file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "examples/training/log.h"
#include "nn/visit.h"
#include "optim/optimiser.h"

namespace heed::training {

using SettingsText = std::map<std::string, std::string>;

struct Checkpoint {
  SettingsText settings;    // by the names of their options; "steps" is one of them
  std::string fingerprint;  // of the training data
  std::int64_t step = 0;    // how many have been done
  nn::StateDict model;
  optim::StateDict optimiser;
  std::map<std::string, std::vector<std::uint8_t>> generators;  // their states
  Log log;
  std::map<std::string, Tensor> tensors;  // what else the program keeps
};

// The checkpoints of one program, which have just these generators and tensors.
struct Format {
  std::string program;
  int version;
  std::vector<std::string> generators, tensors;
  // Throws Error when what only the program understands is wrong, and InputError, with
  // the path, when a setting is.
  std::function<void(const Checkpoint&, const std::string& path)> check;
};

// A safetensors file. Its tensors are the model's, "model." and their names, the
// optimiser's, "optimizer." and their names, the generators' bytes, "generator." and
// their names, the log and the program's own; its metadata are the settings, the format,
// the step, the fingerprint and a hash. An older file stays until the new one is
// complete. Both throw InputError, naming the file: save when it cannot be written, load
// when it cannot be read or is not what save writes.
void save(const std::string& path, const Checkpoint& checkpoint, const Format& format);
Checkpoint load(const std::string& path, const Format& format);

// The settings of a run that goes on from the checkpoint of `path`: its own, except that
// `steps` may be another number. Throws InputError when any other setting that is given
// has changed, or there are fewer steps than have been done.
SettingsText resumed_settings(const Checkpoint& checkpoint, const SettingsText& given,
                              const std::string& path);

// The elements of a tensor of whole numbers, int64 (count). Throws Error, with `what`,
// when it is no such tensor or one is not from 0 to `largest`.
std::vector<std::int64_t> whole_numbers(std::string_view what, const Tensor& tensor,
                                        std::int64_t largest);

}  // namespace heed::training
