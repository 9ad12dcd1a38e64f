#include "examples/char_lm/corpus.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "examples/support/file.h"
#include "examples/support/input_error.h"
#include "examples/support/utf8.h"
#include "examples/training/hash.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"
#include "tensor/core/views.h"
#include "tensor/elementwise/elementwise.h"
#include "tensor/indexing/indexing.h"

namespace heed::char_lm {
namespace {

namespace fs = std::filesystem;
using namespace heed::support;

// 'é' (U+00E9); what is not printable by number alone.
std::string name_of(char32_t code) {
  const std::string number = fmt::format("U+{:04X}", static_cast<std::uint32_t>(code));
  const std::string character = to_utf8(code);
  if (printable(character) != character) return number;
  return fmt::format("'{}' ({})", character, number);
}

}  // namespace

std::string heed_sources(const std::string& root) {
  const fs::path folder = root;
  std::vector<std::string> paths = {folder / "README.md", folder / "heed.h"};
  std::error_code error;
  for (const char* part :
       {"autograd", "benchmarks", "examples", "nn", "optim", "tensor", "tests"}) {
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
  for (const std::string& path : paths) text += read_file(path, "a source file");
  return text;
}

Vocabulary::Vocabulary(std::u32string_view text) {
  const std::set<char32_t> characters(text.begin(), text.end());
  characters_.assign(characters.begin(), characters.end());
}

std::vector<std::int64_t> Vocabulary::encode(std::u32string_view text,
                                             std::string_view source) const {
  std::vector<std::int64_t> numbers;
  std::set<std::string> unknown;
  for (const char32_t code : text) {
    const auto at = std::lower_bound(characters_.begin(), characters_.end(), code);
    if (at == characters_.end() || *at != code) {
      unknown.insert(name_of(code));
    } else {
      numbers.push_back(at - characters_.begin());
    }
  }
  if (!unknown.empty()) {
    input_error("{}: the text that the model has learnt has no {}", source,
                fmt::join(unknown, ", "));
  }
  return numbers;
}

Corpus::Corpus(std::string_view text, std::string from)
    : source(std::move(from)), vocabulary(U"") {
  if (text.empty()) input_error("{}: is empty; there is nothing to learn", source);
  const std::u32string codes = from_utf8(text, source);
  fingerprint =
      fmt::format("{} characters, hash {:016x}", codes.size(), training::hash(text));
  vocabulary = Vocabulary(codes);
  const Tensor all = from_vector(vocabulary.encode(codes, source));
  const std::int64_t learnt = all.numel() * 9 / 10;
  train = slice(all, 0, 0, learnt);
  validation = slice(all, 0, learnt);
}

Corpus read_corpus(const std::optional<std::string>& path) {
  if (!path) return Corpus(heed_sources(HEED_SOURCE_ROOT), "heed's sources");
  return Corpus(read_file(*path, "a file of text"), *path);
}

Batch pieces(const Tensor& part, const Tensor& offsets, std::int64_t length) {
  const Tensor places =
      unsqueeze(offsets, 1) + arange(length + 1);  // (pieces, length + 1)
  const Tensor numbers = reshape(index_select(part, 0, flatten(places)), places.shape());
  return {slice(numbers, 1, 0, length), slice(numbers, 1, 1)};
}

Batch random_pieces(const Tensor& part, std::int64_t count, std::int64_t length,
                    Generator& generator) {
  return pieces(part, randint(part.numel() - length, {count}, generator), length);
}

}  // namespace heed::char_lm
