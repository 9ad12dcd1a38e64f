// The graphs of the programs (--graph).
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/examples/run.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::examples;
using heed::support::TemporaryFolder;

// What the program writes beside what it prints without.
std::string graph_of(const std::string& program, const std::string& ending,
                     const std::string& arguments = "") {
  const TemporaryFolder folder;
  const std::string path = folder / ("graph." + ending);
  const Outcome outcome = run(program, arguments + " --graph " + path);
  BOOST_TEST(outcome.code == 0, program << ": " << outcome.err);
  BOOST_TEST(outcome.out == run(program, arguments).out);
  return contents(path);
}

void check_has(const std::string& graph, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    BOOST_TEST(graph.find(part) != graph.npos, part << " is not in\n" << graph);
}

BOOST_AUTO_TEST_SUITE(graph)

BOOST_AUTO_TEST_CASE(a_lookup) {
  BOOST_TEST(graph_of("attention_cues", "txt") ==
             R"(   value      shape   dtype    from  keeps  |gradient|  module
1  queries    (4, 3)  float32
2  keys       (3, 3)  float32
3  transpose  (3, 3)  float32  2
4  matmul     (4, 3)  float32  1 3   48 B
5  softmax    (4, 3)  float32  4     48 B
6  values     (3)     float32
7  matmul     (4)     float32  5 6
4 ops, 3 leaves of 24 numbers; 96 B kept for backward
)");
  check_has(
      graph_of("attention_cues", "dot"),
      {"digraph heed {\n", "  n0 [label=\"queries\\n(4, 3) float32\", shape=ellipse, ",
       "  n4 [label=\"softmax\\n(4, 3) float32\\nkeeps 48 B\"];\n", "  n3 -> n4;\n",
       "  n4 -> n6;\n", "  n5 -> n6;\n}\n"});
}

BOOST_AUTO_TEST_CASE(attention_with_parameters) {
  check_has(graph_of("self_attention", "txt"),
            {"\n1   x           (2, 3, 4)  float32\n",
             "\n4   linear      (2, 3, 5)  float32  1 2 3                       W_q\n",
             "\n11  softmax     (2, 3, 3)  float32  10       72 B\n",
             "\n15  bmm         (2, 3, 6)  float32  11 14    144 B\n",
             "\n8 ops, 7 leaves of 104 numbers; "});
  check_has(graph_of("additive_attention", "txt"),
            {"\n10  tanh         (2, 2, 6, 8)  float32  9      768 B\n",
             "\n12  linear       (2, 2, 6, 1)  float32  10 11                     w_v\n",
             "\n18  bmm          (2, 2, 4)     float32  16 17  96 B\n"});
  check_has(graph_of("multi_head_attention", "txt"),
            {"\n6   transpose                     (2, 4, 3, 2)  float32  5",
             "\n17  scaled_dot_product_attention  (2, 4, 3, 2)  float32  6 11 16",
             "\n22  linear                        (2, 3, 4)     float32  19 20 21"});
}

// Of a loss there are the norms of its gradients, of which the last digits depend on the
// processor.
BOOST_AUTO_TEST_CASE(losses) {
  check_has(graph_of("nw_kernel_regression", "txt"),
            {"\n1  w                   (1)         float32                  0.7",
             "\n2  gaussian_attention  (50, 1, 1)  float32  1     ",
             "\n6  sum                 ()          float32  5\n"});
  check_has(graph_of("causal_language_model", "txt"),
            {"\n1   tokens.weight                 (5, 16)       float32     ",
             " attention.wq\n", "\n36  div  "});
  check_has(graph_of("associative_recall", "txt",
                     "--steps 2 --attention multihead --threads 1"),
            {" attention.W_o\n", " readout\n", "\n22 ops, 6 leaves of 8596 numbers; "});
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_written_is_refused_first) {
  for (const std::string program :
       {"additive_attention", "associative_recall", "attention_cues",
        "causal_language_model", "multi_head_attention", "nw_kernel_regression",
        "self_attention"}) {
    const std::string begin = program + ": --graph: ";
    BOOST_TEST(check_refused(program, "--graph /dev/null/graph.dot") ==
               begin +
                   "/dev/null/graph.dot: cannot look at the older file: Not a "
                   "directory\n");
    BOOST_TEST(check_refused(program, "--graph graph.svg") ==
               begin + "the name must end in .dot or .txt, got graph.svg\n");
    BOOST_TEST(check_refused(program, "--graph \"$(printf 'a\\033.png')\"") ==
               begin + "the name must end in .dot or .txt, got \"a\\u001b.png\"\n");
    BOOST_TEST(check_refused(program, "--graph ''") ==
               begin +
                   "the name of the file is empty\nRun with --help for more "
                   "information.\n");
  }
  (void)check_refused("general_attention", "--graph graph.dot");
  BOOST_TEST(check_refused("char_lm", "train --out /dev/null/model --graph graph") ==
             "char_lm: --graph: the name must end in .dot or .txt, got graph\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
