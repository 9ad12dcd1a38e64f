// Who may include whom: tensor <- autograd <- nn <- view and autograd <- optim <- view,
// the subfolders of tensor, BLIS in one file, JSON and zlib in others, and public headers
// that need nothing but the standard library, fmt and one another.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include "tests/tree/tree.h"

namespace {

using namespace heed::tree;

// The layers that each layer may include.
const std::map<std::string, std::set<std::string>> layers = {
    {"tensor", {"tensor"}},
    {"autograd", {"tensor", "autograd"}},
    {"nn", {"tensor", "autograd", "nn"}},
    {"optim", {"tensor", "autograd", "optim"}},
    {"data", {"tensor", "data"}},
    {"view", {"tensor", "autograd", "nn", "optim", "view"}},
};

// The subfolders of tensor/ that each of them may include, besides itself.
const std::map<std::string, std::set<std::string>> subfolders = {
    {"core", {"kernels"}},
    {"kernels", {"core", "product"}},
    {"indexing", {"core"}},
    {"elementwise", {"core", "kernels"}},
    {"reduce", {"core", "kernels", "indexing", "elementwise"}},
    {"product", {"core", "kernels"}},
    {"random", {"core", "kernels", "elementwise", "reduce"}},
    {"attention", {"core", "kernels", "elementwise", "reduce", "product"}},
};

// "core" of "tensor/core/shape.h"; "" of what stands in no subfolder of tensor/.
std::string subfolder(const std::string& path) {
  if (!path.starts_with("tensor/")) return "";
  return folder(path.substr(path.find('/') + 1));
}

bool is_layer(const std::string& name) { return layers.contains(name); }

bool is_public_header(const std::string& path) { return public_headers().contains(path); }

// The standard library's headers are plain words; C's and the system's end in ".h".
bool is_standard(const Include& include) {
  return include.angled && include.name.find_first_of("./") == std::string::npos;
}

// What is wrong with the includes of one file.
std::vector<std::string> violations(const File& file) {
  std::vector<std::string> found;
  const std::string layer = folder(file.path);
  for (const Include& include : includes(file)) {
    const auto report = [&](const std::string& rule) {
      found.push_back(fmt::format("{}:{}: includes {}: {}", file.path, include.line,
                                  include.name, rule));
    };
    if (is_layer(layer) && !include.angled &&
        !layers.at(layer).contains(folder(include.name))) {
      report(layer + " may not know this file");
    }
    const std::string from = subfolder(file.path), to = subfolder(include.name);
    if (!from.empty() && !to.empty() && from != to && !subfolders.at(from).contains(to)) {
      report("tensor/" + from + " may not know this folder");
    }
    if (include.name.find("blis") != std::string::npos && include.angled &&
        file.path != "tensor/product/blis.cpp") {
      report("BLIS belongs to tensor/product/blis.cpp");
    }
    if (is_layer(layer) && include.name.starts_with("nlohmann/") &&
        file.path != "nn/state/safetensors_header.cpp") {
      report("JSON belongs to nn/state/safetensors_header.cpp");
    }
    if (is_layer(layer) && include.angled && include.name == "zlib.h" &&
        file.path != "data/file.cpp") {
      report("zlib belongs to data/file.cpp");
    }
    if (is_public_header(file.path) && !is_standard(include) &&
        include.name != "fmt/core.h" && !is_public_header(include.name)) {
      report("not for a public header");
    }
  }
  return found;
}

std::vector<std::string> violations(const std::string& path, const std::string& text) {
  return violations(File{path, split(text)});
}

BOOST_AUTO_TEST_SUITE(who_may_include_whom)

BOOST_AUTO_TEST_CASE(the_rules_find_what_breaks_them) {
  BOOST_TEST(violations("nn/linear.cpp", "#include <vector>\n#include \"nn/linear.h\"\n")
                 .empty());
  const std::vector<std::string> upwards =
      violations("tensor/core/views.cpp", "\n#include \"autograd/views.h\"\n");
  BOOST_TEST_REQUIRE(upwards.size() == 1u);
  BOOST_TEST(upwards[0] ==
             "tensor/core/views.cpp:2: includes autograd/views.h: tensor may not "
             "know this file");
  BOOST_TEST(violations("nn/linear.cpp", "#include \"optim/sgd.h\"").size() == 1u);
  BOOST_TEST(violations("optim/sgd.cpp", "# include \"nn/visit.h\"").size() == 1u);
  BOOST_TEST(violations("optim/sgd.cpp", "#include \"sgd.h\"").size() == 1u);
  const std::string reduce = "#include \"tensor/reduce/reductions.h\"";
  BOOST_TEST(violations("tensor/core/shape.cpp", reduce).size() == 1u);
  BOOST_TEST(violations("tensor/reduce/softmax.cpp", reduce).empty());
  BOOST_TEST(violations("tensor/attention/attention.cpp", reduce).empty());
  BOOST_TEST(violations("tensor/product/matmul.cpp", "#include <blis.h>").size() == 1u);
  BOOST_TEST(violations("tensor/product/blis.cpp", "#include <blis.h>").empty());
  const std::string json = "#include <nlohmann/json.hpp>";
  BOOST_TEST(violations("nn/visit.cpp", json).size() == 1u);
  BOOST_TEST(violations("nn/state/safetensors_header.cpp", json).empty());
  BOOST_TEST(violations("tests/golden/case.cpp", json).empty());
  BOOST_TEST(
      violations("tensor/core/views.h", "#include \"tensor/core/parallel.h\"").size() ==
      1u);
  BOOST_TEST(violations("tensor/core/views.h", "#include <sched.h>").size() == 1u);
  BOOST_TEST(violations("tensor/core/views.h", "#include <fmt/ranges.h>").size() == 1u);
  BOOST_TEST(violations("tensor/core/views.h", "#include <fmt/core.h>").empty());
}

BOOST_AUTO_TEST_CASE(every_file_keeps_them) {
  const std::string found = findings(read_tree(), violations);
  BOOST_TEST(found == "");
}

// heed.h and the lists of what is installed name the same headers.
BOOST_AUTO_TEST_CASE(heed_h_includes_what_is_installed) {
  std::set<std::string> installed = {"heed.h"};
  for (const auto& [layer, known] : layers) installed.merge(listed_files(layer, ".h"));
  for (const std::string& header : installed) {
    BOOST_TEST(is_public_header(header), header << " is installed, but not in heed.h");
  }
  for (const std::string& header : public_headers()) {
    BOOST_TEST(installed.contains(header), header << " is in heed.h, but not installed");
  }
}

// A source that no meson.build names would never be compiled, nor a test be run.
BOOST_AUTO_TEST_CASE(every_source_and_test_is_built) {
  std::set<std::string> listed = listed_files("tests", ".cpp");
  for (const auto& [layer, known] : layers) listed.merge(listed_files(layer, ".cpp"));
  for (const File& file : read_tree({".cpp"})) {
    if (is_layer(folder(file.path)) || file.path.ends_with("_test.cpp")) {
      BOOST_TEST(listed.contains(file.path), file.path << " is in no meson.build");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
