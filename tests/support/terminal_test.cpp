// Heat maps in the terminal.
#include "examples/support/terminal.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tensor/error.h"
#include "tensor/factories.h"
#include "tensor/views.h"

namespace {

using namespace heed;
using namespace heed::support;

// What is left of the text without its colours, half blocks shown as '#'.
std::string without_colours(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else if (text.compare(i, 3, "\u2580") == 0) {
      out += '#';
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

BOOST_AUTO_TEST_SUITE(terminal)

BOOST_AUTO_TEST_CASE(a_cell_is_half_a_character) {
  const Heatmaps heatmaps{reshape(tensor({0.0, 1.0, 1.0, 0.0}), {1, 1, 2, 2}), "keys",
                          "queries", {"ab"}};
  const std::string white = "255;247;242", dark = "92;0;13", end = "\x1b[0m";
  const std::string first_lines =
      "ab\n\x1b[38;2;" + white + ";48;2;" + dark + "m\u2580\x1b[38;2;" + dark +
      ";48;2;" + white + "m\u2580" + end + "\ndown: queries; across: keys\n0 ";
  const std::string text = in_colour(heatmaps, Colours::any, 80);
  BOOST_TEST(text.substr(0, first_lines.size()) == first_lines);
  BOOST_TEST(text.ends_with(end + " 1\n"));
}

BOOST_AUTO_TEST_CASE(the_palette) {
  const Heatmaps heatmaps{reshape(tensor({0.0, 1.0}), {1, 1, 1, 2}), "", "", {}};
  const std::string text = in_colour(heatmaps, Colours::palette, 80);
  // 231 is white, 52 the darkest red but black.
  BOOST_TEST(text.find("\x1b[38;5;231m\u2580\x1b[38;5;52m\u2580\x1b[0m\n") != text.npos);
  BOOST_TEST(text.find(";2;") == text.npos);
}

BOOST_AUTO_TEST_CASE(panels_stand_side_by_side) {
  const Heatmaps heatmaps{ones({2, 2, 3, 4}), "k", "q", {"one", "a long title", "three"}};
  BOOST_TEST(without_colours(in_colour(heatmaps, Colours::any, 80)) ==
             "one   a lo\n####  ####\n####  ####\n"
             "thre      \n####  ####\n####  ####\n"
             "down: q; across: k\n0                          1\n");
}

BOOST_AUTO_TEST_CASE(large_matrices_are_averaged_down) {
  const Heatmaps heatmaps{ones({1, 2, 300, 300}), "", "", {}};
  const std::string text = without_colours(in_colour(heatmaps, Colours::any, 30));
  const std::string line = std::string(14, '#') + "  " + std::string(14, '#') + "\n";
  std::string lines;
  for (int i = 0; i < 7; ++i) lines += line;
  BOOST_TEST(text.substr(text.find('#'), lines.size()) == lines);
  // Far too narrow a terminal still gets a column a panel.
  BOOST_TEST(without_colours(in_colour(heatmaps, Colours::any, 1)).find("#  #\n") !=
             text.npos);
}

BOOST_AUTO_TEST_CASE(nothing_where_there_are_no_colours) {
  BOOST_TEST(in_colour({ones({1, 1, 2, 2}), "", "", {}}, Colours::none, 80) == "");
  BOOST_CHECK_THROW(in_colour({ones({2, 2}), "", "", {}}, Colours::any, 80), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
