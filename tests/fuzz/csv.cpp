// A table of any bytes is refused, or it is read; then its fields, each written in
// quotes, must read as the same table.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv.h"
#include "tests/fuzz/fuzz.h"

using namespace heed::fuzz;
using namespace heed::data;
using heed::Error;

namespace {

std::string quoted(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : field) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line + "\r\n";
}

// A column by its name, and its numbers.
void look_at(const Table& table, std::size_t column) {
  try {
    require(find_column(table, table.names[column]) == column, "the column of this name");
  } catch (const Error& error) {
    check_message(error.what());  // more than one has the name
  }
  try {
    const std::vector<double> found = numbers(table, column);
    require(found.size() == table.rows.size(), "a number in every row");
    for (const double number : found) require(std::isfinite(number), "a finite number");
  } catch (const Error& error) {
    check_message(error.what());
  }
}

}  // namespace

void heed::fuzz::try_input(std::string_view input) {
  Table table;
  try {
    table = parse_csv(input, "file");
  } catch (const Error& error) {
    check_message(error.what());
    return;
  }
  require(table.lines.size() == table.rows.size(), "a line for every row");
  require(std::is_sorted(table.lines.begin(), table.lines.end()), "lines that rise");
  for (std::size_t i = 0; i < table.names.size(); ++i) look_at(table, i);
  try {
    find_column(table, input);
  } catch (const Error& error) {
    check_message(error.what());
  }
  std::string text = quoted(table.names);
  for (const std::vector<std::string>& row : table.rows) text += quoted(row);
  const Table again = parse_csv(text, "again");
  require(again.names == table.names && again.rows == table.rows, "the same table", text);
}
