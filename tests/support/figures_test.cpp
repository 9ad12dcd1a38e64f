// The figures of a program: their folder, and what --figures draws into it.
#include "examples/support/figures.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tensor/core/factories.h"
#include "tests/support/folder.h"
#include "tests/support/input_errors.h"
#include "tests/view/drawn.h"

namespace {

using namespace heed;
using namespace heed::support;
using heed::viz::contents;
using heed::viz::gnuplot_is_there;

const viz::Lines chart{"chart", "x", "y", {{"rising", {1, 2, 3}, {1, 4, 9}}}};

BOOST_AUTO_TEST_SUITE(figures)

BOOST_AUTO_TEST_CASE(figures_of_a_program,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  const std::vector<NamedFigure> figures{
      {"chart", chart}, {"heat", viz::Heatmaps{ones({1, 1, 2, 2}), "", ""}}};
  save_figures({}, figures);
  BOOST_TEST(folder.is_empty());
  const FigureOptions options{folder / "new", "png"};
  make_folder(options);
  save_figures(options, figures);
  for (const char* name : {"new/chart.png", "new/heat.png"})
    BOOST_TEST(contents(folder / name).starts_with("\x89PNG"), name);
}

BOOST_AUTO_TEST_CASE(folders) {
  const TemporaryFolder folder;
  make_folder(folder / "a/b/c");
  make_folder(folder / "a/b/c");
  BOOST_TEST(std::filesystem::is_directory(folder / "a/b/c"));
  std::ofstream(folder / "file") << "text";
  const std::string file = folder / "file";
  BOOST_TEST(message_of([&] {
               make_folder(file);
             }).starts_with(file + ": the folder cannot be written: "));
  BOOST_TEST(message_of([&] { make_folder(file + "/below"); }) ==
             file + "/below: the folder cannot be written: Not a directory");
}

// A folder in place of the file: the user's fault, unlike a figure that is ill-formed.
BOOST_AUTO_TEST_CASE(what_cannot_be_written,
                     *boost::unit_test::precondition(gnuplot_is_there)) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "chart.svg");
  const FigureOptions options{folder / "."};
  BOOST_TEST(message_of([&] {
               save_figures(options, {{"chart", chart}});
             }).starts_with(folder / "./chart.svg: "));
  BOOST_CHECK_THROW(save_figures(options, {{"none", viz::Lines{}}}), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
