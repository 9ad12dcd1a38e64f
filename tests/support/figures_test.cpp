// Figures: the files that gnuplot draws, and what happens when it cannot.
#include "examples/support/figures.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "examples/support/input_error.h"
#include "tensor/elementwise.h"
#include "tensor/factories.h"
#include "tensor/views.h"
#include "tests/support/folder.h"

namespace {

using namespace heed;
using namespace heed::support;

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

Chart chart() {
  Chart chart{"it's a_1 < b & c", "x", "y", {}};
  chart.curves = {{"rising", {1, 2, 3}, {1, 4, 9}, Style::line_with_points},
                  {"dots", {1, 2, 3}, {3, std::nan(""), 1}, Style::points}};
  return chart;
}

Heatmaps heatmaps() {
  return {reshape(arange(2.0 * 3 * 4 * 5), {2, 3, 4, 5}), "keys", "queries",
          {"head 1", "head 2"}};
}

// Where gnuplot is missing its figures cannot be looked at; that it is reported can.
bool have_gnuplot() {
  static const bool have = [] {
    const TemporaryFolder folder;
    return save_figure(folder / "try.svg", chart());
  }();
  return have;
}

boost::test_tools::assertion_result gnuplot_is_there(boost::unit_test::test_unit_id) {
  return have_gnuplot();
}

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

BOOST_AUTO_TEST_SUITE(figures)

BOOST_AUTO_TEST_CASE(a_chart, *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  const std::string path = folder / "it's a chart.svg";
  BOOST_TEST(save_figure(path, chart()));
  const std::string svg = contents(path);
  BOOST_TEST(svg.starts_with("<?xml"));
  BOOST_TEST(count(svg, "it's a_1 &lt; b &amp; c") == 1u);
  BOOST_TEST(count(svg, "</svg>") == 1u);
  for (const char* text : {">x<", ">y<", "rising", "dots"})
    BOOST_TEST(count(svg, text) >= 1u, text);

  BOOST_TEST(save_figure(folder / "chart.png", chart()));
  BOOST_TEST(contents(folder / "chart.png").starts_with("\x89PNG"));
}

BOOST_AUTO_TEST_CASE(heat_maps, *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  BOOST_TEST(save_figure(folder / "heads.svg", heatmaps()));
  const std::string svg = contents(folder / "heads.svg");
  // A picture a panel; labels at the outer panels only.
  BOOST_TEST(count(svg, "<image ") == 6u);
  BOOST_TEST(count(svg, ">keys<") == 3u);
  BOOST_TEST(count(svg, ">queries<") == 2u);
  BOOST_TEST(count(svg, "head 1") == 1u);
  BOOST_TEST(count(svg, "pixelated") == 1u);
}

BOOST_AUTO_TEST_CASE(a_single_point_and_a_single_row,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  BOOST_TEST(save_figure(folder / "point.svg", Chart{"", "", "", {{"one", {1}, {2}}}}));
  BOOST_TEST(save_figure(folder / "cell.svg", Heatmaps{ones({1, 1, 1, 1}), "", "", {}}));
  BOOST_TEST(save_figure(folder / "row.svg", Heatmaps{ones({1, 1, 1, 9}), "", "", {}}));
  for (const char* name : {"cell.svg", "row.svg"})
    BOOST_TEST(count(contents(folder / name), "<image ") == 1u);
}

// Nothing but the figure is left in the folder, not even when drawing it failed.
BOOST_AUTO_TEST_CASE(no_half_figures) {
  const TemporaryFolder folder;
  BOOST_CHECK_THROW(save_figure(folder / "chart.pdf", chart()), InputError);
  BOOST_CHECK_THROW(save_figure(folder / "chart.svg", Chart{"", "", "", {}}), Error);
  BOOST_TEST(folder.is_empty());
}

BOOST_AUTO_TEST_CASE(without_gnuplot) {
  const TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder / "nothing here").c_str(), 1);
  BOOST_TEST(!save_figure(folder / "chart.svg", chart()));
  setenv("PATH", path.c_str(), 1);
  BOOST_TEST(folder.is_empty());
}

BOOST_AUTO_TEST_CASE(wrong_names_and_places) {
  const TemporaryFolder folder;
  const std::string pdf = folder / "chart.pdf", lost = folder / "no/chart.svg";
  BOOST_TEST(message_of<InputError>([&] { save_figure(pdf, chart()); }) ==
             pdf + ": the name of a figure must end in .svg or .png");
  BOOST_TEST(message_of<InputError>([&] { save_figure(lost, chart()); }) ==
             lost + ": cannot be written: No such file or directory");
}

BOOST_AUTO_TEST_CASE(ill_formed_figures) {
  Chart uneven = chart();
  uneven.curves[0].y.pop_back();
  BOOST_TEST(message_of<Error>([&] { save_figure("never.svg", uneven); }) ==
             "figure: a curve needs as many x as y, got 3 and 2");
  BOOST_TEST(message_of<Error>([&] {
               save_figure("never.svg", Heatmaps{ones({4, 5}), "", "", {}});
             }) ==
             "figure: heat maps need the shape (rows, columns, m, n) and no 0 in it, got "
             "(4, 5)");
  const Chart empty{"", "", "", {}};
  BOOST_TEST(message_of<Error>([&] { save_figure("never.svg", empty); }) ==
             "figure: a chart needs a curve");
}

BOOST_AUTO_TEST_CASE(the_colour_scale) {
  const auto range = [](const Tensor& x) {
    return colour_range({reshape(x, {1, 1, 1, -1}), "", "", {}});
  };
  BOOST_TEST(range(tensor({0.25, 0.5})).low == 0);
  BOOST_TEST(range(tensor({0.25, 0.5})).high == 0.5);
  BOOST_TEST(range(tensor({-2.0, 3.0})).low == -2);
  BOOST_TEST(range(tensor({0.0, 0.0})).high == 1);
  const double infinity = std::numeric_limits<double>::infinity();
  BOOST_TEST(range(tensor({-infinity, 0.5, infinity, std::nan("")})).low == 0);
  BOOST_TEST(range(tensor({-infinity, 0.5, infinity, std::nan("")})).high == 0.5);
}

BOOST_AUTO_TEST_CASE(folders) {
  const TemporaryFolder folder;
  make_folder(folder / "a/b/c");
  make_folder(folder / "a/b/c");
  BOOST_TEST(std::filesystem::is_directory(folder / "a/b/c"));
  std::ofstream(folder / "file") << "text";
  const std::string file = folder / "file";
  BOOST_TEST(message_of<InputError>([&] { make_folder(file); })
                 .starts_with(file + ": the folder cannot be written: "));
  BOOST_TEST(message_of<InputError>([&] { make_folder(file + "/below"); }) ==
             file + "/below: the folder cannot be written: Not a directory");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
