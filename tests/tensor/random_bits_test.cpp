// Draws in bulk, the same numbers as one by one; and draws without replacement.
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/random/random.h"
#include "tests/errors.h"
#include "tests/tensor/show.h"

namespace heed {

BOOST_AUTO_TEST_SUITE(random_bits)

BOOST_AUTO_TEST_CASE(words_in_bulk_are_those_one_by_one) {
  Generator bulk(9), single(9);
  for (const std::size_t count : {0u, 1u, 623u, 2u, 624u, 1u, 2000u, 5u}) {
    std::vector<std::uint32_t> words(count);
    bulk.words32(words);
    for (const std::uint32_t word : words) BOOST_TEST_REQUIRE(word == single.word32());
    BOOST_TEST((bulk.get_state() == single.get_state()));
  }
}

BOOST_AUTO_TEST_CASE(bits_are_the_draws_of_bernoulli) {
  for (const Shape& shape : {Shape{1}, Shape{63}, Shape{2, 64}, Shape{3, 2, 65},
                             Shape{2, 200}, Shape{0, 5}, Shape{4, 0}, Shape{700}}) {
    for (const double p : {0.0, 0.3, 0.9, 0x1p-53, 1.0}) {
      Generator one(4), other(4);
      Tensor expected = empty(shape, float32);
      bernoulli_(expected, p, one);
      const Tensor bits = bernoulli_bits(shape, p, other);
      BOOST_TEST((one.get_state() == other.get_state()));
      const std::int64_t n = shape[shape.rank() - 1];
      BOOST_TEST((bits.dtype() == int64 && bits.size(-1) == (n + 63) / 64));
      for (const DType dtype : {float32, float64, int64, boolean}) {
        const Tensor x = unpack_bits(bits, n, dtype);
        BOOST_TEST((x.dtype() == dtype && x.shape() == shape));
        BOOST_TEST(x.to(float32).to_vector<float>() == expected.to_vector<float>());
      }
      // The bits after the end of a row are zeros.
      if (n % 64 == 0) continue;
      for (const std::int64_t word : bits.to_vector<std::int64_t>()) {
        if (n < 64) BOOST_TEST((static_cast<std::uint64_t>(word) >> n) == 0u);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(errors) {
  BOOST_TEST(error_of([] { bernoulli_bits({3}, 1.5); }) ==
             "bernoulli_bits: p must be from 0 to 1, got 1.5");
  BOOST_TEST(error_of([] { bernoulli_bits({}, 0.5); }) ==
             "bernoulli_bits: the shape must have a dimension, got ()");
  BOOST_TEST(error_of([] {
               bernoulli_bits({2, -5}, 0.5);
             }) == "shape: sizes must not be negative, got (2, -5)");
  BOOST_TEST(error_of([] {
               unpack_bits(zeros({2, 1}, int64), 65, float32);
             }) ==
             "unpack_bits: for rows of 65 the bits must be int64 (..., 2), got int64 "
             "(2, 1)");
  BOOST_TEST(error_of([] {
               unpack_bits(zeros({2, 1}), 3, float32);
             }) ==
             "unpack_bits: for rows of 3 the bits must be int64 (..., 1), got float32 "
             "(2, 1)");
  BOOST_CHECK_THROW((void)unpack_bits(zeros({2, 1}, int64), INT64_MAX, float32), Error);
}

// The numbers of torch.multinomial.
BOOST_AUTO_TEST_CASE(multinomial_numbers) {
  const Tensor p = tensor({{0.1, 0.2, 0.3, 0.4}, {0.0, 5.0, 1.0, 2.0}});
  manual_seed(7);
  BOOST_TEST(show(multinomial(p, 1)) == "int64 (2, 1) 1 2");
  BOOST_TEST(show(multinomial(p, 3)) == "int64 (2, 3) 3 2 1 1 2 3");
  BOOST_TEST(show(multinomial(p[0], 2)) == "int64 (2) 0 2");
  Generator generator(7);
  BOOST_TEST(show(multinomial(p.to(float64), 2, false, generator)) ==
             "int64 (2, 2) 1 3 2 1");
  BOOST_TEST(error_of([&] { multinomial(p, 0); }) ==
             "multinomial: samples must be at least 1, got 0");
  BOOST_TEST(
      error_of([&] { multinomial(p, 4); })
          .starts_with(
              "multinomial: each row of p must have 4 elements above 0, to be drawn "
              "without replacement, got"));
  BOOST_TEST(
      error_of([&] { multinomial(-p, 1); })
          .starts_with(
              "multinomial: the elements of p must be finite and not negative, got"));
  BOOST_TEST(error_of([&] {
               multinomial(zeros({1, 2, 3}), 1);
             }) == "multinomial: p must be (n) or (rows, n), got (1, 2, 3)");
}

// The numbers of torch.multinomial(..., replacement=True).
BOOST_AUTO_TEST_CASE(multinomial_numbers_with_replacement) {
  const Tensor p = tensor({{0.1, 0.2, 0.3, 0.4}, {0.0, 5.0, 1.0, 2.0}});
  manual_seed(7);
  BOOST_TEST(show(multinomial(p, 5, true)) == "int64 (2, 5) 1 1 3 3 3 3 1 1 3 3");
  BOOST_TEST(show(multinomial(p, 1, true)) == "int64 (2, 1) 3 2");
  BOOST_TEST(show(multinomial(p[0], 6, true)) == "int64 (6) 1 3 3 3 3 2");
  BOOST_TEST(show(multinomial(p.to(float64), 3, true)) == "int64 (2, 3) 3 3 3 3 1 3");
  manual_seed(9);
  BOOST_TEST(show(multinomial(rand({4, 1000}), 8, true)[3]) ==
             "int64 (8) 239 551 861 53 700 119 324 727");
  BOOST_TEST(
      error_of([] {
        multinomial(zeros({1, 2}), 2, true);
      }).starts_with("multinomial: each row of p must have 1 elements above 0, got"));
}

BOOST_AUTO_TEST_CASE(the_members_are_the_functions) {
  manual_seed(3);
  const Tensor uniform = empty({5}).uniform_(-1, 2), normal = empty({20}).normal_(1, 3);
  Tensor x = empty({5}), y = empty({20});
  manual_seed(3);
  BOOST_TEST(show(uniform) == show(uniform_(x, -1, 2)));
  BOOST_TEST(show(normal) == show(normal_(y, 1, 3)));
  const Tensor mask = y > 0;
  const Tensor filled = masked_fill(y, mask, 7);
  BOOST_TEST(show(y.masked_fill_(mask, 7)) == show(filled));
  BOOST_CHECK_THROW(x.masked_fill_(zeros({2, 5}, boolean), 7), Error);
}

BOOST_AUTO_TEST_CASE(the_state_of_the_default_generator_can_be_put_back) {
  manual_seed(5);
  (void)randn({3});  // an odd number: a normal waits
  const Generator state = get_rng_state();
  const Tensor first = randn({5});
  set_rng_state(state);
  BOOST_TEST(show(randn({5})) == show(first));
  Generator named;
  BOOST_TEST(show(rand({4}, named.manual_seed(9))) == show([] {
               Generator seeded(9);
               return rand({4}, seeded);
             }()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed
