// Files of named tensors in the safetensors format, which PyTorch reads and writes too
// (safetensors.torch.load_file and save_file in Python):
//
//   8 bytes   the length of the header, little-endian
//   header    JSON, {"__metadata__": {"epoch": "5"},
//                    "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
//   data      the elements, tensor after tensor, without gaps; offsets count from here
//
// A state file of a module is such a file: nn/state/state_file.h.
#pragma once

#include <iosfwd>
#include <map>
#include <string>

#include "tensor/core/tensor.h"

namespace heed::nn {

struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

// The content of a file. It may come from anyone: it is read only if all of it is as the
// format says, and takes no more memory than its size justifies. Throws Error, naming the
// file and the tensor, when it is not so, has a dtype other than F32, F64, I64 and BOOL,
// or cannot be read.
Safetensors read_safetensors(const std::string& path);
// The same from a stream that can be sought, from its beginning to its end; `name` stands
// for the file in messages.
Safetensors read_safetensors(std::istream& stream, const std::string& name);

// Writes a file that read_safetensors and PyTorch load. It gets its name only when it is
// complete and on the disk: until then, and whenever the writing fails, an older file
// stays as it is. It gets an older file's owner and permissions (but no access control
// list); a symbolic link stays, and what it points to is written; a hard link keeps the
// older content. A killed program may leave a file .heed-*.tmp beside it.
// Throws Error when a tensor is called __metadata__, a name or metadata is not UTF-8, the
// path is that of a folder or device, or the system refuses. If only the last step fails,
// to write the folder to the disk, the new file is in place, and the message says so.
void write_safetensors(const std::string& path, const Safetensors& content);

}  // namespace heed::nn
