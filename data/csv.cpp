#include "data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "data/file.h"
#include "tensor/core/error.h"
#include "tensor/core/factories.h"
#include "tensor/core/text.h"
#include "tensor/core/views.h"
#include "tensor/reduce/comparing.h"

namespace heed::data {
namespace {

// Takes one record after the other and counts the lines on the way.
class Reader {
 public:
  Reader(std::string_view text, const std::string& source, char separator)
      : text_(text), source_(source), separator_(separator) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
    // Blank lines at the end are no rows.
    while (text_.ends_with('\n') || text_.ends_with('\r')) text_.remove_suffix(1);
    done_ = text_.empty();
  }

  bool done() const { return done_; }
  std::size_t line() const { return line_; }

  // The fields up to the end of the line, or of the text. All are counted, but no more
  // than `most` are kept: a line may be one of commas alone.
  struct Record {
    std::vector<std::string> fields;
    std::size_t count = 0;
  };
  Record record(std::size_t most) {
    Record record;
    do {
      std::string field = next_is('"') ? quoted_field() : plain_field();
      if (record.count++ < most) record.fields.push_back(std::move(field));
    } while (skip(separator_));
    done_ = at_ == text_.size();
    skip('\r');
    skip('\n');
    ++line_;
    return record;
  }

 private:
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool skip(char c) {
    const bool found = next_is(c);
    at_ += found;
    return found;
  }

  std::string plain_field() {
    const char ends[] = {separator_, '\r', '\n', '\0'};
    const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    const std::string_view field = text_.substr(at_, end - at_);
    if (field.find('"') != field.npos) {
      fail("{}:{}: a quote inside a field that does not begin with one", source_, line_);
    }
    at_ = end;
    return std::string(field);
  }

  std::string quoted_field() {
    const std::size_t first_line = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (skip('"') && !next_is('"')) {
        if (at_ < text_.size() && !next_is(separator_) && !next_is('\r') &&
            !next_is('\n')) {
          fail("{}:{}: text after a closing quote", source_, line_);
        }
        return field;
      }
      line_ += next_is('\n');
      field += text_[at_];
    }
    fail("{}:{}: the quote that opens here is never closed", source_, first_line);
  }

  std::string_view text_;
  const std::string& source_;
  const char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool done_ = false;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

enum class NotANumber { empty, text, too_large, not_finite };

// The number that `field` spells, or why there is none.
std::pair<double, std::optional<NotANumber>> parse_number(std::string_view field) {
  field = trimmed(field);
  if (field.empty()) return {0, NotANumber::empty};
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  double value = 0;
  const auto [end, error] =
      std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc::invalid_argument || end != field.data() + field.size()) {
    return {0, NotANumber::text};
  }
  if (error == std::errc::result_out_of_range) return {0, NotANumber::too_large};
  if (!std::isfinite(value)) return {0, NotANumber::not_finite};
  return {value, std::nullopt};
}

}  // namespace

Table parse_csv(std::string_view text, std::string source, const CsvOptions& options) {
  const auto quoted = [](char c) { return c == '"' || c == '\r' || c == '\n'; };
  check(!quoted(options.separator),
        "parse_csv: the separator must not be a quote or the end "
        "of a line");
  Table table{.source = std::move(source), .names = {}, .rows = {}, .lines = {}};
  Reader reader(text, table.source, options.separator);
  if (reader.done()) {
    fail("{}:1: the file is empty; {} is needed", table.source,
         options.header ? "a line of column names" : "a row");
  }
  Reader::Record first = reader.record(options.max_columns);
  if (first.count > options.max_columns) {
    fail("{}:1: at most {} columns are allowed, got {}", table.source,
         options.max_columns, first.count);
  }
  if (options.header) {
    for (const std::string& name : first.fields) table.names.emplace_back(trimmed(name));
    if (std::all_of(table.names.begin(), table.names.end(),
                    [](const std::string& name) { return !parse_number(name).second; })) {
      fail("{}:1: the first line must name the columns, found only numbers",
           table.source);
    }
  } else {
    for (std::size_t i = 0; i < first.count; ++i)
      table.names.push_back(std::to_string(i));
    table.rows.push_back(std::move(first.fields));
    table.lines.push_back(1);
  }
  while (!reader.done()) {
    const std::size_t line = reader.line();
    if (table.rows.size() == options.max_rows) {
      fail("{}:{}: at most {} rows are allowed", table.source, line, options.max_rows);
    }
    auto [row, count] = reader.record(table.names.size());
    if (count == 1 && row[0].empty() && table.names.size() > 1) {
      fail("{}:{}: the line is blank", table.source, line);
    }
    if (count != table.names.size()) {
      fail("{}:{}: {} field{}, but line 1 has {}", table.source, line, count,
           count == 1 ? "" : "s", table.names.size());
    }
    table.rows.push_back(std::move(row));
    table.lines.push_back(line);
  }
  return table;
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  return parse_csv(read_file(path, "a file of comma-separated values"), path, options);
}

std::size_t find_column(const Table& table, std::string_view name) {
  const auto found = std::find(table.names.begin(), table.names.end(), name);
  if (found == table.names.end()) {
    constexpr std::size_t most = 20;  // that are listed
    std::vector<std::string> names;
    for (const std::string& other : table.names) {
      names.push_back(names.size() < most ? shown(other) : "...");
      if (names.size() > most) break;
    }
    fail("{}:1: no column is called {}; there are {}", table.source, shown(name),
         fmt::join(names, ", "));
  }
  if (std::find(found + 1, table.names.end(), name) != table.names.end()) {
    fail("{}:1: more than one column is called {}", table.source, shown(name));
  }
  return static_cast<std::size_t>(found - table.names.begin());
}

std::vector<double> numbers(const Table& table, std::size_t column) {
  std::vector<double> values;
  values.reserve(table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string& field = table.rows[i][column];
    const auto [value, problem] = parse_number(field);
    if (problem) {
      const std::string place = fmt::format("{}:{}: column {}", table.source,
                                            table.lines[i], shown(table.names[column]));
      switch (*problem) {
        case NotANumber::empty: fail("{} is empty, a number is needed", place);
        case NotANumber::text: fail("{}: {} is not a number", place, shown(field));
        case NotANumber::too_large:
          fail("{}: {} is too large or too small a number", place, shown(field));
        case NotANumber::not_finite:
          fail("{}: {} is not a finite number", place, shown(field));
      }
    }
    values.push_back(value);
  }
  return values;
}

Tensor to_tensor(const Table& table, const std::vector<std::string>& columns,
                 DType dtype) {
  std::vector<std::size_t> places;
  for (const std::string& name : columns) places.push_back(find_column(table, name));
  if (columns.empty()) {
    places.resize(table.names.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
  }
  const auto rows = static_cast<std::int64_t>(table.rows.size());
  const auto width = static_cast<std::int64_t>(places.size());
  Tensor out = empty({rows, width}, dtype);
  for (std::int64_t j = 0; j < width; ++j) {
    const std::size_t place = places[static_cast<std::size_t>(j)];
    const Tensor column = from_vector(numbers(table, place));
    Tensor to = select(out, 1, j);
    to.copy_(column.to(dtype));
    if (!is_floating(dtype) && !equal(to.to(float64), column)) {
      fail("{}: column {}: {} cannot hold all its numbers", table.source,
           shown(table.names[place]), name(dtype));
    }
  }
  return out;
}

}  // namespace heed::data
