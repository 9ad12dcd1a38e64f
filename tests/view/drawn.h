// Looking at what gnuplot has drawn.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/folder.h"
#include "view/figures.h"

namespace heed::viz {

inline std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// A precondition of test cases: without gnuplot there are no figures to look at.
inline boost::test_tools::assertion_result gnuplot_is_there(
    boost::unit_test::test_unit_id) {
  static const bool is_there = [] {
    const support::TemporaryFolder folder;
    return save_figure(folder / "try.svg", Lines{"", "", "", {{"one", {1}, {2}}}});
  }();
  return is_there;
}

}  // namespace heed::viz
