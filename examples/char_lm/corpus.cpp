#include "examples/char_lm/corpus.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "data/file.h"
#include "examples/support/input_error.h"
#include "examples/training/hash.h"
#include "tensor/core/views.h"

namespace heed::char_lm {
namespace {

namespace fs = std::filesystem;
using namespace heed::support;

}  // namespace

std::string heed_sources(const std::string& root) {
  const fs::path folder = root;
  std::vector<std::string> paths = {folder / "README.md", folder / "heed.h"};
  std::error_code error;
  for (const char* part : {"autograd", "benchmarks", "data", "examples", "nn", "optim",
                           "tensor", "tests", "view"}) {
    for (fs::recursive_directory_iterator at(folder / part, error), end;
         !error && at != end; at.increment(error)) {
      const fs::path ending = at->path().extension();
      if (ending == ".h" || ending == ".cpp" || ending == ".md") {
        paths.push_back(at->path());
      }
    }
    if (error) break;
  }
  if (error || !fs::exists(paths.front())) {
    input_error("heed's sources are no longer in {}: give a text with --text", root);
  }
  std::sort(paths.begin(), paths.end());
  std::string text;
  for (const std::string& path : paths) {
    text += from_user([&] { return data::read_file(path, "a source file"); });
  }
  return text;
}

Corpus::Corpus(std::string_view text, std::string from)
    : source(std::move(from)), vocabulary(U"") {
  if (text.empty()) input_error("{}: is empty; there is nothing to learn", source);
  const std::u32string codes = from_user([&] { return data::from_utf8(text, source); });
  fingerprint =
      fmt::format("{} characters, hash {:016x}", codes.size(), training::hash(text));
  vocabulary = data::Vocabulary(codes);
  const Tensor all = vocabulary.encode(codes, source);  // (characters)
  const std::int64_t learnt = all.numel() * 9 / 10;
  train = slice(all, 0, 0, learnt);
  validation = slice(all, 0, learnt);
}

Corpus read_corpus(const std::optional<std::string>& path) {
  if (!path) return Corpus(heed_sources(HEED_SOURCE_ROOT), "heed's sources");
  return Corpus(from_user([&] { return data::read_file(*path, "a file of text"); }),
                *path);
}

}  // namespace heed::char_lm
