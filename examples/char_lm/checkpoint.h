// What a checkpoint of char_lm holds in addition to what every run's checkpoint holds.
#pragma once

#include "examples/char_lm/corpus.h"
#include "examples/training/checkpoint.h"

namespace heed::char_lm {

// The generators are "data", which draws the pieces of text, and "dropout"; the tensor
// "vocabulary" is to_tensor(). A model that its settings describe takes no more memory
// than the size of the file justifies.
const training::Format& checkpoint_format();

// The code points of the characters, int64 (count).
Tensor to_tensor(const data::Vocabulary& vocabulary);
// Throws Error when the checkpoint's are not different code points in their order.
data::Vocabulary vocabulary_of(const training::Checkpoint& checkpoint);

}  // namespace heed::char_lm
