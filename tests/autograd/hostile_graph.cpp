// Writes a graph whose leaves have names that Graphviz or SVG might obey, and these names
// one a line: hostile_graph FILE.dot NAMES
#include <fstream>
#include <string>

#include <heed.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  using namespace heed;
  const std::string names[] = {
      R"("], n9 [label=hacked]; ")",
      R"(back\slash\N\l\")",
      "new\nline",
      "<b>bold</b>",
      "<<table><tr><td>cell</td></tr></table>>",
      "</text><script>alert(1)</script>",
      "a&lt;b&amp;c &#65;",
      "-->]]>",
      "${x} % {a|b} // /* #",
      "módulo.日本語",
      "esc\x1b[31m\xff",
  };
  Variable sum(zeros({}), true);
  NamedVariables leaves;
  for (const std::string& name : names) {
    leaves.emplace_back(name, Variable(ones({}), true));
    sum = sum + tanh(leaves.back().second);
  }
  std::ofstream(argv[1]) << graph_dot(sum, leaves);
  std::ofstream list(argv[2]);
  for (const std::string& name : names) list << printable(name) << '\n';
  return list ? 0 : 1;
}
