// The table of all kernels: loops that are compiled once for each instruction set.
//
// A file ..._kernels.cpp stands beside the file that calls it, and is compiled once a
// level with that level's compiler flags, into a namespace of its own (HEED_KERNELS names
// it). table.cpp, compiled likewise, gathers what they define in one table, and the
// level's table is chosen once, by asking the processor. The kernel files hold their
// helpers in an unnamed namespace and take nothing inline from elsewhere that the linker
// could merge between levels.
#pragma once

#include <type_traits>

#include "tensor/attention/additive_kernels.h"
#include "tensor/attention/attention_kernels.h"
#include "tensor/attention/gaussian_kernels.h"
#include "tensor/elementwise/elementwise_kernels.h"
#include "tensor/elementwise/update_kernels.h"
#include "tensor/product/product_kernels.h"
#include "tensor/random/normal_kernels.h"
#include "tensor/reduce/layer_norm_kernels.h"
#include "tensor/reduce/reduce_kernels.h"

namespace heed::kernels {

// The kernels for float or double.
template <class T>
struct FloatingKernels {
  const AdditiveKernels<T>& additive;
  const AttentionKernels<T>& attention;
  const GaussianKernels<T>& gaussian;
  const LayerNormKernels<T>& layer_norm;
  const ProductKernels<T>& product;
  const ReduceKernels<T>& reduce;
  const UpdateKernels<T>& update;
};

struct Table {
  const ElementwiseKernels& elementwise;
  NormalBlocks normal_blocks;
  const Folds& folds;
  FloatingKernels<float> float32;
  FloatingKernels<double> float64;
};

namespace baseline {
const Table& table();
}
namespace v3 {
const Table& table();
}
namespace v4 {
const Table& table();
}

// The table of the level that level() tells.
const Table& table();

// Its kernels for the element type T, float or double.
template <class T>
const FloatingKernels<T>& of() {
  if constexpr (std::is_same_v<T, float>) {
    return table().float32;
  } else {
    return table().float64;
  }
}

}  // namespace heed::kernels
