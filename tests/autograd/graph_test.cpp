// The graph as text and as a drawing, and a backward pass in words.

#include <algorithm>
#include <string>

#include <boost/test/unit_test.hpp>

#include <heed.h>

#include "tests/autograd/checks.h"
#include "tests/errors.h"

using namespace heed;

namespace {

struct Block {
  nn::Linear first{2, 2}, second{2, 2};
  void visit(auto&& f) {
    f("first", first);
    f("second", second);
  }
};

struct Net {
  std::vector<Block> blocks = std::vector<Block>(1);
  nn::Linear head{2, 1};

  Variable operator()(const Variable& x) {
    const Variable h = tanh(blocks[0].first(x));
    return head(relu(blocks[0].second(h)));
  }
  void visit(auto&& f) {
    f("blocks", blocks);
    f("head", head);
  }
};

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(graphs)

// Two ways from x to y: x is drawn once, its gradient is the sum of what came by both.
BOOST_AUTO_TEST_CASE(a_diamond) {
  const Variable x(tensor({1.0, 2.0}, float64), true);
  const Variable y = sum(square(x) * exp(x * 0));
  BOOST_TEST(graph_text(y, {{"x", x}}) ==
             R"(   value   shape  dtype    from  keeps  |gradient|  module
1  x       (2)    float64
2  square  (2)    float64  1
3  mul     (2)    float64  1
4  exp     (2)    float64  3     16 B
5  mul     (2)    float64  2 4   16 B
6  sum     ()     float64  5
5 ops, 1 leaf of 2 numbers; 32 B kept for backward
)");
  BOOST_TEST(
      explain(y, {{"x", x}}) ==
      R"(Every op is given g, the gradient of its result, and gives its inputs theirs, by
its derivative. Its turn comes when all ops that use its result have had theirs.
1. sum (), g = 1
     dx = g, repeated
     input 0, 2. mul (2): [1, 1]
2. mul (2), g = [1, 1]
     da = g b,  db = g a
     input 0, 5. square (2): [1, 1]
     input 1, 3. exp (2): [1, 4]
3. exp (2), g = [1, 4]
     dx = g y
     input 0, 4. mul (2): [1, 4]
4. mul (2), g = [1, 4]
     da = g b
     input 0, 6. x (2): [0, 0]
5. square (2), g = [1, 1]
     dx = 2 g x
     input 0, 6. x (2): [2, 4]
6. x (2), g = [2, 4], the sum of what 4 and 5 gave: the derivative by x
)");
  // Nothing was freed, and no gradient left.
  BOOST_TEST(!x.has_grad());
  y.backward();
  BOOST_TEST(
      graph_text(y, {{"x", x}}).find("1  x       (2)    float64               4.472") !=
          std::string::npos,
      graph_text(y, {{"x", x}}));
}

// Gradients of slices are added in place, but not unseen.
BOOST_AUTO_TEST_CASE(two_slices_of_one_value) {
  const Variable x(tensor({1.0, 2.0, 3.0}, float64), true);
  const Variable h = x + 1;
  const std::string text = explain(sum(slice(h, 0, 0, 2)) + sum(slice(h, 0, 1, 3)));
  BOOST_TEST(text.find("6. add (3), g = [1, 2, 1], the sum of what 3 and 5 gave\n") !=
             text.npos);
  BOOST_TEST(text.find("input 0, 6. add (3): [0, 1, 1]\n") != text.npos);
  BOOST_TEST(text.find("input 0, 6. add (3): [1, 1, 0]\n") != text.npos);
}

BOOST_AUTO_TEST_CASE(a_broadcast) {
  const Variable x(ones({3, 2}), true), b(tensor({1.0, 2.0}), true);
  const std::string text = explain(sum(x + b), {{"x", x}, {"b", b}});
  BOOST_TEST(
      text.find("input 1, 3. b (2): [[1, 1], [1, 1], [1, 1]], of shape (3, 2), which "
                "is summed to (2): the op had broadcast its input\n") != text.npos,
      text);
  BOOST_TEST(text.find("3. b (2), g = [3, 3]: the derivative by b\n") != text.npos, text);
}

BOOST_AUTO_TEST_CASE(a_fused_op_is_one_node) {
  const Variable q(randn({1, 3, 4}), true), k(randn({1, 5, 4}), true);
  const Variable y = sum(nn::scaled_dot_product_attention(q, k, k));
  const std::string text = graph_text(y, {{"q", q}, {"k", k}});
  BOOST_TEST(text.find("\n3  scaled_dot_product_attention  (1, 3, 4)  float32  1 2 2") !=
                 text.npos,
             text);
  BOOST_TEST(graph_dot(y).find("n2 [label=\"scaled_dot_product_attention\\n(1, 3, 4) "
                               "float32\\nkeeps ") != std::string::npos,
             graph_dot(y));
  BOOST_TEST(occurrences(graph_dot(y), "n1 -> n2;") == 2);  // keys and values
  BOOST_TEST(
      explain(y).find("2. scaled_dot_product_attention (1, 3, 4), g = norm 3.464\n") !=
      std::string::npos);
}

BOOST_AUTO_TEST_CASE(ops_stand_in_their_modules) {
  Net net;
  const Variable y = sum(net(ones({4, 2})));
  const NamedVariables names = nn::named_parameters(net);
  BOOST_TEST(
      graph_text(y, names) ==
      R"(    value                   shape   dtype    from    keeps  |gradient|  module
1   blocks.0.first.weight   (2, 2)  float32                             blocks.0.first
2   blocks.0.first.bias     (2)     float32                             blocks.0.first
3   linear                  (4, 2)  float32  1 2     32 B               blocks.0.first
4   tanh                    (4, 2)  float32  3       32 B               blocks.0
5   blocks.0.second.weight  (2, 2)  float32                             blocks.0.second
6   blocks.0.second.bias    (2)     float32                             blocks.0.second
7   linear                  (4, 2)  float32  4 5 6                      blocks.0.second
8   relu                    (4, 2)  float32  7       32 B
9   head.weight             (1, 2)  float32                             head
10  head.bias               (1)     float32                             head
11  linear                  (4, 1)  float32  8 9 10                     head
12  sum                     ()      float32  11
6 ops, 6 leaves of 15 numbers; 96 B kept for backward
)");
  const std::string dot = graph_dot(y, names);
  BOOST_TEST(
      dot.find("  subgraph \"cluster_blocks\" {\n    label=\"blocks\";\n    subgraph "
               "\"cluster_blocks.0\" {") != dot.npos,
      dot);
  BOOST_TEST(occurrences(dot, "subgraph") == 5);
  BOOST_TEST(occurrences(dot, " -> ") == 11);
  BOOST_TEST(occurrences(dot, "shape=ellipse") == 6);
}

// An input that has a name is outside of the modules that take it.
BOOST_AUTO_TEST_CASE(inputs_with_names) {
  Block block;
  const Variable x(ones({4, 2}), true);
  NamedVariables names = nn::named_parameters(block);
  names.emplace_back("x", x);
  const std::string text = graph_text(sum(block.first(x)), names);
  BOOST_TEST(text.find("\n1  x             (4, 2)  float32\n") != text.npos, text);
  BOOST_TEST(text.find("\n4  linear        (4, 2)  float32  1 2 3                     "
                       "first\n") != text.npos,
             text);
}

BOOST_AUTO_TEST_CASE(large_graphs_are_folded) {
  Net net;
  const Variable y = sum(net(ones({4, 2})));
  const NamedVariables names = nn::named_parameters(net);
  BOOST_TEST(graph_text(y, names, {.max_nodes = 9}) ==
             R"(   value            shape   dtype    from   keeps  |gradient|  module
1  blocks.0.first   (4, 2)  float32         32 B               1 op, 2 leaves of 6 numbers
2  tanh             (4, 2)  float32  1      32 B               blocks.0
3  blocks.0.second  (4, 2)  float32  2                         1 op, 2 leaves of 6 numbers
4  relu             (4, 2)  float32  3      32 B
5  head.weight      (1, 2)  float32                            head
6  head.bias        (1)     float32                            head
7  linear           (4, 1)  float32  4 5 6                     head
8  sum              ()      float32  7
6 ops, 6 leaves of 15 numbers; 96 B kept for backward
)");
  const std::string folded = graph_text(y, names, {.max_nodes = 1});
  BOOST_TEST(std::count(folded.begin(), folded.end(), '\n') == 1 + 4 + 1, folded);
  // A thousand ops in forty modules.
  std::vector<nn::Linear> layers;
  for (int i = 0; i < 40; ++i) layers.emplace_back(2, 2);
  Variable x = ones({1, 2});
  for (const nn::Linear& layer : layers) {
    x = layer(x);
    for (int i = 0; i < 24; ++i) x = x * layer.bias;
  }
  NamedVariables all;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    for (const auto& [name, p] : nn::named_parameters(layers[i])) {
      all.emplace_back(fmt::format("layers.{}.{}", i, name), p);
    }
  }
  const std::string dot = graph_dot(x, all);
  BOOST_TEST(occurrences(dot, "[label=") == 40);
  BOOST_TEST(occurrences(dot, " -> ") == 39);
  BOOST_TEST(occurrences(graph_dot(x), "[label=") == 40 * 27);
}

