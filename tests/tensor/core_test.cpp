// The core: shapes, memory, and the elements of a tensor.
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/tensor_iterator.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tests/infinity.h"
#include "tests/tensor/show.h"

namespace heed {
namespace {

constexpr std::int64_t many = std::int64_t{1} << 40;

// A sanitizer hands out no block twice, and ends the program where memory runs out.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool address_sanitizer = true;
#elif defined(__has_feature)
constexpr bool address_sanitizer = __has_feature(address_sanitizer);
#else
constexpr bool address_sanitizer = false;
#endif

}  // namespace

// keepdim, or another number, where a dimension is asked for does not compile.
static_assert(!std::is_convertible_v<bool, Dim> && !std::is_convertible_v<double, Dim>);
static_assert(!std::is_convertible_v<bool, Dims> && !std::is_convertible_v<double, Dims>);
// References into a temporary would refer to nothing.
static_assert(!std::is_reference_v<decltype(Tensor().storage())>);

BOOST_AUTO_TEST_SUITE(shapes)

BOOST_AUTO_TEST_CASE(counts) {
  BOOST_TEST(count({}) == 1);
  BOOST_TEST(count({2, 3, 4}) == 24);
  BOOST_TEST(count({2, 0, 4}) == 0);
  BOOST_TEST(count({INT64_MAX / 16}) == INT64_MAX / 16);
  BOOST_TEST(error_of([] {
               count({2, -1});
             }) == "shape: sizes must not be negative, got (2, -1)");
  BOOST_TEST(error_of([] { count({INT64_MAX / 16 + 1}); }) ==
             "shape: too many elements, got (576460752303423488)");
  BOOST_TEST(error_of([] {
               count({many, many});
             }) == "shape: too many elements, got (1099511627776, 1099511627776)");
  // 2^40 · 2^24 wraps around to 0, which the next factor must not hide.
  BOOST_TEST(error_of([] {
               count({many, 1 << 24, 3});
             }) == "shape: too many elements, got (1099511627776, 16777216, 3)");
}

BOOST_AUTO_TEST_CASE(lists_of_sizes) {
  Shape shape{2, 3};
  shape.insert(1, 7);
  BOOST_TEST(fmt::format("{}", shape) == "(2, 7, 3)");
  shape.erase(0);
  BOOST_TEST(fmt::format("{} {}", shape, Shape{}) == "(7, 3) ()");
  BOOST_TEST((shape == Shape{7, 3}));
  BOOST_TEST((shape != Shape{7}));
  BOOST_TEST((row_major({2, 3, 4}) == Strides{12, 4, 1}));
  BOOST_TEST((without_last({2, 3, 4}, 2) == Shape{2}));
  BOOST_TEST((append({2, 3}, {4, 1}) == Shape{2, 3, 4, 1}));
  BOOST_TEST((append({}, {}) == Shape{}));
  BOOST_TEST(error_of([] { Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}; }) ==
             "shape: at most 8 dimensions, got more");
}

BOOST_AUTO_TEST_CASE(sizes_may_have_any_integer_type) {
  const int a = 2;
  const unsigned char b = 3;
  const std::size_t c = 4;
  const std::int64_t d = 5;
  const Shape shape{a, b, c, d};
  BOOST_TEST((shape == Shape{2, 3, 4, 5}));
  BOOST_TEST(shape[c - 1] == 5);
  BOOST_TEST(error_of([&] {
               ones(shape).reshape({a, c - 5});
             }) ==
             "a number must be less than 2^63, got 18446744073709551615; is it below 0, "
             "as unsigned?");
  BOOST_TEST(error_of([&] { (void)shape[std::int64_t{1} << 32]; }) ==
             "shape: the index must be from -4 to 3, got 4294967296 for (2, 3, 4, 5)");
}

