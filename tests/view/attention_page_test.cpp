// The file of the attention page: its weights, its texts, and what is refused.
// attention_page_browser.py opens such pages in a browser.
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/format.h>

#include <heed.h>

#include "tests/errors.h"
#include "tests/support/folder.h"
#include "tests/support/limits.h"
#include "tests/view/page_file.h"

using namespace heed;

namespace {

using viz::PageFile;
using Tokens = std::vector<std::string>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Tokens tokens(std::int64_t count) {
  Tokens names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back(fmt::format("t{}", i));
  return names;
}

// The page of one map, written and read again.
PageFile page_of(const Tensor& weights, const Tokens& queries,
                 const viz::AttentionPageOptions& options = {}) {
  const support::TemporaryFolder folder;
  viz::attention_page(folder / "page.html", queries, {{"layer", weights}}, options);
  return PageFile(folder / "page.html");
}

// The message of the Error of a page that cannot be written.
std::string refused(const Tensor& weights, const Tokens& queries,
                    const viz::AttentionPageOptions& options = {}) {
  return error_of([&] { (void)page_of(weights, queries, options); });
}

// Tests that the codes are those of the weights in row-major order.
void check_codes(const PageFile& page, const Tensor& weights) {
  const std::vector<float> expected = weights.to(float32).to_vector<float>();
  BOOST_TEST_REQUIRE(page.codes.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double stored = page.codes[i] / 65534.0;
    BOOST_TEST(std::abs(stored - static_cast<double>(expected[i])) <= 0.51 / 65534);
  }
}

BOOST_AUTO_TEST_SUITE(attention_page)

BOOST_AUTO_TEST_CASE(the_weights_come_back_within_a_quantum) {
  manual_seed(0);
  const Tensor weights = softmax(3 * randn({2, 3, 4, 4}), -1);
  const PageFile page = page_of(weights, tokens(4));
  check_codes(page, weights[0]);
  BOOST_TEST(page.data["maps"].dump() ==
             R"([{"heads":3,"keys":0,"layout":"all","path":"layer","queries":0}])");
  BOOST_TEST(page.data["kept"] == 0);
  BOOST_TEST(page.data["title"] == "Attention");
  BOOST_TEST(page.data["texts"].dump() == R"([["t0","t1","t2","t3"]])");
  check_codes(page_of(weights, tokens(4), {.batch = 1}), weights[1]);
  check_codes(page_of(weights.to(float64), tokens(4)), weights[0]);
  check_codes(page_of(transpose(weights, 2, 3), tokens(4)), transpose(weights, 2, 3)[0]);
}

BOOST_AUTO_TEST_CASE(weights_without_heads_are_one_head) {
  manual_seed(0);
  const Tensor weights = softmax(randn({2, 3, 3}), -1);
  for (const Tensor& given : {weights, weights[1], unsqueeze(unsqueeze(weights, 1), 0)}) {
    const PageFile page = page_of(given, tokens(3), {.batch = given.dim() == 2 ? 0 : 1});
    BOOST_TEST(page.data["maps"][0]["heads"] == 1);
    check_codes(page, weights[1]);
  }
}

BOOST_AUTO_TEST_CASE(of_causal_weights_only_the_lower_triangle_is_kept) {
  const Tensor weights = tensor({{1.0, 0.0, 0.0}, {0.25, 0.75, 0.0}, {0.5, 0.0, 0.5}});
  const PageFile page = page_of(weights, tokens(3));
  BOOST_TEST(page.data["maps"][0]["layout"] == "lower");
  const std::vector<unsigned> expected = {65534, 16384, 49151, 32767, 0, 32767};
  BOOST_TEST(page.codes == expected, boost::test_tools::per_element());
  // One weight above the diagonal, in one of the snapshots, and all are kept.
  Tensor other = weights.clone();
  other.set({0, 2}, 1e-9);
  const support::TemporaryFolder folder;
  viz::attention_page(folder / "page.html", tokens(3),
                      {{"a", {{"layer", weights}}}, {"b", {{"layer", other}}}});
  BOOST_TEST(PageFile(folder / "page.html").codes.size() == 18u);
  // The triangle means something only within one text.
  const PageFile cross = page_of(
      weights, tokens(3),
      {.source = tokens(3), .reads = [](std::string_view) { return viz::Reads::cross; }});
  BOOST_TEST(cross.data["maps"][0]["layout"] == "all");
}

BOOST_AUTO_TEST_CASE(nan_has_a_code_of_its_own) {
  const PageFile page = page_of(tensor({{nan, 1.0}, {0.0, 1.0}}), tokens(2));
  const std::vector<unsigned> expected = {65535, 65534, 0, 65534};
  BOOST_TEST(page.codes == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_many_weights_the_largest_of_each_row_are_kept) {
  const std::int64_t n = 3000;
  manual_seed(0);
  Tensor row = softmax(3 * randn({n}), 0);
  row.set({2}, nan);
  const PageFile page = page_of(expand(row, {n, n}), tokens(n));
  BOOST_TEST(page.data["maps"][0]["layout"] == "largest");
  const std::size_t kept = page.data["kept"];
  BOOST_TEST(kept == 1333u);  // 8 million / (2 rows)
  BOOST_TEST_REQUIRE(page.codes.size() == 2 * kept * n);
  const auto [values, indices] = sort(row, 0, true);  // NaN first, as in PyTorch
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t pair = 2 * (kept * (n - 1) + i);  // in the last row
    BOOST_TEST(page.codes[pair] == indices.at({i}));
    const double expected = i == 0 ? 65535 : std::round(values.at({i}) * 65534);
    BOOST_TEST(page.codes[pair + 1] == expected);
  }
}

BOOST_AUTO_TEST_CASE(a_model_of_four_layers_has_a_small_page) {
  manual_seed(0);
  nn::Gpt model(
      {.vocab_size = 9, .block_size = 64, .n_layer = 4, .n_head = 4, .n_embd = 16});
  nn::keep_weights(model);
  (void)model(randint(0, 9, {1, 64}));
  const support::TemporaryFolder folder;
  const std::string path = folder / "page.html";
  viz::attention_page(path, tokens(64), nn::attention_maps(model));
  BOOST_TEST(std::filesystem::file_size(path) < 150'000u);
}

BOOST_AUTO_TEST_CASE(tokens_are_text) {
  const Tokens hostile = {"</script><script>alert(1)</script>",
                          "\"\\'",
                          "\n\x1b\u2028",
                          " a b ",
                          "",
                          "<!--",
                          "@DATA@@WEIGHTS@"};
  const PageFile page =
      page_of(ones({7, 7}) / 7, hostile, {.title = hostile[0], .note = hostile[1]});
  const Tokens shown = {hostile[0], hostile[1], "\\n\\u001b\\u2028", "␣a b␣",
                        "\"\"",     hostile[5], hostile[6]};
  BOOST_TEST(page.data["texts"][0].get<Tokens>() == shown,
             boost::test_tools::per_element());
  BOOST_TEST(page.data["title"] == hostile[0]);
  BOOST_TEST(page.data["note"] == hostile[1]);
  BOOST_TEST(page.text.find("alert(1)<") == page.text.npos);
  BOOST_TEST(page.text.find("Content-Security-Policy\" content=\"default-src 'none'; ") !=
             page.text.npos);
  for (const char* request : {"http:", "https:", "url(", "import(", "fetch("}) {
    BOOST_TEST(page.text.find(request) == page.text.npos, request);
  }
}

BOOST_AUTO_TEST_CASE(what_an_attention_reads_is_in_its_path_or_its_sizes) {
  using viz::Reads;
  const auto by_path = [](const char* path, Reads reads) {
    BOOST_TEST((viz::reads_by_path(path) == reads), path);
  };
  by_path("", Reads::tokens);
  by_path("transformer.h.0.attn", Reads::tokens);
  by_path("encoder.layers.0.self_attn", Reads::source);
  by_path("net.encoder", Reads::source);
  by_path("text_encoder_0.attn", Reads::tokens);
  by_path("decoder.layers.0.self_attn", Reads::tokens);
  by_path("decoder.layers.0.multihead_attn", Reads::cross);
  by_path("blocks.2.cross_attention", Reads::cross);

  const auto texts = [](const Tensor& weights, viz::AttentionPageOptions options) {
    const nlohmann::json map = page_of(weights, tokens(2), options).data["maps"][0];
    return fmt::format("{}{}", map["queries"].get<int>(), map["keys"].get<int>());
  };
  // Where the sizes leave no choice, they decide.
  const Tokens source = tokens(3);
  BOOST_TEST(texts(ones({2, 2}) / 2, {.source = source}) == "00");
  BOOST_TEST(texts(ones({2, 3}) / 3, {.source = source}) == "01");
  BOOST_TEST(texts(ones({3, 3}) / 3, {.source = source}) == "11");
  // With texts of equal length it is the path, or the option.
  const auto is_cross = [](std::string_view path) {
    return path == "layer" ? Reads::cross : Reads::tokens;
  };
  BOOST_TEST(texts(ones({2, 2}) / 2, {.source = tokens(2)}) == "00");
  BOOST_TEST(texts(ones({2, 2}) / 2, {.source = tokens(2), .reads = is_cross}) == "01");
  BOOST_TEST(
      refused(ones({2, 2}) / 2, tokens(2), {.source = source, .reads = is_cross}) ==
      "attention_page: the last two sizes of layer's weights must be numbers of "
      "tokens, of which the text has 2 and the source 3, got (2, 2)");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_shown_is_refused) {
  const Tensor fine = ones({2, 2}) / 2;
  BOOST_TEST(refused(fine, {}) ==
             "attention_page: the text must have from 1 to 65535 tokens, got 0");
  BOOST_TEST(refused(fine, tokens(65536)) ==
             "attention_page: the text must have from 1 to 65535 tokens, got 65536");
  BOOST_TEST(refused(fine, tokens(3)) ==
             "attention_page: the last two sizes of layer's weights must be numbers of "
             "tokens, of which the text has 3 and the source 0, got (2, 2)");
  BOOST_TEST(refused(Tensor(), tokens(2)) ==
             "attention_page: the weights of layer are undefined");
  const std::string kinds =
      "attention_page: the weights of layer must be numbers (batch, heads, n, m), "
      "(batch, "
      "n, m) or (n, m), got ";
  BOOST_TEST(refused(ones({2}), tokens(2)) == kinds + "float32 (2)");
  BOOST_TEST(refused(eye(2, int64), tokens(2)) == kinds + "int64 (2, 2)");
  BOOST_TEST(refused(zeros({0, 2, 2}), tokens(2)) == kinds + "float32 (0, 2, 2)");
  BOOST_TEST(refused(fine, tokens(2), {.batch = 1}) ==
             "attention_page: batch must be from 0 to 0, the last of layer's sequences, "
             "got 1");
  BOOST_TEST(refused(4 * fine, tokens(2)) ==
             "attention_page: weights must be from 0 to 1, or NaN, got 2 in layer");
  BOOST_TEST(refused(fine - 1, tokens(2)) ==
             "attention_page: weights must be from 0 to 1, or NaN, got -0.5 in layer");
  BOOST_TEST(refused(fine * std::numeric_limits<double>::infinity(), tokens(2)) ==
             "attention_page: weights must be from 0 to 1, or NaN, got inf in layer");
  BOOST_TEST(refused(expand(fine, {300'000, 2, 2}).unsqueeze(0), tokens(2)) ==
             "attention_page: a page has room for 524288 rows of weights, queries times "
             "heads times snapshots, got 600000; show fewer of them");
  const std::vector<nn::AttentionMap> none;
  BOOST_TEST(error_of([&] { viz::attention_page("never.html", tokens(2), none); }) ==
             "attention_page: there must be a map of weights to show, got none");
}

BOOST_AUTO_TEST_CASE(snapshots_have_the_same_maps) {
  const Tensor fine = ones({2, 2}) / 2;
  const auto message = [&](const std::vector<nn::AttentionMap>& second) {
    return error_of([&] {
      viz::attention_page("never.html", tokens(2),
                          {{"first", {{"layer", fine}}}, {"step\n2", second}});
    });
  };
  const std::string same = "attention_page: all snapshots must have the same maps, got ";
  BOOST_TEST(message({}) == same + "1 in first and 0 in \"step\\n2\"");
  BOOST_TEST(message({{"other", fine}}) ==
             same + "layer (2, 2) in first and other (2, 2) in \"step\\n2\"");
  BOOST_TEST(message({{"layer", stack({fine, fine}).unsqueeze(0)}}) ==
             same + "layer (2, 2) in first and layer (1, 2, 2, 2) in \"step\\n2\"");
}

BOOST_AUTO_TEST_CASE(a_file_is_whole_or_as_it_was) {
  const support::TemporaryFolder folder;
  const std::string path = folder / "page.html";
  const std::vector<nn::AttentionMap> fine = {{"layer", ones({2, 2}) / 2}};
  viz::attention_page(path, tokens(2), fine);
  const std::string before = PageFile(path).text;
  BOOST_TEST(before.ends_with("</html>\n"));
  BOOST_TEST(error_of([&] { viz::attention_page(path, tokens(3), fine); }) != "no error");
  {
    const support::FileLimit full(4096);
    BOOST_TEST(error_of([&] { viz::attention_page(path, tokens(2), fine); }) ==
               "attention_page: " + path + ": cannot write: File too large");
  }
  BOOST_TEST(PageFile(path).text == before);
  BOOST_TEST(error_of([&] {
               viz::attention_page(folder / "none/page.html", tokens(2), fine);
             }) == "attention_page: " + (folder / "none/page.html") +
                       ": cannot open the folder: No such file or directory");
  BOOST_TEST(error_of([&] {
               viz::attention_page(folder / "", tokens(2), fine);
             }).starts_with("attention_page: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
