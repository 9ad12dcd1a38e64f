// Tables of comma-separated values, as RFC 4180 has them.
//
//   const data::Table table = data::read_csv("motorcycle.csv");
//   Tensor x = to_tensor(table, {"times", "accel"});  // (rows, 2)
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/core/tensor.h"

namespace heed::data {

struct CsvOptions {
  char separator = ',';
  bool header =
      true;  // the first line names the columns; otherwise they are "0", "1", ...
  // A larger table is refused before it takes memory.
  std::size_t max_rows = std::numeric_limits<std::size_t>::max();
  std::size_t max_columns = 10'000;
};

// The text of a table, and the line of the file on which each row begins. Every row has
// as many fields as there are names.
struct Table {
  std::string source;  // the file's name, for messages
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;
};

// The table in `text`: a line of names, then the rows. Fields may stand in double quotes,
// in which "" is a quote and separators and line ends are text; lines end in LF, CRLF or
// CR, the last one optionally; a byte-order mark at the start and blank lines at the end
// are skipped. Throws Error, with `source` and the line, for anything else: no header,
// a header of numbers, a row with more or fewer fields, a quote out of place, more rows
// or columns than are allowed.
Table parse_csv(std::string_view text, std::string source,
                const CsvOptions& options = {});

// The table in the file `path`, unpacked if it is a gzip file. Throws Error as parse_csv
// does, and when the file cannot be read or has more than 256 MiB.
Table read_csv(const std::string& path, const CsvOptions& options = {});

// The place of the column called `name`. Throws Error, listing the names there are,
// unless exactly one column has it.
std::size_t find_column(const Table& table, std::string_view name);

// The numbers of a column. Throws Error, with the file and the line, for a field that is
// empty, no number, infinite or not a number (NaN); and for a column that is not there.
std::vector<double> numbers(const Table& table, std::size_t column);

// The numbers of columns, all of them when none is named: (rows, columns). Throws Error
// as find_column and numbers do, and for a number that the dtype does not hold: a
// fraction or 2^63 as int64, 2 as bool, 1e300 as float32.
Tensor to_tensor(const Table& table, const std::vector<std::string>& columns = {},
                 DType dtype = float32);

}  // namespace heed::data