BOOST_AUTO_TEST_CASE(broadcasting) {
  const auto together = [](const Shape& a, const Shape& b) {
    return fmt::format("{}", broadcast("op", a, b));
  };
  BOOST_TEST(together({2, 3}, {3}) == "(2, 3)");
  BOOST_TEST(together({4, 1}, {2, 1, 3}) == "(2, 4, 3)");
  BOOST_TEST(together({}, {2}) == "(2)");
  BOOST_TEST(together({}, {}) == "()");
  BOOST_TEST(together({0}, {1}) == "(0)");
  BOOST_TEST(together({2, 1}, {0}) == "(2, 0)");
  BOOST_TEST(error_of([&] {
               together({2, 3}, {2});
             }) ==
             "op: the shapes must broadcast (equal sizes, or 1), got (2, 3) and (2)");
  BOOST_TEST(error_of([&] { together({0}, {2}); }) ==
             "op: the shapes must broadcast (equal sizes, or 1), got (0) and (2)");
}

BOOST_AUTO_TEST_CASE(dimensions_from_the_end) {
  BOOST_TEST(normalize_dim("op", 1, 3) == 1);
  BOOST_TEST(normalize_dim("op", -1, 3) == 2);
  BOOST_TEST(normalize_dim("op", 0, 0) == 0);
  BOOST_TEST(normalize_dim("op", -1, 0) == 0);
  BOOST_TEST(error_of([] { normalize_dim("op", -4, 3); }) ==
             "op: dim must be from -3 to 2, got -4");
  BOOST_TEST(error_of([] { normalize_dim("op", 1, 0); }) ==
             "op: dim must be from -1 to 0, got 1");
}

BOOST_AUTO_TEST_CASE(loops_take_few_dimensions) {
  const auto rank_of = [](const Tensor& x) {
    return TensorIterator<1>(x.shape(), {&x.strides()}).rank;
  };
  const Tensor x = empty({2, 3, 4});
  BOOST_TEST(rank_of(x) == 1);
  BOOST_TEST(rank_of(tensor(1.0)) == 1);
  BOOST_TEST(rank_of(slice(x, 1, 0, 2)) == 2);
  BOOST_TEST(rank_of(transpose(x, 0, 1)) == 3);
  BOOST_TEST(rank_of(slice(x, 2, 1, 2)) == 1);  // evenly, 4 apart
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(blocks_of_memory)

BOOST_AUTO_TEST_CASE(bytes_live_return_to_the_start) {
  const std::int64_t before = memory::bytes_live();
  memory::reset_peak();
  {
    const Tensor x = empty({1000});
    BOOST_TEST(memory::bytes_live() >= before + 4000);
    const std::int64_t with_x = memory::bytes_live();
    const Tensor view = transpose(reshape(x, {10, 100}), 0, 1);
    BOOST_TEST(memory::bytes_live() == with_x);
    const Tensor copy = view.contiguous();
    BOOST_TEST(memory::bytes_live() == 2 * with_x - before);
  }
  BOOST_TEST(memory::bytes_live() == before);
  BOOST_TEST(memory::bytes_peak() >= before + 8000);
  memory::reset_peak();
  BOOST_TEST(memory::bytes_peak() == before);
}

BOOST_AUTO_TEST_CASE(a_view_keeps_its_storage) {
  const std::int64_t before = memory::bytes_live();
  Tensor view;
  {
    const Tensor x = six();
    view = x[1];
    BOOST_TEST(!view.storage().unique());
  }
  BOOST_TEST(view.storage().unique());
  BOOST_TEST(show(view) == "(3) 4 5 6");
  view = Tensor();
  BOOST_TEST(memory::bytes_live() == before);
}

BOOST_AUTO_TEST_CASE(blocks_are_aligned_and_apart) {
  std::vector<std::pair<char*, std::size_t>> blocks;
  for (std::size_t bytes = 0; bytes < 5000; bytes = bytes * 9 / 8 + 1) {
    char* block = static_cast<char*>(memory::allocate(bytes));
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(block) % 64 == 0u);
    std::fill_n(block, bytes, static_cast<char>(blocks.size()));
    blocks.emplace_back(block, bytes);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, bytes] = blocks[i];
    BOOST_TEST(std::count(block, block + bytes, static_cast<char>(i)) ==
               static_cast<std::ptrdiff_t>(bytes));
    memory::deallocate(block, bytes);
  }
}

