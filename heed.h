// heed: attention, learnt, trained and read. This header is all that a program includes.
//
//   heed::Variable x(heed::arange(4.0), true);     // a leaf: asks for its gradient
//   heed::Variable y = heed::sum(x * x);           // computed, and remembered
//   y.backward();                                  // differentiated: dy/dx = 2x
//   fmt::print("{}\n", x.grad());                  // tensor([0., 2., 4., 6.])
//
// A Tensor is an array of numbers. A Variable is a Tensor that remembers how it was made,
// so that backward() can find its derivatives; every function on Tensors that has a
// derivative is there for Variables too, under the same name. Modules (nn) are structs of
// Variables with an operator(), and an optimiser (optim) is a list of Variables that it
// moves against their gradients. Names and meanings are PyTorch's. What cannot be done
// throws heed::Error; its message says what must hold and what was found.
//
// Each folder below is a layer, and knows only the layers above it; nn and optim do not
// know each other, data knows tensor alone, and view all but data. A file is a family of
// functions, named for what it holds.
#pragma once

#if __cplusplus < 202002L
#error "heed needs C++20: compile with -std=c++20"
#endif

// Arrays: memory, shapes and views, arithmetic, random numbers. No gradients.
#include "tensor/attention/additive_scores.h"
#include "tensor/attention/attention.h"
#include "tensor/attention/gaussian_attention.h"
#include "tensor/core/dtype.h"
#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tensor/core/memory.h"
#include "tensor/core/methods.h"
#include "tensor/core/number.h"
#include "tensor/core/shape.h"
#include "tensor/core/tensor.h"
#include "tensor/core/text.h"
#include "tensor/core/threads.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/angles.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"
#include "tensor/indexing/joining.h"
#include "tensor/kernels/build_info.h"
#include "tensor/product/matmul.h"
#include "tensor/random/random.h"
#include "tensor/reduce/comparing.h"
#include "tensor/reduce/counting.h"
#include "tensor/reduce/layer_norm.h"
#include "tensor/reduce/reductions.h"
#include "tensor/reduce/softmax.h"
#include "tensor/reduce/sorting.h"

// Derivatives: the same functions, each beside its derivative, and the backward pass.
#include "autograd/additive_scores.h"
#include "autograd/angles.h"
#include "autograd/anomaly.h"
#include "autograd/composed.h"
#include "autograd/einsum.h"
#include "autograd/elementwise.h"
#include "autograd/explain.h"
#include "autograd/factories.h"
#include "autograd/functional.h"
#include "autograd/fused.h"
#include "autograd/gradcheck.h"
#include "autograd/graph.h"
#include "autograd/index_put.h"
#include "autograd/indexing.h"
#include "autograd/joining.h"
#include "autograd/layer_norm.h"
#include "autograd/matmul.h"
#include "autograd/node.h"
#include "autograd/products.h"
#include "autograd/record.h"
#include "autograd/reductions.h"
#include "autograd/shapes.h"
#include "autograd/softmax.h"
#include "autograd/sorting.h"
#include "autograd/statistics.h"
#include "autograd/variable.h"
#include "autograd/views.h"

// Modules, masks, losses and initial values: namespace heed::nn.
#include "nn/activations.h"
#include "nn/additive_attention.h"
#include "nn/apply.h"
#include "nn/attention.h"
#include "nn/attention_maps.h"
#include "nn/bilinear_attention.h"
#include "nn/causal_multi_head_attention.h"
#include "nn/check_gradients.h"
#include "nn/dot_product_attention.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/functional.h"
#include "nn/general_attention.h"
#include "nn/generate.h"
#include "nn/gpt.h"
#include "nn/heads.h"
#include "nn/init.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/loss.h"
#include "nn/mask.h"
#include "nn/multi_head_attention.h"
#include "nn/nw_kernel_regression.h"
#include "nn/packed_multi_head_attention.h"
#include "nn/positional_encoding.h"
#include "nn/rms_norm.h"
#include "nn/score.h"
#include "nn/sequential.h"
#include "nn/state/safetensors.h"
#include "nn/state/state_file.h"
#include "nn/state_dict.h"
#include "nn/summary.h"
#include "nn/transformer.h"
#include "nn/visit.h"

// Optimisers: namespace heed::optim.
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "optim/optimiser.h"
#include "optim/rmsprop.h"
#include "optim/schedule.h"
#include "optim/sgd.h"

// Datasets, batches and files: namespace heed::data.
#include "data/csv.h"
#include "data/data_loader.h"
#include "data/dataset.h"
#include "data/file.h"
#include "data/idx.h"
#include "data/text.h"

// Pictures of what a model does: namespace heed::viz, as heed::view is a function.
#include "view/animator.h"
#include "view/attention_page.h"
#include "view/figures.h"
#include "view/progress.h"
#include "view/terminal.h"
