#include "tensor/random/random.h"

#include <algorithm>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/reduce/comparing.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

Tensor nothing(const Shape& shape, DType dtype = float32) { return empty(shape, dtype); }

}  // namespace

// The bits below are those of PyTorch 1.13.1.
BOOST_AUTO_TEST_SUITE(random)

BOOST_AUTO_TEST_CASE(words) {
  Generator generator(42);
  BOOST_TEST(generator.word32() == 1608637542u);
  BOOST_TEST(generator.word32() == 3421126067u);
  BOOST_TEST(generator.word64() == (4083286876ull << 32 | 787846414ull));
  Generator unseeded, standard(67280421310721);
  BOOST_TEST(unseeded.word32() == standard.word32());
}

BOOST_AUTO_TEST_CASE(uniform_numbers) {
  manual_seed(0);
  BOOST_TEST(bits(rand({4})) == "3efe1558 3f44aa2f 3db533a8 3e073300");
  manual_seed(42);
  BOOST_TEST(bits(rand({2, 2})) == "3f61dc66 3f6a3db3 3ec406b8 3f75950e");
  manual_seed(0);
  BOOST_TEST(bits(rand({2}, float64)) == "3fef0aac97c4aa2f 3fe6a675d821ccc0");
  manual_seed(42);
  BOOST_TEST(bits(rand({2}, float64)) == "3fadc66cbea3db30 3fb01ae177aca870");

  Tensor x = nothing({3});
  manual_seed(0);
  BOOST_TEST(bits(uniform_(x, -0.1, 0.3)) == "3dc9bbc0 3e54437f bd8451bd");
  manual_seed(42);
  BOOST_TEST(bits(uniform_(x, -0.1, 0.3)) == "3e817d1f 3e88315c 3d59af1a");
  BOOST_TEST(show(uniform_(x, 2, 2)) == "(3) 2 2 2");
}

BOOST_AUTO_TEST_CASE(a_generator_may_follow_the_shape) {
  Generator one(3), other(3);
  BOOST_TEST(equal(rand({5}, one), rand({5}, float32, other)));
  BOOST_TEST(equal(randn({5}, one), randn({5}, float32, other)));
}

BOOST_AUTO_TEST_CASE(few_normal_numbers) {
  manual_seed(0);
  BOOST_TEST(bits(randn({4})) == "3fc53f5c be963c50 c00b7149 3f1184b6");
  manual_seed(42);
  BOOST_TEST(bits(randn({4})) == "3eac62ae 3e03e69d 3e7016e7 3e6bdc6c");
  manual_seed(0);
  BOOST_TEST(bits(randn({2}, float64)) == "3ff8a7eb8902be3a bfd2c78a087c6fea");
  manual_seed(42);
  BOOST_TEST(bits(randn({2}, float64)) == "3fd58c55b33d44cc 3fc07cd39b3d4b85");
  manual_seed(0);
  BOOST_TEST(bits(normal(1.5, 0.3, {3}, float64)) ==
             "3fff659375e73911 3ff6976f3f5d1135 3feb15683f3787ba");
}

BOOST_AUTO_TEST_CASE(blocks_of_normal_numbers) {
  const auto chosen = [](const Tensor& x, std::initializer_list<std::int64_t> places) {
    std::string text;
    for (std::int64_t i : places) text += bits(x[i]) + " ";
    return text;
  };
  manual_seed(0);
  BOOST_TEST(chosen(randn({16}), {0, 1, 8, 9}) == "bf901b85 bf93808a 3ea50138 bfa1b4f4 ");
  manual_seed(42);
  BOOST_TEST(chosen(randn({16}), {0, 1, 8, 9}) == "3ff6a529 3fbe5f53 bf408bf0 3fd3095b ");
  manual_seed(0);
  BOOST_TEST(chosen(randn({17}), {0, 1, 15, 16}) ==
             "bf901b85 bfd91446 bf57fb33 3f6e8c30 ");
  manual_seed(42);
  BOOST_TEST(chosen(randn({17}), {0, 1, 15, 16}) ==
             "3ff6a529 be236d85 3f5c1fb0 be9e9482 ");
  manual_seed(0);
  BOOST_TEST(bits(randn({4, 4}, float64), 2) == "c0027bb92e9262dc bfd7e35794939460");
  manual_seed(42);
  BOOST_TEST(bits(randn({16}, float64), 2) == "3fd32bee22ccb503 3fcf063c46668b78");
}

