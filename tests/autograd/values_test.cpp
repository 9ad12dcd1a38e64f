// The values of the elementwise ops of one operand. tests/meson.build runs these tests at
// each instruction set.
#include <algorithm>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tests/autograd/op_samples.h"
#include "tests/autograd/op_table.h"
#include "tests/compare.h"
#include "tests/layouts.h"

using namespace heed;
using namespace heed::tests;

namespace {

// Calls check(name, values) for each row that has values.
template <class F>
void for_each_function(F&& check) {
  int functions = 0;
  for (const OpRow& row : op_table()) {
    if (!row.values) continue;
    check(row.name, *row.values);
    ++functions;
  }
  BOOST_TEST(functions > 20);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(functions_have_the_values_of_the_c_library) {
  for_each_function([](const std::string& name, const Values& values) {
    const Tensor x = u(values.low, values.high, {700});
    for (DType dtype : {float64, float32}) {
      const Tensor from = x.to(dtype);
      const std::vector<double> in = from.to(float64).to_vector<double>();
      const std::vector<double> out =
          values.f(from).value().to(float64).to_vector<double>();
      const double tolerance = dtype == float32 ? 5e-7 : 1e-14;
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double wanted = values.formula(in[i]);
        BOOST_TEST(std::abs(out[i] - wanted) <=
                       tolerance * std::max(std::abs(wanted), std::abs(in[i])),
                   name << "(" << in[i] << ") is " << out[i] << ", not " << wanted);
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(every_layout_gives_the_same_bits) {
  for_each_function([](const std::string& name, const Values& values) {
    for (DType dtype : {float32, float64}) {
      const Tensor x = u(values.low, values.high, {7, 300}).to(dtype);
      const Tensor wanted = values.f(x).value();
      BOOST_TEST(wanted.is_contiguous());
      for (const Tensor& same_numbers : {stored_transposed(x, 0, 1), strided(x)}) {
        BOOST_TEST(!same_numbers.is_contiguous());
        BOOST_TEST(same_bits(values.f(same_numbers).value(), wanted), name);
      }
      BOOST_TEST(same_bits(values.f(slice(x, 1, 3, 290, 7)).value(),
                           slice(wanted, 1, 3, 290, 7).contiguous()),
                 name);
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
