// Products of several tensors, summed over the indices that the result does not have:
// Einstein's summation convention, as torch.einsum writes it.
#pragma once

#include <string_view>
#include <vector>

#include "autograd/composed.h"

namespace heed {

// einsum("bqd,bkd->bqk", q, k), attention's scores: a letter for each dimension of each
// operand, one letter standing for one size; the letters behind "->" are the dimensions
// of the result. Without "->" these are the letters that occur once, in the order of the
// alphabet, capitals first. Spaces do not count. The operands are multiplied from left to
// right, each pair by one matmul(), whose dtypes it takes. Throws Error for an equation
// that is none, or has "..." or a letter twice in one operand, and when it does not fit
// the operands.
template <Array X>
X einsum(std::string_view equation, const std::vector<X>& operands);
inline Tensor einsum(std::string_view equation, std::initializer_list<Tensor> operands) {
  return einsum(equation, std::vector(operands));
}
inline Variable einsum(std::string_view equation,
                       std::initializer_list<Variable> operands) {
  return einsum(equation, std::vector(operands));
}
template <Array A>
A einsum(std::string_view equation, const A& a) {
  return einsum(equation, std::vector{a});
}
template <Array A, Array B>
Joint<A, B> einsum(std::string_view equation, const A& a, const B& b) {
  return einsum(equation, std::vector<Joint<A, B>>{a, b});
}
template <Array A, Array B, Array C>
Joint<A, Joint<B, C>> einsum(std::string_view equation, const A& a, const B& b,
                             const C& c) {
  return einsum(equation, std::vector<Joint<A, Joint<B, C>>>{a, b, c});
}

}  // namespace heed