// Names come from anywhere. None of them ends a string of Graphviz.
BOOST_AUTO_TEST_CASE(names_are_text) {
  const Variable x = leaf(1);
  const NamedVariables names = {{"a\"]; n9 [label=\"b\\\n\x1b[31m.w", x}};
  const std::string dot = graph_dot(square(x), names);
  BOOST_TEST(dot.find(R"(label="a\"]; n9 [label=\"b\\\\n\\u001b[31m.w\n() float64")") !=
                 dot.npos,
             dot);
  BOOST_TEST(dot.find('\x1b') == dot.npos);
  BOOST_TEST(graph_text(square(x), names).find('\x1b') == std::string::npos);
  BOOST_TEST(explain(square(x), names).find('\x1b') == std::string::npos);
}

// A view keeps the whole storage, and several views keep it once.
BOOST_AUTO_TEST_CASE(views_keep_their_storage) {
  const Tensor data = ones({8}, float64);
  const Variable x(ones({2}, float64), true), y(ones({3, 8}, float64), true);
  const auto ends_with = [](const Variable& v, const char* text) {
    const std::string all = graph_text(v);
    BOOST_TEST(all.ends_with(text), all);
  };
  ends_with(x * slice(data, 0, 0, 2), "; 64 B kept for backward\n");
  ends_with(y * expand(data, {3, 8}), "; 64 B kept for backward\n");
  ends_with(x * slice(data, 0, 0, 2) * slice(data, 0, 4, 6),
            "; 64 B kept for backward\n");
}

BOOST_AUTO_TEST_CASE(what_has_no_graph) {
  const std::string why =
      ": the value has no graph: no Variable with requires_grad took part, or NoGrad was "
      "in "
      "force";
  BOOST_TEST(error_of([] { (void)graph_text(Variable(ones({}))); }) ==
             "graph_text" + why);
  BOOST_TEST(error_of([] { (void)graph_dot(Variable(ones({}))); }) == "graph_dot" + why);
  BOOST_TEST(error_of([] { (void)explain(Variable(ones({}))); }) == "explain" + why);
  const Variable x(ones({2}), true);
  BOOST_TEST(error_of([&] { (void)explain(x * 2); }) ==
             "explain: the value must have one element, got the shape (2)");
  // A leaf alone is a graph.
  BOOST_TEST(explain(leaf(1)).ends_with("\n1. leaf (), g = 1: the derivative by leaf\n"));
  // A graph that was freed says so, in the same words as backward.
  const Variable y = sum(square(x));
  y.backward();
  BOOST_TEST(error_of([&] {
               (void)explain(y);
             }).starts_with("backward: the graph behind sum was freed"));
  BOOST_TEST(graph_text(y).find("0 B kept") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
