#include "tensor/kernels/table.h"

namespace heed::kernels::HEED_KERNELS {

// Each is defined in the kernel file of its name.
template <class T>
const AdditiveKernels<T>& additive_kernels();
template <class T>
const AttentionKernels<T>& attention_kernels();
const ElementwiseKernels& elementwise_kernels();
const Folds& folds();
template <class T>
const GaussianKernels<T>& gaussian_kernels();
template <class T>
const LayerNormKernels<T>& layer_norm_kernels();
NormalBlocks normal_blocks();
template <class T>
const ProductKernels<T>& product_kernels();
template <class T>
const ReduceKernels<T>& reduce_kernels();
template <class T>
const UpdateKernels<T>& update_kernels();

namespace {

template <class T>
FloatingKernels<T> floating_kernels() {
  return {additive_kernels<T>(),   attention_kernels<T>(), gaussian_kernels<T>(),
          layer_norm_kernels<T>(), product_kernels<T>(),   reduce_kernels<T>(),
          update_kernels<T>()};
}

}  // namespace

const Table& table() {
  static const Table table = {elementwise_kernels(), normal_blocks(), folds(),
                              floating_kernels<float>(), floating_kernels<double>()};
  return table;
}

}  // namespace heed::kernels::HEED_KERNELS