BOOST_AUTO_TEST_CASE(freed_blocks_serve_requests_of_about_their_size) {
  if (address_sanitizer) return;
  void* const first = memory::allocate(100000);
  memory::deallocate(first, 100000);
  void* const other = memory::allocate(50000);
  BOOST_TEST(other != first);
  void* const second = memory::allocate(99000);
  BOOST_TEST(second == first);
  memory::deallocate(other, 50000);
  memory::deallocate(second, 99000);
  memory::release_cached();
}

BOOST_AUTO_TEST_CASE(too_much_memory_is_an_error) {
  if (address_sanitizer) return;
  const std::int64_t live = memory::bytes_live();
  BOOST_TEST(error_of([] {
               empty({many, 1 << 17});
             }) == fmt::format("memory: cannot allocate {} bytes, {} are in use",
                               (std::int64_t{1} << 59) + 64, live));
  BOOST_TEST(memory::bytes_live() == live);
  BOOST_TEST(error_of([] {
               empty({many, many});
             }) == "shape: too many elements, got (1099511627776, 1099511627776)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tensors)

BOOST_AUTO_TEST_CASE(an_undefined_tensor_refuses_every_use) {
  Tensor moved = six();
  const Tensor taken = std::move(moved);
  const std::pair<const char*, std::function<void(Tensor&)>> uses[] = {
      {"shape", [](Tensor& x) { x.shape(); }},
      {"strides", [](Tensor& x) { x.strides(); }},
      {"dim", [](Tensor& x) { x.dim(); }},
      {"size", [](Tensor& x) { x.size(0); }},
      {"numel", [](Tensor& x) { x.numel(); }},
      {"dtype", [](Tensor& x) { x.dtype(); }},
      {"is_contiguous", [](Tensor& x) { x.is_contiguous(); }},
      {"data", [](Tensor& x) { x.data<float>(); }},
      {"mutable_data", [](Tensor& x) { x.mutable_data<float>(); }},
      {"item", [](Tensor& x) { x.item(); }},
      {"at", [](Tensor& x) { x.at({0}); }},
      {"set", [](Tensor& x) { x.set({0}, 1); }},
      {"to_vector", [](Tensor& x) { x.to_vector<float>(); }},
      {"fill_", [](Tensor& x) { x.fill_(1); }},
      {"copy_", [](Tensor& x) { x.copy_(six()); }},
      {"copy_ of it", [](Tensor& x) { six().copy_(x); }},
      {"clone", [](Tensor& x) { x.clone(); }},
      {"contiguous", [](Tensor& x) { x.contiguous(); }},
      {"to", [](Tensor& x) { x.to(float64); }},
      {"[]", [](Tensor& x) { x[0]; }},
      {"+=", [](Tensor& x) { x += 1; }},
  };
  for (Tensor x : {Tensor(), moved}) {
    BOOST_TEST(!x.defined());
    BOOST_TEST(to_string(x) == "tensor(undefined)");
    for (const auto& use : uses) {
      BOOST_TEST(error_of([&] { use.second(x); }) ==
                     "Tensor: used while undefined, that is default-constructed or moved "
                     "from",
                 use.first);
    }
  }
  BOOST_TEST(show(taken) == show(six()));
}

BOOST_AUTO_TEST_CASE(sizes_and_order) {
  const Tensor x = six();
  BOOST_TEST(x.dim() == 2);
  BOOST_TEST(x.size(-1) == 3);
  BOOST_TEST(x.numel() == 6);
  BOOST_TEST(x.is_contiguous());
  BOOST_TEST(!transpose(x, 0, 1).is_contiguous());
  BOOST_TEST(!slice(x, 1, 0, 2).is_contiguous());
  BOOST_TEST(slice(x, 0, 1).is_contiguous());
  BOOST_TEST(transpose(slice(x, 0, 1), 0, 1).is_contiguous());  // (3, 1)
  BOOST_TEST(error_of([&] { x.size(2); }) == "size: dim must be from -2 to 1, got 2");
  BOOST_TEST(error_of([] { tensor(1.0).size(0); }) ==
             "size: a scalar has no dimensions, got dim 0");
}

BOOST_AUTO_TEST_CASE(single_elements) {
  Tensor x = six();
  BOOST_TEST(x.at({1, 0}) == 4);
  BOOST_TEST(x.at({-1, -3}) == 4);
  transpose(x, 0, 1).set({2, 0}, 7.5);
  BOOST_TEST(x.at({0, 2}) == 7.5);
  BOOST_TEST(tensor(2.5).item() == 2.5);
  BOOST_TEST(tensor({{true}}).item() == 1);
  BOOST_TEST(x[1][1].at({}) == 5);
  BOOST_TEST(error_of([&] { x.item(); }) ==
             "item: the tensor must have one element, got the shape (2, 3)");
  BOOST_TEST(error_of([&] { x.at({1}); }) ==
             "at: there must be one index per dimension, got 1 for the shape (2, 3)");
  BOOST_TEST(error_of([&] {
               x.at({0, 3});
             }) == "at: the index of dim 1 must be from -3 to 2, got 3");
  BOOST_TEST(
      error_of([] {
        tensor({1, 2}).set({0}, 0.5);
      }) ==
      "set: an int64 tensor takes whole numbers, got 0.5; to(float32) converts a tensor");
}

BOOST_AUTO_TEST_CASE(asking_for_the_wrong_type) {
  Tensor x = six();
  BOOST_TEST(error_of([&] { x.data<double>(); }) ==
             "data: the dtype is float32, asked for float64");
  BOOST_TEST(error_of([&] { x.mutable_data<bool>(); }) ==
             "data: the dtype is float32, asked for bool");
  BOOST_TEST(error_of([&] { x.to_vector<std::int64_t>(); }) ==
             "to_vector: the dtype is float32, asked for int64");
  BOOST_TEST(
      error_of([&] { check_same_dtype("op", x, tensor(1)); }) ==
      "op: the dtypes must be equal, got float32 and int64; to(dtype) converts a tensor");
}

BOOST_AUTO_TEST_CASE(fill) {
  Tensor x = six();
  slice(x, 1, 0, 3, 2).fill_(9);
  BOOST_TEST(show(x) == "(2, 3) 9 2 9 9 5 9");
  BOOST_TEST(show(empty({2}).fill_(not_a_number)) == "(2) nan nan");
  BOOST_TEST(show(empty({2, 0}).fill_(1)) == "(2, 0)");
  BOOST_TEST(error_of([] { empty({2}, int64).fill_(infinity); }) ==
             "fill_: an int64 tensor takes whole numbers, got inf; to(float32) converts "
             "a tensor");
  BOOST_TEST(error_of([] { empty({2}, int64).fill_(9223372036854775808.0); }) ==
             "fill_: an int64 tensor takes numbers from -2^63 to 2^63 - 1, got "
             "9.223372036854776e+18");
  BOOST_TEST(error_of([] { empty({0}, boolean).fill_(2); }) ==
             "fill_: a bool tensor takes 0 or 1, got 2");
}

BOOST_AUTO_TEST_CASE(copies_broadcast_and_convert) {
  Tensor x = empty({2, 3});
  BOOST_TEST(show(x.copy_(tensor({7, 8, 9}))) == "(2, 3) 7 8 9 7 8 9");
  BOOST_TEST(show(x.copy_(tensor({{true}, {false}}))) == "(2, 3) 1 1 1 0 0 0");
  transpose(x, 0, 1).copy_(tensor({{1, 2}, {3, 4}, {5, 6}}));
  BOOST_TEST(show(x) == "(2, 3) 1 3 5 2 4 6");
  BOOST_TEST(error_of([&] {
               x.copy_(empty({2, 2}));
             }) ==
             "copy_: the source must broadcast to the target, got (2, 2) and (2, 3)");
  BOOST_TEST(error_of([&] { x[0].copy_(x); }) ==
             "copy_: the source must broadcast to the target, got (2, 3) and (3)");
}

BOOST_AUTO_TEST_CASE(copies_within_one_storage) {
  Tensor x = arange(5, float32);
  slice(x, 0, 1).copy_(slice(x, 0, 0, 4));
  BOOST_TEST(show(x) == "(5) 0 0 1 2 3");
  slice(x, 0, 0, 4).copy_(slice(x, 0, 1));
  BOOST_TEST(show(x) == "(5) 0 1 2 3 3");
  Tensor square = tensor({{1, 2}, {3, 4}});
  square.copy_(transpose(square, 0, 1));
  BOOST_TEST(show(square) == "int64 (2, 2) 1 3 2 4");
}

BOOST_AUTO_TEST_CASE(clone_and_contiguous) {
  Tensor x = six();
  const Tensor copy = x.clone(), turned = transpose(x, 0, 1).contiguous();
  BOOST_TEST((x.contiguous().storage() == x.storage()));
  x.fill_(0);
  BOOST_TEST(show(copy) == "(2, 3) 1 2 3 4 5 6");
  BOOST_TEST(show(turned) == "(3, 2) 1 4 2 5 3 6");
  BOOST_TEST(turned.is_contiguous());
  BOOST_TEST(show(expand(tensor(2.0), {2, 2}).clone()) == "(2, 2) 2 2 2 2");
}

BOOST_AUTO_TEST_CASE(conversions) {
  const Tensor x = tensor({2.9, -2.9, not_a_number, infinity, -infinity, 1e30}, float64);
  const std::vector<std::int64_t> expected{2, -2, 0, INT64_MAX, INT64_MIN, INT64_MAX};
  BOOST_TEST(x.to(int64).to_vector<std::int64_t>() == expected);
  BOOST_TEST(x.to(float32).to(int64).to_vector<std::int64_t>() == expected);
  BOOST_TEST(show(tensor({0.0, -0.0, 0.5, not_a_number}).to(boolean)) ==
             "bool (4) 0 0 1 1");
  BOOST_TEST(show(tensor({true, false}).to(float32)) == "(2) 1 0");
  BOOST_TEST(show(tensor({1e300, -1e300}, float64).to(float32)) == "(2) inf -inf");
  BOOST_TEST((x.to(float64).storage() == x.storage()));
}

BOOST_AUTO_TEST_CASE(moving_a_tensor_takes_it_along) {
  Tensor x = tensor({{1, 2, 3}, {4, 5, 6}}, float64)[1];
  const Tensor y = std::move(x);
  BOOST_TEST(!x.defined());
  Tensor z = six();
  x = std::move(z);
  BOOST_TEST(!z.defined());
  BOOST_TEST(show(x) == show(six()));
  BOOST_TEST(show(y) == "float64 (3) 4 5 6");
}

BOOST_AUTO_TEST_CASE(storage_counts_its_writes) {
  Tensor x = six();
  const auto version = [&] { return x.storage()->version.load(); };
  const std::uint32_t start = version();
  x.data<float>();
  x.clone();
  const Tensor transposed = transpose(x, 0, 1).contiguous();
  BOOST_TEST(version() == start);
  x[0].fill_(1);  // a view's write is a write to the storage
  BOOST_TEST(version() == start + 1);
  x.copy_(transposed[0][0]);
  BOOST_TEST(version() == start + 2);
  x.set({0, 0}, 1);
  BOOST_TEST(version() == start + 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace heed
