// Charts: the files that gnuplot draws, and what happens when it cannot.
#include "view/figures.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tensor/core/text.h"
#include "tests/errors.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/support/limits.h"
#include "tests/view/drawn.h"

namespace {

using namespace heed;
using namespace heed::viz;
using heed::support::Environment;
using heed::support::FileLimit;
using heed::support::TemporaryFolder;

Lines chart() {
  Lines chart{"it's a_1 < b & c", "x", "y", {}};
  chart.curves = {{"rising", {1, 2, 3}, {1, 4, 9}, Style::line_with_points},
                  {"dots", {1, 2, 3}, {3, std::nan(""), 1}, Style::points}};
  return chart;
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

BOOST_AUTO_TEST_CASE(a_single_point, *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  BOOST_TEST(save_figure(folder / "point.svg", Lines{"", "", "", {{"one", {1}, {2}}}}));
}

// Nothing but the figure is left in the folder, not even when drawing it failed.
BOOST_AUTO_TEST_CASE(no_half_figures) {
  const TemporaryFolder folder;
  BOOST_CHECK_THROW(save_figure(folder / "chart.pdf", chart()), Error);
  BOOST_CHECK_THROW(save_figure(folder / "chart.svg", Lines{"", "", "", {}}), Error);
  BOOST_TEST(folder.is_empty());
}

// gnuplot itself writes what it can, and says nothing of the rest.
BOOST_AUTO_TEST_CASE(a_picture_without_room,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  for (const std::string name : {"chart.svg", "chart.png"}) {
    const FileLimit limit(4096);
    BOOST_TEST(error_of([&] { save_figure(folder / name, chart()); }) ==
               "figure: the picture is cut off after 4096 bytes; is there room for "
               "temporary files?");
  }
  BOOST_TEST(folder.is_empty());
}

// Whatever is beside the figure is not touched.
BOOST_AUTO_TEST_CASE(links_beside_a_figure,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  std::ofstream(folder / "precious") << "mine";
  std::filesystem::create_symlink("precious", folder / "chart.svg.part");
  BOOST_TEST(save_figure(folder / "chart.svg", chart()));
  BOOST_TEST(contents(folder / "precious") == "mine");
  BOOST_TEST(std::filesystem::is_symlink(folder / "chart.svg.part"));
  BOOST_TEST(std::filesystem::is_regular_file(
      std::filesystem::symlink_status(folder / "chart.svg")));
}

// A table's columns may have any names; an SVG may not hold them as they are.
BOOST_AUTO_TEST_CASE(labels_of_any_bytes,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  Lines strange = chart();
  strange.xlabel = "H\xf6he\x1b[2J";
  strange.ylabel = "a\nb\xef\xbf\xbf";
  BOOST_TEST(save_figure(folder / "chart.svg", strange));
  const std::string svg = contents(folder / "chart.svg");
  BOOST_TEST(heed::printable(svg, "\n\t") == svg);
  BOOST_TEST(count(svg, R"(H\xf6he\u001b[2J)") == 1u);
  BOOST_TEST(count(svg, R"(a\nb\uffff)") == 1u);
}

BOOST_AUTO_TEST_CASE(without_gnuplot) {
  const TemporaryFolder folder;
  const Environment environment({{"PATH", folder / "nothing here"}});
  BOOST_TEST(!save_figure(folder / "chart.svg", chart()));
  BOOST_TEST(folder.is_empty());
}

BOOST_AUTO_TEST_CASE(wrong_names_and_places) {
  const TemporaryFolder folder;
  const std::string pdf = folder / "chart.pdf", lost = folder / "no/chart.svg";
  BOOST_TEST(error_of([&] { save_figure(pdf, chart()); }) ==
             pdf + ": the name of a figure must end in .svg or .png");
  BOOST_TEST(error_of([&] { save_figure(lost, chart()); }) ==
             lost + ": cannot open the folder: No such file or directory");
}

BOOST_AUTO_TEST_CASE(ill_formed_figures) {
  Lines uneven = chart();
  uneven.curves[0].y.pop_back();
  BOOST_TEST(error_of([&] { save_figure("never.svg", uneven); }) ==
             "figure: a curve needs as many x as y, got 3 and 2");
  const Lines empty{"", "", "", {}};
  BOOST_TEST(error_of([&] { save_figure("never.svg", empty); }) ==
             "figure: a chart needs a curve");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
