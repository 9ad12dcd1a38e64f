// Heat maps: what gnuplot writes around the panels, and what is refused.
#include <cmath>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/random/random.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/support/folder.h"
#include "tests/view/drawn.h"
#include "view/figures.h"

namespace {

using namespace heed;
using namespace heed::viz;
using heed::support::TemporaryFolder;

std::string drawn(const Heatmaps& heatmaps) {
  const TemporaryFolder folder;
  const std::string path = folder / "heatmaps.svg";
  BOOST_TEST(save_figure(path, heatmaps));
  return contents(path);
}

Heatmaps heads(const Shape& shape) {
  Heatmaps heatmaps{rand(shape), "keys", "queries"};
  for (std::int64_t head = 1; head <= shape[0] * shape[1]; ++head)
    heatmaps.titles.push_back(fmt::format("head {}", head));
  return heatmaps;
}

BOOST_AUTO_TEST_SUITE(heatmaps, *boost::unit_test::precondition(gnuplot_is_there))

BOOST_AUTO_TEST_CASE(a_picture_a_panel_and_one_colour_bar) {
  const std::string svg = drawn(heads({2, 3, 4, 5}));
  BOOST_TEST(count(svg, "<image ") == 7u);
  for (int head = 1; head <= 6; ++head)
    BOOST_TEST(count(svg, fmt::format(">head {}<", head)) == 1u);
  BOOST_TEST(count(svg, "pixelated") == 1u);
}

BOOST_AUTO_TEST_CASE(labels_and_numbers_are_at_the_outer_panels_only) {
  const std::string svg = drawn(heads({2, 3, 4, 5}));
  BOOST_TEST(count(svg, ">keys<") == 3u);
  BOOST_TEST(count(svg, ">queries<") == 2u);
  // 0 to 4 across, 0 to 3 down: 4 is no number of a row.
  BOOST_TEST(count(svg, ">4<") == 3u);
  BOOST_TEST(count(svg, ">3<") == 3u + 2u);
  BOOST_TEST(count(svg, ">3.5<") == 0u);
}

// (rows, columns) of the picture are the counts of the labels at its edges.
BOOST_AUTO_TEST_CASE(a_long_row_is_folded) {
  const auto check_grid = [](const Shape& shape, std::size_t rows, std::size_t columns) {
    const std::string svg = drawn(heads(shape));
    BOOST_TEST(count(svg, ">queries<") == rows, shape[1]);
    BOOST_TEST(count(svg, ">keys<") == columns, shape[1]);
    BOOST_TEST(count(svg, ">head ") == static_cast<std::size_t>(shape[0] * shape[1]));
  };
  check_grid({1, 1, 2, 2}, 1, 1);
  check_grid({1, 6, 2, 2}, 1, 6);
  check_grid({1, 7, 2, 2}, 1, 7);
  check_grid({1, 8, 2, 2}, 2, 4);
  check_grid({1, 11, 2, 2}, 3, 4);
  check_grid({1, 16, 2, 2}, 4, 4);
  check_grid({1, 64, 2, 2}, 8, 8);
  // Grids of several rows are drawn as they are given.
  check_grid({2, 12, 2, 2}, 2, 12);
  check_grid({9, 1, 2, 2}, 9, 1);
}

BOOST_AUTO_TEST_CASE(names_in_place_of_numbers) {
  Heatmaps sentence = heads({1, 2, 5, 5});
  sentence.xticks = sentence.yticks = {"<BOS>", "I", "like", "you", "<EOS>"};
  const std::string svg = drawn(sentence);
  for (const char* token : {"&lt;BOS>", "I", "like", "you", "&lt;EOS>"})
    BOOST_TEST(count(svg, fmt::format(">{}<", token)) == 3u, token);
  BOOST_TEST(count(svg, ">2<") == 0u);
}

BOOST_AUTO_TEST_CASE(text_that_does_not_fit_is_shortened) {
  const std::string text = "a title that is a good deal longer than its panel is wide";
  Heatmaps heatmaps = heads({1, 2, 2, 2});
  heatmaps.titles[0] = heatmaps.xlabel = heatmaps.ylabel = text;
  heatmaps.yticks = {"a name of more than sixteen letters", "b"};
  const std::string svg = drawn(heatmaps);
  BOOST_TEST(count(svg, text) == 0u);
  BOOST_TEST(count(svg, ">a title that is a good deal longer") == 4u);
  BOOST_TEST(count(svg, ">a name of more \u2026<") == 1u);
  BOOST_TEST(count(svg, ">head 2<") == 1u);
}

// gnuplot takes % in a tick for a format, and much else in a string for a command.
BOOST_AUTO_TEST_CASE(names_are_no_commands) {
  Heatmaps odd = heads({1, 1, 2, 2});
  odd.xticks = {"50% %f", "`ls`"};
  odd.yticks = {"'", "\\\"a\nb"};
  const std::string svg = drawn(odd);
  for (const char* text : {">50% %f<", ">`ls`<", ">'<", ">\\\"a\\nb<"})
    BOOST_TEST(count(svg, text) == 1u, text);
}

BOOST_AUTO_TEST_CASE(what_is_off_the_scale_is_told) {
  const auto drawn_row = [](const Tensor& row) {
    return drawn({reshape(row, {1, 1, 1, -1}), "", ""});
  };
  const std::string mask = drawn_row(tensor({0.0, -infinity}));
  BOOST_TEST(count(mask, ">-inf<") == 1u);
  BOOST_TEST(count(mask, ">nan<") == 0u);
  const std::string all = drawn_row(tensor({-infinity, infinity, std::nan(""), 1.0}));
  for (const char* text : {">-inf<", ">inf<", ">nan<"})
    BOOST_TEST(count(all, text) == 1u, text);
  const std::string none = drawn_row(tensor({0.25, 1.0}));
  for (const char* text : {"inf<", ">nan<"}) BOOST_TEST(count(none, text) == 0u, text);
}

BOOST_AUTO_TEST_CASE(the_colour_bar_has_round_numbers) {
  const std::string svg = drawn({full({1, 1, 2, 2}, 0.45), "", ""});
  for (const char* text : {">0.1<", ">0.2<", ">0.3<", ">0.4<"})
    BOOST_TEST(count(svg, text) == 1u, text);
  BOOST_TEST(count(svg, ">0.45<") == 0u);
  const std::string far = drawn({tensor({{{{-1000.0, -1002.0}}}}), "", ""});
  BOOST_TEST(count(far, ">-1001<") == 1u);
}

BOOST_AUTO_TEST_CASE(single_rows_columns_and_cells) {
  for (const Shape& shape :
       {Shape{1, 1, 1, 1}, Shape{1, 1, 1, 9}, Shape{1, 1, 9, 1}, Shape{1, 1, 1, 200}})
    BOOST_TEST(count(drawn(heads(shape)), "<image ") == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(ill_formed_heat_maps) {
  const auto refused = [](const Heatmaps& heatmaps) {
    return error_of([&] { save_figure("never.svg", heatmaps); });
  };
  BOOST_TEST(refused({ones({4, 5}), "", ""}) ==
             "figure: heat maps need the shape (rows, columns, m, n) and no 0 in it, got "
             "(4, 5)");
  BOOST_TEST(refused({ones({1, 2, 0, 4}), "", ""}) ==
             "figure: heat maps need the shape (rows, columns, m, n) and no 0 in it, got "
             "(1, 2, 0, 4)");
  BOOST_TEST(refused({ones({1, 2, 3, 4}), "", "", {"a", "b", "c"}}) ==
             "figure: at most a title a panel is needed, got 3 for the shape (1, 2, 3, "
             "4)");
  BOOST_TEST(refused({ones({1, 2, 3, 4}), "", "", {}, {"a", "b", "c"}}) ==
             "figure: xticks must be 4 names or none, got 3");
  BOOST_TEST(refused({ones({1, 2, 3, 4}), "", "", {}, {}, {"a"}}) ==
             "figure: yticks must be 3 names or none, got 1");
  BOOST_TEST(refused({tensor({{{{-1e308, 1e308}}}}, float64), "", ""}) ==
             "figure: the numbers are too far apart, -1e+308 and 1e+308");
}

}  // namespace