BOOST_AUTO_TEST_CASE(many_normal_numbers_are_normal) {
  manual_seed(3);
  for (const DType dtype : {float32, float64}) {
    const auto x = normal(2.0, 0.5, {100003}, dtype).to(float64).to_vector<double>();
    double sum = 0, squares = 0;
    for (double value : x) {
      sum += value;
      squares += (value - 2) * (value - 2);
    }
    const auto n = static_cast<double>(x.size());
    BOOST_TEST(std::abs(sum / n - 2) < 0.005);
    BOOST_TEST(std::abs(std::sqrt(squares / n) - 0.5) < 0.005);
  }
}

BOOST_AUTO_TEST_CASE(the_second_normal_of_a_pair_waits) {
  manual_seed(0);
  const std::string pair = bits(randn({2}, float64));
  manual_seed(0);
  std::string parts = bits(randn({1}, float64));
  rand({5});
  randn({16});
  randint(10, {3});
  parts += " " + bits(randn({1}, float64));
  BOOST_TEST(parts == pair);
  randn({1});
  manual_seed(0);
  BOOST_TEST(bits(randn({2}, float64)) == pair);
}

BOOST_AUTO_TEST_CASE(means_and_deviations_in_tensors) {
  const Tensor mean = tensor({1.0, 2.0, 3.0}), std = tensor({0.1, 0.2, 0.3});
  manual_seed(0);
  BOOST_TEST(bits(normal(mean, std)) == "3f93b989 3ff87cfc 40162ad0");
  manual_seed(0);
  BOOST_TEST(bits(normal(mean, 0.5)) == "3fe29fae 3fed3876 3ff48eb7");
  manual_seed(0);
  BOOST_TEST(bits(normal(0.25, std)) == "3ecee625 3e43e7e0 becea97c");
  BOOST_TEST((normal(mean, unsqueeze(std, 1)).shape() == Shape({3, 3})));
  BOOST_TEST(normal(zeros({0}), 1.0).numel() == 0);
}

BOOST_AUTO_TEST_CASE(whole_numbers) {
  manual_seed(0);
  BOOST_TEST(show(randint(0, 100, {6})) == "int64 (6) 44 39 33 60 63 79");
  manual_seed(42);
  BOOST_TEST(show(randint(100, {6})) == "int64 (6) 42 67 76 14 26 35");
  manual_seed(0);
  BOOST_TEST(show(randint(3, 8589934603, {3})) ==
             "int64 (3) 1707638666 4224135931 6214354430");
  BOOST_TEST(show(randint(4, 5, {2})) == "int64 (2) 4 4");
  // The largest range for which one word is drawn, and the next one.
  for (const auto& [range, drawn] : {std::pair<std::int64_t, const char*>{
                                         4294967295, "2357136044 2546248239 3071714933"},
                                     {4294967296, "2546248239 3626093760 3684848379"}}) {
    manual_seed(0);
    BOOST_TEST(show(randint(range, {3})) == fmt::format("int64 (3) {}", drawn));
    manual_seed(0);
    Tensor x = nothing({3}, float64);
    BOOST_TEST(show(random_(x, 0, range)) == fmt::format("float64 (3) {}", drawn));
  }
  const auto wide = randint(INT64_MIN, INT64_MAX, {200}).to_vector<std::int64_t>();
  BOOST_TEST(std::ranges::count_if(wide, [](std::int64_t i) { return i < 0; }) > 60);

  manual_seed(0);
  Tensor x = nothing({3}, int64);
  BOOST_TEST((random_(x).to_vector<std::int64_t>() ==
              std::vector<std::int64_t>{900450186894289455, 3969543146641149120,
                                        1895649597198586619}));
  Tensor f = nothing({3}), d = nothing({2}, float64), b = nothing({6}, boolean);
  BOOST_TEST(show(random_(f)) == "(3) 8222264 15039631 7644061");
  BOOST_TEST(show(random_(d)) == "float64 (2) 526475570269208 1925186610115601");
  BOOST_TEST(show(random_(b)) == "bool (6) 1 0 0 0 0 0");
  Tensor g = nothing({4});
  BOOST_TEST(show(random_(g, -5, 100)) == "(4) 88 36 39 6");
}

