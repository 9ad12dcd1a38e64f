#include "nn/activations.h"

#include <fmt/format.h>

namespace heed::nn {

std::string LeakyReLU::summary() const {
  return fmt::format("negative_slope={}", negative_slope);
}

std::string ELU::summary() const { return fmt::format("alpha={:#}", alpha); }

std::string CELU::summary() const { return fmt::format("alpha={:#}", alpha); }

std::string Hardtanh::summary() const {
  return fmt::format("min_val={:#}, max_val={:#}", min_val, max_val);
}

std::string GLU::summary() const { return fmt::format("dim={}", dim); }

std::string GELU::summary() const {
  return form == Gelu::exact ? "approximate='none'" : "approximate='tanh'";
}

std::string Softplus::summary() const { return fmt::format("beta={}", beta); }

std::string Softmax::summary() const { return fmt::format("dim={}", dim); }

std::string LogSoftmax::summary() const { return fmt::format("dim={}", dim); }

std::string Flatten::summary() const {
  return fmt::format("start_dim={}, end_dim={}", start_dim, end_dim);
}

}  // namespace heed::nn
