// Everything that a training goes on from, in one file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examples/char_lm/log.h"
#include "examples/char_lm/settings.h"
#include "nn/visit.h"
#include "optim/groups.h"

namespace heed::char_lm {

struct Checkpoint {
  Settings settings;
  std::string fingerprint;    // of the text that is learnt
  std::u32string characters;  // of its vocabulary
  std::int64_t step;          // how many have been done
  nn::StateDict model;
  optim::State optimiser;
  // The states of the generators: of the pieces of text, and of dropout.
  std::vector<std::uint8_t> data_state, dropout_state;
  Log log;
};

// A safetensors file. Its tensors are the model's, "model." and nanoGPT's names, the
// optimiser's, "optimizer." and its names, the vocabulary's code points, the generators'
// bytes and the log; the settings are its metadata. An older file stays whole until the
// new one is. Both throw InputError, naming the file: save when it cannot be written,
// load when it cannot be read or is not what save writes.
void save(const std::string& path, const Checkpoint& checkpoint);
Checkpoint load(const std::string& path);

}  // namespace heed::char_lm
