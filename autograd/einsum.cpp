#include "autograd/einsum.h"

#include <algorithm>
#include <map>
#include <string>

#include "tensor/core/text.h"

namespace heed {
namespace {

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

// The letters of the operands, and of the result.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

Equation parsed(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    fail("einsum: {}, got \"{}\"", why, printable(text));
  };
  std::string equation(text);
  std::erase(equation, ' ');
  const std::size_t arrow = equation.find("->");
  Equation found{{""}, ""};
  for (const char c : equation.substr(0, arrow)) {
    std::string& letters = found.operands.back();
    if (c == ',') {
      found.operands.emplace_back();
    } else if (!is_letter(c)) {
      refuse("the equation must have letters, commas and one ->");
    } else if (letters.find(c) != std::string::npos) {
      refuse("a letter may occur once in an operand");
    } else {
      letters += c;
    }
  }
  std::string all;
  for (const std::string& letters : found.operands) all += letters;
  std::sort(all.begin(), all.end());
  if (arrow == std::string::npos) {
    for (const char c : all) {
      if (std::count(all.begin(), all.end(), c) == 1) found.result += c;
    }
    return found;
  }
  for (const char c : equation.substr(arrow + 2)) {
    if (!is_letter(c)) refuse("the result must have letters alone");
    if (all.find(c) == std::string::npos || found.result.find(c) != std::string::npos) {
      refuse("a letter of the result must occur in an operand, and once in the result");
    }
    found.result += c;
  }
  return found;
}

using Sizes = std::map<char, std::int64_t>;

// The size that each letter stands for.
template <Array X>
Sizes sizes_of(const Equation& equation, const std::vector<X>& operands) {
  check(equation.operands.size() == operands.size(),
        "einsum: operands in the equation: {}, tensors given: {}",
        equation.operands.size(), operands.size());
  Sizes sizes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string& letters = equation.operands[i];
    const Shape& shape = operands[i].shape();
    check(shape.rank() == static_cast<int>(letters.size()),
          "einsum: operand {} must have the {} dimensions {}, got the shape {}", i,
          letters.size(), letters, shape);
    for (int d = 0; d < shape.rank(); ++d) {
      const auto place = sizes.emplace(letters[d], shape[d]).first;
      check(place->second == shape[d],
            "einsum: the letter {} must have one size, got {}, and {} in operand {}, {}",
            letters[d], place->second, shape[d], i, shape);
    }
  }
  return sizes;
}

// A factor and the letters of its dimensions.
template <class X>
struct Term {
  X x;
  std::string letters;
};

// Without the dimensions that are not in `wanted`, which are summed.
template <class X>
Term<X> summed(const Term<X>& term, const std::string& wanted) {
  Dims dims;
  std::string kept;
  for (std::size_t d = 0; d < term.letters.size(); ++d) {
    if (wanted.find(term.letters[d]) == std::string::npos) {
      dims.push_back(static_cast<std::int64_t>(d));
    } else {
      kept += term.letters[d];
    }
  }
  return dims.rank() == 0 ? term : Term<X>{sum(term.x, dims), kept};
}

// The dimensions in the order of `letters`.
template <class X>
X ordered(const Term<X>& term, const std::string& letters) {
  Dims dims;
  for (const char c : letters) {
    dims.push_back(static_cast<std::int64_t>(term.letters.find(c)));
  }
  return permute(term.x, dims);
}

// The product of two terms by one matmul, (batch, m, k) x (batch, k, n), with the letters
// that are `wanted` after it.
template <class X>
Term<X> product(Term<X> a, Term<X> b, const std::string& wanted, const Sizes& sizes) {
  a = summed(a, wanted + b.letters);
  b = summed(b, wanted + a.letters);
  std::string batch, m, k, n;
  for (const char c : a.letters) {
    const bool in_b = b.letters.find(c) != std::string::npos;
    const bool is_wanted = wanted.find(c) != std::string::npos;
    (!in_b ? m : is_wanted ? batch : k) += c;
  }
  for (const char c : b.letters) {
    if (a.letters.find(c) == std::string::npos) n += c;
  }
  const auto size = [&](const std::string& letters) {
    std::int64_t product = 1;
    for (const char c : letters) product *= sizes.at(c);
    return product;
  };
  const X left = reshape(ordered(a, batch + m + k), {size(batch), size(m), size(k)});
  const X right = reshape(ordered(b, batch + k + n), {size(batch), size(k), size(n)});
  Shape shape;
  for (const char c : batch + m + n) shape.push_back(sizes.at(c));
  return {reshape(matmul(left, right), shape), batch + m + n};
}

}  // namespace

template <Array X>
X einsum(std::string_view text, const std::vector<X>& operands) {
  const Equation equation = parsed(text);
  const Sizes sizes = sizes_of(equation, operands);
  Term<X> y = {operands[0], equation.operands[0]};
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::string wanted = equation.result;  // now, or by what follows
    for (std::size_t j = i + 1; j < operands.size(); ++j) wanted += equation.operands[j];
    y = product(y, {operands[i], equation.operands[i]}, wanted, sizes);
  }
  return ordered(summed(y, equation.result), equation.result);
}

template Tensor einsum(std::string_view, const std::vector<Tensor>&);
template Variable einsum(std::string_view, const std::vector<Variable>&);

}  // namespace heed
