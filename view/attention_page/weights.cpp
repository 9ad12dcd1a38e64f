#include "view/attention_page/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tensor/core/error.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/reduce/comparing.h"
#include "tensor/reduce/reductions.h"

namespace heed::viz::detail {
namespace {

constexpr std::uint16_t one = 65534, not_a_number = 65535;

std::vector<float> row_of(const Tensor& weights, std::int64_t i) {
  return weights[i].to(float32).to_vector<float>();
}

// The columns of the `kept` largest weights, the largest first; NaN before all numbers.
std::vector<std::size_t> largest(const std::vector<float>& row, std::int64_t kept) {
  const auto before = [&](std::size_t a, std::size_t b) {
    if (std::isnan(row[a]) != std::isnan(row[b])) return std::isnan(row[a]);
    return row[a] > row[b] || (!(row[a] < row[b]) && a < b);
  };
  std::vector<std::size_t> columns(row.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  const auto end = columns.begin() + kept;
  std::nth_element(columns.begin(), end, columns.end(), before);
  std::sort(columns.begin(), end, before);
  columns.erase(end, columns.end());
  return columns;
}

}  // namespace

std::uint16_t encoded(float weight, std::string_view path) {
  if (std::isnan(weight)) return not_a_number;
  constexpr float rounding = 1e-3f;
  check(-rounding <= weight && weight <= 1 + rounding,
        "attention_page: weights must be from 0 to 1, or NaN, got {} in {}", weight,
        path);
  return static_cast<std::uint16_t>(std::lround(std::clamp(weight, 0.0f, 1.0f) * one));
}

void append(std::vector<std::uint16_t>& codes, const Tensor& weights, Layout layout,
            std::int64_t kept, std::string_view path) {
  for (std::int64_t i = 0; i < weights.size(0); ++i) {
    const std::vector<float> row = row_of(weights, i);
    if (layout == Layout::largest) {
      for (const std::size_t column : largest(row, kept)) {
        codes.push_back(static_cast<std::uint16_t>(column));
        codes.push_back(encoded(row[column], path));
      }
    } else {
      const auto count =
          layout == Layout::lower ? static_cast<std::size_t>(i) + 1 : row.size();
      for (std::size_t j = 0; j < count; ++j) codes.push_back(encoded(row[j], path));
    }
  }
}

bool is_lower(const Tensor& weights) {
  const std::int64_t n = weights.size(1);
  for (std::int64_t head = 0; head < weights.size(0); ++head) {
    for (std::int64_t i = 0; i + 1 < n; ++i) {
      const std::vector<float> row = row_of(weights[head], i);
      const auto after = row.begin() + i + 1;
      if (!std::all_of(after, row.end(), [](float weight) { return weight == 0; })) {
        return false;
      }
    }
  }
  return true;
}

std::string base64(const std::vector<std::uint16_t>& codes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t bytes = 2 * codes.size();
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < bytes ? (codes[i / 2] >> (8 * (i % 2))) & 0xffU : 0U;
  };
  std::string text;
  text.reserve((bytes + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes; i += 3) {
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[three >> shift & 63];
  }
  const std::size_t padding = (3 - bytes % 3) % 3;
  text.replace(text.size() - padding, padding, padding, '=');
  return text;
}

}  // namespace heed::viz::detail