BOOST_AUTO_TEST_CASE(permutations) {
  manual_seed(0);
  BOOST_TEST(show(randperm(10)) == "int64 (10) 4 1 7 5 3 9 0 8 6 2");
  manual_seed(42);
  BOOST_TEST(show(randperm(10)) == "int64 (10) 2 6 1 8 4 5 0 9 3 7");
  BOOST_TEST(show(randperm(1)) == "int64 (1) 0");
  BOOST_TEST(show(randperm(0)) == "int64 (0)");
}

BOOST_AUTO_TEST_CASE(bernoulli_numbers) {
  Tensor x = nothing({10}), mask = nothing({10}, boolean);
  manual_seed(0);
  BOOST_TEST(show(bernoulli_(x, 0.3)) == "(10) 0 0 0 0 0 0 1 0 0 1");
  manual_seed(0);
  BOOST_TEST(show(bernoulli_(mask, 0.3)) == "bool (10) 0 0 0 0 0 0 1 0 0 1");
  const Tensor p = full({10}, 0.3);
  manual_seed(0);
  BOOST_TEST(show(bernoulli(p)) == "(10) 0 0 1 1 0 0 0 0 0 0");
  manual_seed(0);
  BOOST_TEST(show(bernoulli_(mask, full({}, 0.3))) == "bool (10) 0 0 1 1 0 0 0 0 0 0");
  BOOST_TEST(show(bernoulli(tensor({{0.0, 1.0}, {1.0, 0.0}}))) == "(2, 2) 0 1 1 0");
  // The probabilities are its own transpose: none is overwritten before it is read.
  Tensor own = tensor({{1.0, 1.0}, {0.0, 0.0}});
  BOOST_TEST(show(bernoulli_(own, transpose(own, 0, 1))) == "(2, 2) 1 0 1 0");
}

BOOST_AUTO_TEST_CASE(exponential_numbers) {
  Tensor x = nothing({4});
  manual_seed(0);
  BOOST_TEST(bits(exponential_(x, 1.5)) == "4015b047 3f51fc55 3ed1ef5f 3fd85483");
}

BOOST_AUTO_TEST_CASE(elements_are_drawn_in_memory_order) {
  manual_seed(0);
  const Tensor rows = rand({3, 4});
  manual_seed(0);
  Tensor columns = transpose(nothing({3, 4}), 0, 1);
  BOOST_TEST(bits(uniform_(columns)) == bits(transpose(rows, 0, 1)));
  // A slice of a permuted tensor: dimension 1 has the larger stride.
  manual_seed(0);
  Tensor part = slice(transpose(nothing({3, 8}), 0, 1), 0, 0, to_end, 2);
  BOOST_TEST(bits(uniform_(part)) == bits(transpose(rows, 0, 1)));
  // Elements that are not adjacent are drawn one by one, however many they are.
  manual_seed(0);
  Tensor sparse = slice(nothing({40}), 0, 0, to_end, 2);
  BOOST_TEST(bits(normal_(sparse, 0.25, 1.5), 3) == "4023ef85 be42b4f1 c04129ee");
  BOOST_TEST(bits(normal_(sparse, 0.25, 1.5)[18]) == "3f28f924");
}

BOOST_AUTO_TEST_CASE(like_another) {
  const Tensor model = transpose(zeros({5, 4}), 0, 1);
  manual_seed(0);
  const Tensor drawn = rand({5, 4});
  manual_seed(0);
  const Tensor like = rand_like(model);
  BOOST_TEST((like.strides() == model.strides()));
  BOOST_TEST(bits(like) == bits(transpose(drawn, 0, 1)));
  manual_seed(0);
  const std::string one_by_one = bits(randn({15}));
  manual_seed(0);
  BOOST_TEST(bits(transpose(randn_like(model), 0, 1), 15) == one_by_one);
  BOOST_TEST((randn_like(zeros({3}, float64)).dtype() == float64));
  BOOST_TEST(rand_like(expand(zeros({3, 1}), {3, 4})).is_contiguous());
}

BOOST_AUTO_TEST_CASE(nothing_to_draw) {
  const Generator before = Generator(default_generator());
  BOOST_TEST(rand({0, 3}).numel() == 0);
  BOOST_TEST(randn({0}).numel() == 0);
  Tensor none = empty({0});
  BOOST_TEST(bernoulli_(none, 0.5).numel() == 0);
  BOOST_TEST(bernoulli_(none, full({}, 0.5)).numel() == 0);
  BOOST_TEST((before.get_state() == default_generator().get_state()));
  BOOST_TEST(rand({}).dim() == 0);
}

