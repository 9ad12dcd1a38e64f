// IDX files: the format of MNIST and Fashion-MNIST, http://yann.lecun.com/exdb/mnist/
//
//   Tensor images = data::read_idx("train-images-idx3-ubyte.gz", float32) / 255;
//   Tensor labels = data::read_idx("train-labels-idx1-ubyte.gz");  // int64
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tensor/core/tensor.h"

namespace heed::data {

// The array in the file `path`, unpacked if it is a gzip file: in the shape that the file
// gives. Its dtype is `dtype`, otherwise that of the file: int64 for whole numbers,
// float32 or float64 for others. Throws Error, naming the file, when it cannot be read,
// is no IDX file, has more or fewer elements than its header says, more than 4096 MiB, or
// more dimensions than a Tensor; and when a dtype of whole numbers is asked for and the
// file has others. As boolean all numbers but 0 are true.
Tensor read_idx(const std::string& path, std::optional<DType> dtype = std::nullopt);

// The same, of the bytes of a file, with the same Errors; `source` is its name for these.
Tensor parse_idx(std::string_view bytes, const std::string& source,
                 std::optional<DType> dtype = std::nullopt);

}  // namespace heed::data
