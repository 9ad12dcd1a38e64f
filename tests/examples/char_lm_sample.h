// A text and settings for trainings of char_lm that take a moment.
#pragma once

#include <string>

#include "examples/char_lm/settings.h"

namespace heed::char_lm {

// A text of 400 characters, 20 of them different.
inline std::string sample_text() {
  std::string text;
  for (int i = 0; i < 400; ++i) text += static_cast<char>('a' + (i * i + i / 7) % 20);
  return text;
}

inline Settings small_settings() {
  Settings settings;
  settings.layers = 2;
  settings.heads = 2;
  settings.width = 8;
  settings.context = 6;
  settings.batch = 3;
  settings.steps = 20;
  settings.warmup = 4;
  settings.dropout = 0.2;
  settings.eval_every = 6;
  settings.eval_batches = 2;
  return settings;
}

}  // namespace heed::char_lm
