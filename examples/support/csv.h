// Tables of comma-separated values with a header line, as RFC 4180 has them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "examples/support/input_error.h"

namespace heed::support {

// A larger table is refused before it costs memory: nw_kernel_regression attends from
// each row to every other.
inline constexpr std::size_t max_rows = 5000, max_columns = 1000;

// The text of a table, and the line of the file on which each row begins. Every row has
// as many fields as there are names.
struct Table {
  std::string source;  // the file's name, for messages
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;
};

// The table in `text`: a line of names, then the rows. Fields may stand in double quotes,
// in which "" is a quote and commas and line ends are text; lines end in LF, CRLF or CR,
// the last one optionally; a byte-order mark at the start and blank lines at the end are
// skipped. Throws InputError, with `source` and the line, for anything else: no header,
// a header of numbers, a row with more or fewer fields, a quote out of place, more rows
// or columns than are allowed.
Table parse_csv(std::string_view text, std::string source);

// The table in the file `path`. Throws InputError as parse_csv does, and when the file
// cannot be read or has more than 32 MiB.
Table read_csv(const std::string& path);

// The place of the column called `name`. Throws InputError, listing the names there are,
// unless exactly one column has it.
std::size_t find_column(const Table& table, std::string_view name);

// The numbers of a column. Throws InputError, with the file and the line, for a field
// that is empty, no number, infinite or not a number (NaN).
std::vector<double> numbers(const Table& table, std::size_t column);

}  // namespace heed::support