BOOST_AUTO_TEST_CASE(errors) {
  Tensor x = nothing({3}), whole = nothing({3}, int64), mask = nothing({3}, boolean);
  BOOST_TEST(error_of([&] { normal_(x, 0, -1); }) ==
             "normal_: std must be at least 0, got -1");
  BOOST_TEST(error_of([&] { normal_(x, 0, NAN); }) ==
             "normal_: std must be at least 0, got nan");
  BOOST_TEST(error_of([&] { normal_(x, NAN); }) ==
             "normal_: mean must be a number, got nan");
  BOOST_TEST(error_of([&] { normal_(whole); }) ==
             "normal_: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { normal(0, -1, {2}); }) ==
             "normal: std must be at least 0, got -1");
  BOOST_TEST(error_of([&] {
               normal(x, tensor({1.0, -2.0, 0.0}));
             }) == "normal: std must be at least 0, got -2");
  BOOST_TEST(error_of([&] { normal(x, zeros({3}, float64)); }) ==
             "normal: the dtypes must be equal, got float32 and float64; to(dtype) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { normal(x, zeros({2})); }) ==
             "normal: the shapes must broadcast (equal sizes, or 1), got (3) and (2)");
  BOOST_TEST(error_of([&] { normal(0.5, whole); }) ==
             "normal: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { uniform_(x, 3, 1); }) ==
             "uniform_: low must not be above high, got 3 and 1");
  BOOST_TEST(error_of([&] { uniform_(x, 0, NAN); }) ==
             "uniform_: low must not be above high, got 0 and nan");
  BOOST_TEST(error_of([&] { uniform_(x, -3e38, 3e38); }) ==
             "uniform_: low, high and their distance must fit float32, got -3e+38 and "
             "3e+38");
  BOOST_TEST(error_of([&] { randint(5, 5, {2}); }) ==
             "randint: low must be below high, got 5 and 5");
  BOOST_TEST(error_of([&] { random_(x, 5, 4); }) ==
             "random_: low must be below high, got 5 and 4");
  BOOST_TEST(error_of([&] { random_(x, 0, 20000000); }) ==
             "random_: a float32 tensor holds the whole numbers from -16777216 to "
             "16777216, got 0 and 20000000");
  BOOST_TEST(error_of([&] { random_(mask, 0, 3); }) ==
             "random_: a bool tensor holds the whole numbers from 0 to 1, got 0 and 3");
  BOOST_TEST(error_of([&] { bernoulli_(x, 1.5); }) ==
             "bernoulli_: p must be from 0 to 1, got 1.5");
  BOOST_TEST(error_of([&] { bernoulli_(x, NAN); }) ==
             "bernoulli_: p must be from 0 to 1, got nan");
  BOOST_TEST(error_of([&] {
               bernoulli_(x, tensor({0.5, 1.5, 0.0}));
             }) == "bernoulli_: p must be from 0 to 1, got 1.5");
  BOOST_TEST(error_of([&] {
               bernoulli_(x, zeros({2, 3}));
             }) == "bernoulli_: p must broadcast to the target, got (2, 3) and (3)");
  BOOST_TEST(error_of([&] { bernoulli(whole); }) ==
             "bernoulli: the dtype must be float32 or float64, got int64; to(float32) "
             "converts a tensor");
  BOOST_TEST(error_of([&] { exponential_(x, 0); }) ==
             "exponential_: lambda must be above 0, got 0");
  BOOST_TEST(error_of([&] { randperm(-1); }) ==
             "randperm: n must not be negative, got -1");
  BOOST_TEST(error_of([&] { rand({2}, boolean); }) ==
             "rand: the dtype must be float32 or float64, got bool; to(float32) converts "
             "a tensor");
  BOOST_TEST(error_of([&] { rand({-2}); }) ==
             "shape: sizes must not be negative, got (-2)");
  Tensor repeated = expand(nothing({3, 1}), {3, 4});
  BOOST_TEST(
      error_of([&] { uniform_(repeated); }) ==
      "uniform_: the target must not repeat its elements, got the shape (3, 4) with "
      "strides (1, 0)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed
