#include "view/attention_page.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "nn/state/atomic_file.h"
#include "tensor/core/error.h"
#include "tensor/core/text.h"
#include "tensor/core/views.h"
#include "view/attention_page/page.h"
#include "view/attention_page/weights.h"

namespace heed::viz {
namespace {

using detail::Layout;

constexpr std::int64_t most_weights = 8'000'000;  // in 16 bits each: 16 MB
constexpr std::int64_t most_tokens = 65'535;      // below the code of NaN, in 16 bits
constexpr std::int64_t most_rows = 524'288;       // 7 pairs of column and weight in each

using Texts =
    std::vector<std::vector<std::string>>;  // the tokens and, if any, the source

// One map of the page, in all snapshots.
struct Map {
  std::string name;
  std::vector<Tensor> weights;        // of each snapshot: (heads, n, m)
  std::size_t queries = 0, keys = 0;  // which of the texts they are
  Layout layout = Layout::all;

  std::int64_t heads() const { return weights[0].size(0); }
  std::int64_t n() const { return weights[0].size(1); }
  std::int64_t m() const { return weights[0].size(2); }
};

// --- texts

// The token with ␣ for a space at its beginning or end, where none would be seen.
std::string shown_token(const std::string& token) {
  if (token.empty()) return "\"\"";
  const std::size_t first = std::min(token.find_first_not_of(' '), token.size());
  const std::size_t after = token.find_last_not_of(' ') + 1;  // 0 if all are spaces
  std::string shown;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (i < first || i >= after) {
      shown += "␣";
    } else {
      shown += token[i];
    }
  }
  return shown;
}

std::vector<std::string> shown_tokens(const char* name,
                                      const std::vector<std::string>& tokens) {
  const auto count = static_cast<std::int64_t>(tokens.size());
  check(1 <= count && count <= most_tokens,
        "attention_page: {} must have from 1 to {} tokens, got {}", name, most_tokens,
        count);
  std::vector<std::string> shown;
  for (const std::string& token : tokens) shown.push_back(shown_token(token));
  return shown;
}

// A text in JSON (RFC 8259), without <, which could end the element of HTML around it.
std::string json(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '<') {
      quoted += "\\u003c";
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

template <class Items, class Write>
std::string json_list(const Items& items, Write&& write) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "" : ",") + write(item);
  return "[" + list + "]";
}

// --- maps

std::string name_of(const nn::AttentionMap& map) {
  return map.path.empty() ? "attention" : printable(map.path);
}

// (heads, n, m) of one of the batch's sequences.
Tensor weights_of(const nn::AttentionMap& map, std::int64_t batch) {
  check(map.weights.defined(), "attention_page: the weights of {} are undefined",
        [&] { return name_of(map); });
  const Tensor& weights = map.weights;
  check(
      is_floating(weights.dtype()) && weights.dim() >= 2 && weights.numel() > 0,
      "attention_page: the weights of {} must be numbers (batch, heads, n, m), (batch, "
      "n, m) or (n, m), got {} {}",
      [&] { return name_of(map); }, name(weights.dtype()), weights.shape());
  const std::int64_t n = weights.size(-2), m = weights.size(-1);
  const std::int64_t heads = weights.dim() >= 4 ? weights.size(-3) : 1;
  const Tensor batches = reshape(weights, {-1, heads, n, m});
  check(
      0 <= batch && batch < batches.size(0),
      "attention_page: batch must be from 0 to {}, the last of {}'s sequences, got {}",
      batches.size(0) - 1, [&] { return name_of(map); }, batch);
  return batches[batch];
}

bool fits(Reads reads, const Map& map, const Texts& texts) {
  const auto size = [&](std::size_t text) {
    return text < texts.size() ? static_cast<std::int64_t>(texts[text].size()) : 0;
  };
  return map.n() == size(reads == Reads::source) &&
         map.m() == size(reads != Reads::tokens);
}

Reads reads_of(const nn::AttentionMap& given, const Map& map, const Texts& texts,
               const AttentionPageOptions& options) {
  const Reads wanted =
      options.reads ? options.reads(given.path) : reads_by_path(given.path);
  if (fits(wanted, map, texts)) return wanted;
  if (!options.reads) {
    for (const Reads other : {Reads::tokens, Reads::cross, Reads::source}) {
      if (fits(other, map, texts)) return other;
    }
  }
  const std::size_t source = texts.size() > 1 ? texts[1].size() : 0;
  fail(
      "attention_page: the last two sizes of {}'s weights must be numbers of tokens, of "
      "which the text has {} and the source {}, got {}",
      map.name, texts[0].size(), source, given.weights.shape());
}

std::vector<Map> maps_of(const std::vector<Snapshot>& snapshots, const Texts& texts,
                         const AttentionPageOptions& options) {
  check(!snapshots.empty() && !snapshots[0].maps.empty(),
        "attention_page: there must be a map of weights to show, got none");
  std::vector<Map> maps;
  for (const nn::AttentionMap& given : snapshots[0].maps) {
    Map map{.name = name_of(given), .weights = {weights_of(given, options.batch)}};
    const Reads reads = reads_of(given, map, texts, options);
    map.queries = reads == Reads::source ? 1 : 0;
    map.keys = reads == Reads::tokens ? 0 : 1;
    maps.push_back(std::move(map));
  }
  for (std::size_t s = 1; s < snapshots.size(); ++s) {
    const Snapshot& snapshot = snapshots[s];
    check(
        snapshot.maps.size() == maps.size(),
        "attention_page: all snapshots must have the same maps, got {} in {} and {} in "
        "{}",
        maps.size(), [&] { return shown(snapshots[0].label); }, snapshot.maps.size(),
        [&] { return shown(snapshot.label); });
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const nn::AttentionMap& given = snapshot.maps[i];
      Tensor weights = weights_of(given, options.batch);
      check(
          given.path == snapshots[0].maps[i].path &&
              weights.shape() == maps[i].weights[0].shape(),
          "attention_page: all snapshots must have the same maps, got {} {} in {} and {} "
          "{} in {}",
          maps[i].name, snapshots[0].maps[i].weights.shape(),
          [&] { return shown(snapshots[0].label); }, [&] { return name_of(given); },
          given.weights.shape(), [&] { return shown(snapshot.label); });
      maps[i].weights.push_back(std::move(weights));
    }
  }
  return maps;
}

// Chooses the layouts. Returns how many weights of a row are kept by Layout::largest, 0
// if no map has it.
std::int64_t lay_out(std::vector<Map>& maps, std::size_t snapshots) {
  std::int64_t rows = 0, weights = 0;
  for (const Map& map : maps) {
    const std::int64_t more =
        static_cast<std::int64_t>(snapshots) * map.heads() * map.n();
    rows += more;
    weights += more * map.m();
  }
  check(
      rows <= most_rows,
      "attention_page: a page has room for {} rows of weights, queries times heads times "
      "snapshots, got {}; show fewer of them",
      most_rows, rows);
  const std::int64_t kept = weights > most_weights ? most_weights / (2 * rows) : 0;
  for (Map& map : maps) {
    if (kept > 0 && map.m() > 2 * kept) {
      map.layout = Layout::largest;
    } else if (map.queries == map.keys &&
               std::all_of(map.weights.begin(), map.weights.end(), detail::is_lower)) {
      map.layout = Layout::lower;
    }
  }
  return kept;
}

const char* name_of(Layout layout) {
  switch (layout) {
    case Layout::lower: return "lower";
    case Layout::largest: return "largest";
    default: return "all";
  }
}

// --- the file

std::string data_of(const std::vector<Snapshot>& snapshots, const Texts& texts,
                    const std::vector<Map>& maps, std::int64_t kept,
                    const AttentionPageOptions& options) {
  const std::string described = json_list(maps, [](const Map& map) {
    return fmt::format(R"({{"path":{},"heads":{},"queries":{},"keys":{},"layout":"{}"}})",
                       json(map.name), map.heads(), map.queries, map.keys,
                       name_of(map.layout));
  });
  return fmt::format(
      R"({{"title":{},"note":{},"kept":{},"snapshots":{},"maps":{},"texts":{}}})",
      json(options.title), json(options.note), kept,
      json_list(snapshots, [](const Snapshot& snapshot) { return json(snapshot.label); }),
      described,
      json_list(texts, [](const auto& tokens) { return json_list(tokens, json); }));
}

}  // namespace

Reads reads_by_path(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('.') + 1);
  if (last == "multihead_attn" || last.find("cross") != last.npos) return Reads::cross;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('.'));
    if (part == "encoder") return Reads::source;
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return Reads::tokens;
}

void attention_page(const std::string& path, const std::vector<std::string>& tokens,
                    const std::vector<Snapshot>& snapshots,
                    const AttentionPageOptions& options) {
  Texts texts = {shown_tokens("the text", tokens)};
  if (!options.source.empty())
    texts.push_back(shown_tokens("the source", options.source));
  std::vector<Map> maps = maps_of(snapshots, texts, options);
  const std::int64_t kept = lay_out(maps, snapshots.size());
  std::vector<std::uint16_t> codes;
  for (std::size_t s = 0; s < snapshots.size(); ++s) {
    for (const Map& map : maps) {
      for (std::int64_t head = 0; head < map.heads(); ++head) {
        detail::append(codes, map.weights[s][head], map.layout, kept, map.name);
      }
    }
  }
  nn::AtomicFile file("attention_page: " + printable(path), path);
  const auto write = [&](std::string_view text) { file.write(text.data(), text.size()); };
  const std::pair<std::string_view, std::string> parts[] = {
      {"@DATA@", data_of(snapshots, texts, maps, kept, options)},
      {"@WEIGHTS@", detail::base64(codes)},
  };
  std::string_view rest = detail::page;
  for (const auto& [mark, text] : parts) {
    const std::size_t at = rest.find(mark);
    write(rest.substr(0, at));
    write(text);
    rest.remove_prefix(at + mark.size());
  }
  write(rest);
  file.commit();
}

void attention_page(const std::string& path, const std::vector<std::string>& tokens,
                    const std::vector<nn::AttentionMap>& maps,
                    const AttentionPageOptions& options) {
  attention_page(path, tokens, std::vector<Snapshot>{{"", maps}}, options);
}

}  // namespace heed::viz
