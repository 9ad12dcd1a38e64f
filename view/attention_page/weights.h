// The weights of an attention page as the bytes that weights.js reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::viz::detail {

// How a head's weights are stored: all of them, row by row; those on and below the
// diagonal; or the largest of each row, each a pair of its column and the weight.
enum class Layout { all, lower, largest };

// A weight w as the number round(w 65534); NaN as 65535. Throws Error unless w is NaN or
// from 0 to 1, up to rounding; the message begins with "attention_page" and names `path`.
std::uint16_t encoded(float weight, std::string_view path);

// Appends the weights (n, m) of a head; `kept`, at most m, is the number of weights in a
// row of Layout::largest. Throws Error as encoded() does.
void append(std::vector<std::uint16_t>& codes, const Tensor& weights, Layout layout,
            std::int64_t kept, std::string_view path);

// Whether everything above the diagonal of (heads, n, n) is 0.
bool is_lower(const Tensor& weights);

// The codes, little-endian, in base64 (RFC 4648).
std::string base64(const std::vector<std::uint16_t>& codes);

}  // namespace heed::viz::detail
