// Heat maps in the terminal.
#include "view/terminal.h"

#include <unistd.h>

#include <cmath>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tests/errors.h"
#include "tests/infinity.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/view/pseudo_terminal.h"

namespace {

using namespace heed;
using namespace heed::viz;
using heed::support::Environment;
using heed::support::TemporaryFolder;

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

BOOST_AUTO_TEST_CASE(colours_are_for_terminals_that_take_them,
                     *boost::unit_test::precondition(terminals_are_there)) {
  struct Case {
    const char *term, *colorterm, *no_color;
    Colours colours;
  };
  const Heatmaps heatmaps{ones({1, 8, 2, 5}), "", "", {}};
  for (const Case& of : {Case{"xterm", "", "", Colours::palette},
                         {"xterm", "truecolor", "", Colours::any},
                         {"xterm", "24bit", "", Colours::any},
                         {"xterm", "yes", "", Colours::palette},
                         {"dumb", "truecolor", "", Colours::none},
                         {"", "truecolor", "", Colours::none},
                         {"xterm", "truecolor", "1", Colours::none}}) {
    const Environment environment(
        {{"TERM", of.term}, {"COLORTERM", of.colorterm}, {"NO_COLOR", of.no_color}});
    const PseudoTerminal terminal(STDOUT_FILENO);
    const Colours colours = terminal_colours(STDOUT_FILENO);
    const int width = terminal_width(STDOUT_FILENO);
    show(heatmaps);
    const std::string sent = terminal.sent();
    const std::string shown = to_text(heatmaps, of.colours, 60);
    BOOST_TEST((colours == of.colours));
    BOOST_TEST(width == 60);
    BOOST_TEST(sent == shown);
  }
}

// Standard output is made a file here, whatever the tests themselves write to.
BOOST_AUTO_TEST_CASE(what_is_no_terminal_gets_no_colours) {
  const Environment environment(
      {{"TERM", "xterm"}, {"COLORTERM", "truecolor"}, {"NO_COLOR", ""}});
  const TemporaryFolder folder;
  Colours colours;
  int width;
  {
    const IntoFile file(STDOUT_FILENO, folder / "out");
    colours = terminal_colours(STDOUT_FILENO);
    width = terminal_width(STDOUT_FILENO);
  }
  BOOST_TEST((colours == Colours::none));
  BOOST_TEST(width == 80);
}

BOOST_AUTO_TEST_CASE(a_cell_is_half_a_character) {
  const Heatmaps heatmaps{
      reshape(tensor({0.0, 1.0, 1.0, 0.0}), {1, 1, 2, 2}), "keys", "queries", {"ab"}};
  const std::string white = "255;247;242", dark = "92;0;13", end = "\x1b[0m";
  const std::string first_lines = "ab\n\x1b[38;2;" + white + ";48;2;" + dark +
                                  "m\u2580\x1b[38;2;" + dark + ";48;2;" + white +
                                  "m\u2580" + end + "\ndown: queries; across: keys\n0 ";
  const std::string text = to_text(heatmaps, Colours::any, 2);
  BOOST_TEST(text.substr(0, first_lines.size()) == first_lines);
  BOOST_TEST(text.ends_with(end + " 1\n"));
}

BOOST_AUTO_TEST_CASE(the_palette) {
  const Heatmaps heatmaps{reshape(tensor({0.0, 1.0}), {1, 1, 1, 2}), "", ""};
  const std::string text = to_text(heatmaps, Colours::palette, 2);
  // 231 is white, 52 the darkest red but black.
  BOOST_TEST(text.find("\x1b[38;5;231m\u2580\x1b[38;5;52m\u2580\x1b[0m\n") != text.npos);
  BOOST_TEST(text.find(";2;") == text.npos);
  // From the low end to the high one, only reds, each darker than the one before.
  const Heatmaps scale{reshape(square(linspace(0, 1, 60)), {1, 1, 1, 60}), "", ""};
  const std::string line = to_text(scale, Colours::palette, 60);
  std::size_t at = 0;
  for (const char* entry :
       {"231", "224", "217", "210", "203", "160", "124", "88", "52"}) {
    at = line.find(std::string("38;5;") + entry + "m", at);
    BOOST_TEST(at != line.npos, entry);
  }
  for (const char* other : {"223m", "216m", "209m", "166m", "167m"})
    BOOST_TEST(line.find(other) == line.npos, other);
}

const std::string scale_to_1 = "0                          1\n";

BOOST_AUTO_TEST_CASE(panels_stand_side_by_side) {
  // Twelve wide, a cell is four columns; twenty-four high, it is one.
  const Heatmaps low{ones({2, 2, 2, 3}), "k", "q", {"one", "a longer title", "three"}};
  BOOST_TEST(without_colours(to_text(low, Colours::any, 80)) ==
             "one             a longer title\n"
             "############    ############\n############    ############\n"
             "############    ############\n############    ############\n"
             "three\n"
             "############    ############\n############    ############\n"
             "############    ############\n############    ############\n"
             "down: q; across: k\n" +
                 scale_to_1);
  const Heatmaps tall{ones({1, 2, 24, 3}), "k", ""};
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += "###  ###\n";
  BOOST_TEST(without_colours(to_text(tall, Colours::any, 80)) ==
             lines + "across: k\n" + scale_to_1);
}

// As many as fit, evenly; cells shrink to two columns first.
BOOST_AUTO_TEST_CASE(a_long_row_is_folded) {
  const Heatmaps heads{ones({1, 8, 2, 5}), "", "", {"1", "2", "3", "4", "5", "6", "7"}};
  const std::string cells(10, '#');
  std::string four = cells + "  " + cells + "  " + cells + "  " + cells + "\n";
  four += four;
  BOOST_TEST(without_colours(to_text(heads, Colours::any, 80)) ==
             "1           2           3           4\n" + four +
                 "5           6           7\n" + four + scale_to_1);
  const std::string wide = without_colours(to_text(heads, Colours::any, 400));
  BOOST_TEST(wide.find(std::string(20, '#') + "  " + std::string(20, '#')) != wide.npos);
}

BOOST_AUTO_TEST_CASE(names_of_rows_and_columns) {
  const Heatmaps sentence{
      ones({1, 2, 2, 3}), "keys", "queries", {"head 1", "head 2"}, {"I", "like", "you"},
      {"<BOS>", "\u6211"}};
  BOOST_TEST(without_colours(to_text(sentence, Colours::any, 80)) ==
             "      head 1           head 2\n"
             "      I    like you    I    like you\n"
             "<BOS> ###############  ###############\n"
             "   \u6211 ###############  ###############\n"
             "down: queries; across: keys\n" +
                 scale_to_1);
  // Without room for the names across, those of the rows remain.
  BOOST_TEST(without_colours(to_text(sentence, Colours::any, 20)) ==
             "      head 1  head 2\n"
             "<BOS> ######  ######\n"
             "   \u6211 ######  ######\n"
             "down: queries; across: keys\n" +
                 scale_to_1);
  // The name of a row of several lines stands at the upper one of the middle.
  const Heatmaps one{ones({1, 1, 2, 3}), "", "", {}, {}, {"a", "b"}};
  BOOST_TEST(without_colours(to_text(one, Colours::any, 80)) ==
             "a ############\n  ############\nb ############\n  ############\n" +
                 scale_to_1);
}

BOOST_AUTO_TEST_CASE(long_text_is_shortened) {
  const std::string text(60, 'x');
  const Heatmaps heatmaps{ones({1, 2, 1, 1}), text, text, {text, text}};
  BOOST_TEST(without_colours(to_text(heatmaps, Colours::any, 50)) ==
             std::string(31, 'x') + "\u2026\n####\n####\n" + std::string(31, 'x') +
                 "\u2026\n####\n####\ndown: " + std::string(43, 'x') + "\u2026\n" +
                 scale_to_1);
}

BOOST_AUTO_TEST_CASE(large_matrices_are_averaged_down) {
  const Heatmaps heatmaps{ones({1, 2, 300, 300}), "", ""};
  const std::string text = without_colours(to_text(heatmaps, Colours::any, 60));
  const std::string line = std::string(29, '#') + "  " + std::string(29, '#') + "\n";
  std::string lines;
  for (int i = 0; i < 15; ++i) lines += line;
  BOOST_TEST(text == lines + scale_to_1);
  // Narrower than 24 columns each, they stand below one another.
  const std::string below = without_colours(to_text(heatmaps, Colours::any, 40));
  BOOST_TEST(below.starts_with(std::string(24, '#') + "\n"));
  BOOST_TEST(without_colours(to_text(heatmaps, Colours::any, 1)) ==
             "#\n#\n" + scale_to_1);
}

BOOST_AUTO_TEST_CASE(averages) {
  const Heatmaps heatmaps{tensor({{{{0.0, 0.5, 1.0, 1.0}}}}), "", ""};
  const std::string text = to_text(heatmaps, Colours::any, 2);
  // A quarter of the scale has the colour of its middle.
  BOOST_TEST(text.starts_with("\x1b[38;2;242;92;66m\u2580\x1b[38;2;92;0;13m\u2580"));
}

BOOST_AUTO_TEST_CASE(what_is_off_the_scale_is_told) {
  const Heatmaps heatmaps{tensor({{{{-infinity, std::nan(""), -1.5, 2.0}}}}), "", ""};
  const std::string text = to_text(heatmaps, Colours::any, 4);
  BOOST_TEST(
      text.starts_with("\x1b[38;2;191;217;240m\u2580\x1b[38;2;140;140;140m\u2580"));
  BOOST_TEST(without_colours(text) ==
             "####\n-1.5                          2     -inf     nan\n");
  BOOST_TEST(
      text.ends_with("\x1b[48;2;191;217;240m  \x1b[0m -inf  "
                     "\x1b[48;2;140;140;140m  \x1b[0m nan\n"));
}

// Without colours a digit is a tenth of the scale.
BOOST_AUTO_TEST_CASE(plain_heat_maps) {
  const Heatmaps heatmaps{tensor({{{{0.05, 0.25, 0.5}, {1.0, 0.75, 0.0}},
                                   {{0.0, 0.1, 0.2}, {0.3, 0.4, 0.99}}}}),
                          "keys",
                          "queries",
                          {"one", "two"},
                          {"I", "like", "you"},
                          {"a", "b"}};
  BOOST_TEST(to_text(heatmaps, Colours::none, 80) ==
             "  one              two\n"
             "  I    like you    I    like you\n"
             "a .    2    5      .    1    2\n"
             "b 9    7    .      3    4    9\n"
             "down: queries; across: keys\n"
             ". 0 to 0.1  9 0.9 to 1\n");
  BOOST_TEST(to_text(Heatmaps{tensor({{{{-infinity, std::nan("")}, {infinity, 2.0}}}})},
                     Colours::none,
                     20) == "- ?\n+ 9\n. 0 to 0.2  9 1.8 to 2  - -inf  + inf  ? nan\n");
  BOOST_CHECK_THROW(to_text(Heatmaps{ones({2, 2})}, Colours::any, 80), Error);
}

// Up to 32 rows have a line each.
BOOST_AUTO_TEST_CASE(rows_of_plain_heat_maps) {
  std::string lines;
  for (std::size_t i = 0; i < 16; ++i) {
    lines += std::string(i, '.') + "9" + std::string(15 - i, '.') + "\n";
  }
  BOOST_TEST(to_text(Heatmaps{reshape(eye(16), {1, 1, 16, 16})}, Colours::none, 80) ==
             lines + ". 0 to 0.1  9 0.9 to 1\n");
}

// Two by two elements are averaged to a character, and rows to a line.
BOOST_AUTO_TEST_CASE(plain_heat_maps_are_averaged_down) {
  const std::string text = to_text(Heatmaps{ones({1, 1, 80, 80})}, Colours::none, 40);
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += std::string(40, '9') + "\n";
  BOOST_TEST(text == lines + ". 0 to 0.1  9 0.9 to 1\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
