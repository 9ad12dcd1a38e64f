#include "data/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "data/file.h"
#include "tensor/core/error.h"
#include "tensor/core/text.h"

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
      // CRLF is one line end.
      const bool is_crlf = next_is('\r') && text_.substr(at_ + 1).starts_with('\n');
      line_ += next_is('\n') || (next_is('\r') && !is_crlf);
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

// from_chars takes no plus.
std::string_view without_plus(std::string_view field) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  return field;
}

enum class NotANumber { empty, text, too_large, not_finite };

// The number that `field` spells, or why there is none.
std::pair<double, std::optional<NotANumber>> parse_number(std::string_view field) {
  field = trimmed(field);
  if (field.empty()) return {0, NotANumber::empty};
  field = without_plus(field);
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

// Throws Error unless every row has a field in the column and a line for messages: a
// table that was made by hand may not.
void check_table(const Table& table, std::size_t column) {
  check(column < table.names.size(), "{}: the column must be below {}, got {}",
        table.source, table.names.size(), column);
  check(table.lines.size() == table.rows.size(),
        "{}: a table must have a line for each row, got {} for {}", table.source,
        table.lines.size(), table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    check(column < table.rows[i].size(), "{}:{}: the row must have {} fields, got {}",
          table.source, table.lines[i], table.names.size(), table.rows[i].size());
  }
}

// Where a field stands, for messages.
std::string place_of(const Table& table, std::size_t row, std::size_t column) {
  return fmt::format("{}:{}: column {}", table.source, table.lines[row],
                     shown(table.names[column]));
}

double number(const Table& table, std::size_t row, std::size_t column) {
  const std::string& field = table.rows[row][column];
  const auto [value, problem] = parse_number(field);
  if (problem) {
    const std::string place = place_of(table, row, column);
    switch (*problem) {
      case NotANumber::empty: fail("{} is empty, a number is needed", place);
      case NotANumber::text: fail("{}: {} is not a number", place, shown(field));
      case NotANumber::too_large:
        fail("{}: {} is too large or too small a number", place, shown(field));
      case NotANumber::not_finite:
        fail("{}: {} is not a finite number", place, shown(field));
    }
  }
  return value;
}

// The number as an element. Whole numbers are read as such, since a double rounds those
// beyond 2^53, and so beyond it a number with a point or an exponent is refused.
template <class T>
T element(const Table& table, std::size_t row, std::size_t column) {
  const double value = number(table, row, column);
  if constexpr (std::is_same_v<T, std::int64_t>) {
    const std::string_view field = without_plus(trimmed(table.rows[row][column]));
    const char* const end = field.data() + field.size();
    std::int64_t whole = 0;
    const auto [stop, error] = std::from_chars(field.data(), end, whole);
    if (error == std::errc() && stop == end) return whole;
  }
  bool fits = true;
  if constexpr (std::is_same_v<T, bool>) {
    fits = value == 0 || value == 1;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    fits = std::trunc(value) == value && std::abs(value) <= 0x1p53;
  } else {
    fits = std::isfinite(static_cast<T>(value));
  }
  if (!fits) {
    fail("{}: {} cannot hold {}", place_of(table, row, column), name(dtype_of<T>),
         shown(table.rows[row][column]));
  }
  return static_cast<T>(value);
}

}  // namespace

Table parse_csv(std::string_view text, std::string source, const CsvOptions& options) {
  constexpr std::string_view no_separators("\"\r\n\0", 4);
  check(no_separators.find(options.separator) == no_separators.npos,
        "parse_csv: the separator must not be a quote, the end of a line or a NUL");
  Table table{.source = std::move(source), .names = {}, .rows = {}, .lines = {}};
  Reader reader(text, table.source, options.separator);
  if (reader.done()) {
    fail("{}:1: the file is empty; {} is needed", table.source,
         options.header ? "a line of column names" : "a row");
  }
  const auto check_rows = [&](std::size_t line) {
    check(table.rows.size() < options.max_rows, "{}:{}: at most {} rows are allowed",
          table.source, line, options.max_rows);
  };
  if (!options.header) check_rows(1);
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
    check_rows(line);
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
  check_table(table, column);
  std::vector<double> values;
  values.reserve(table.rows.size());
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    values.push_back(number(table, i, column));
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
  for (const std::size_t place : places) check_table(table, place);
  Tensor out = empty({table.rows.size(), places.size()}, dtype);
  dispatch(dtype, [&]<class T>() {
    T* element_at = out.mutable_data<T>();
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      for (const std::size_t place : places) *element_at++ = element<T>(table, i, place);
    }
  });
  return out;
}

}  // namespace heed::data
