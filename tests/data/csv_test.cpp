// Tables: what RFC 4180 allows is read, and all else refused with its file and line.
#include "data/csv.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>
#include <fmt/core.h>

#include "tensor/core/factories.h"
#include "tensor/core/text.h"
#include "tensor/reduce/comparing.h"
#include "tests/errors.h"
#include "tests/support/folder.h"

namespace {

using namespace heed::data;
using heed::equal, heed::error_of, heed::tensor, heed::Tensor;
using heed::shown;
using heed::support::TemporaryFolder;
using Strings = std::vector<std::string>;

std::string parse_message(std::string_view text) {
  return error_of([&] { parse_csv(text, "t.csv"); });
}

std::string numbers_message(std::string_view text) {
  return error_of([&] { numbers(parse_csv(text, "t.csv"), 1); });
}

BOOST_AUTO_TEST_SUITE(csv)

BOOST_AUTO_TEST_CASE(names_rows_and_lines) {
  const Table table = parse_csv("a,b\n1,2\n3,4\n", "t.csv");
  BOOST_TEST(table.source == "t.csv");
  BOOST_TEST(table.names == (Strings{"a", "b"}), boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(table.rows.size() == 2u);
  BOOST_TEST(table.rows[1] == (Strings{"3", "4"}), boost::test_tools::per_element());
  BOOST_TEST(table.lines == (std::vector<std::size_t>{2, 3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_line_end_reads_alike) {
  for (std::string_view text :
       {"a,b\n1,2\n3,4", "a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r",
        "a,b\n1,2\n3,4\n\n\r\n",
        "\xEF\xBB\xBF"
        "a,b\n1,2\n3,4\n"}) {
    const Table table = parse_csv(text, "t.csv");
    BOOST_TEST(table.names[0] == "a");
    BOOST_TEST_REQUIRE(table.rows.size() == 2u);
    BOOST_TEST(table.rows[1][1] == "4");
  }
}

BOOST_AUTO_TEST_CASE(quotes) {
  const Table table =
      parse_csv("\"a, b\",\"say \"\"c\"\"\",d\n\"1\n2\",\"\",\"3\"\n4,5,6\n", "t.csv");
  BOOST_TEST(table.names == (Strings{"a, b", "say \"c\"", "d"}),
             boost::test_tools::per_element());
  BOOST_TEST(table.rows[0] == (Strings{"1\n2", "", "3"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(line_ends_in_quotes_count) {
  for (std::string_view end : {"\n", "\r\n", "\r"}) {
    const std::string text = fmt::format("a{0}\"1{0}2{0}\"{0}3{0}x{0}", end);
    const Table table = parse_csv(text, "t.csv");
    BOOST_TEST(table.lines == (std::vector<std::size_t>{2, 5, 6}),
               boost::test_tools::per_element());
    BOOST_TEST(table.rows[0][0] == fmt::format("1{0}2{0}", end));
  }
}

BOOST_AUTO_TEST_CASE(no_rows_are_a_table) {
  BOOST_TEST(parse_csv("a,b\n", "t.csv").rows.empty());
}

BOOST_AUTO_TEST_CASE(what_is_no_table) {
  for (std::string_view text : {"", "\n", "\r\n\n", "\xEF\xBB\xBF"}) {
    BOOST_TEST(parse_message(text) ==
               "t.csv:1: the file is empty; a line of column names is needed");
  }
  BOOST_TEST(parse_message("1,2\n3,4\n") ==
             "t.csv:1: the first line must name the columns, found only numbers");
  BOOST_TEST(parse_message("a,b\n1,2\n3\n") == "t.csv:3: 1 field, but line 1 has 2");
  BOOST_TEST(parse_message("a\n1,2,3\n") == "t.csv:2: 3 fields, but line 1 has 1");
  BOOST_TEST(parse_message("a,b\n\n1,2\n") == "t.csv:2: the line is blank");
  BOOST_TEST(parse_message("a,b\n1,\"2\n3,4\n") ==
             "t.csv:2: the quote that opens here is never closed");
  BOOST_TEST(parse_message("a,b\n1,\"2\"3\n") == "t.csv:2: text after a closing quote");
  BOOST_TEST(parse_message("a,b\n1,2\"3\"\n") ==
             "t.csv:2: a quote inside a field that does not begin with one");
}

BOOST_AUTO_TEST_CASE(columns_by_name) {
  const Table table = parse_csv("a,b,c,b\n", "t.csv");
  BOOST_TEST(find_column(table, "c") == 2u);
  BOOST_TEST(error_of([&] { find_column(table, "d"); }) ==
             "t.csv:1: no column is called d; there are a, b, c, b");
  BOOST_TEST(error_of([&] { find_column(table, "b"); }) ==
             "t.csv:1: more than one column is called b");
}

BOOST_AUTO_TEST_CASE(numbers_of_a_column) {
  const Table table =
      parse_csv("a,b\nx,1\nx, -2.5e3\t\nx,+0.25\nx,\"7\"\nx,.5\n", "t.csv");
  BOOST_TEST(numbers(table, 1) == (std::vector<double>{1, -2500, 0.25, 7, 0.5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_is_no_number) {
  BOOST_TEST(numbers_message("a,b\n1,2\n3,four\n") ==
             "t.csv:3: column b: four is not a number");
  for (std::string_view field : {"1x", "1 2", "0x10", "+-1", "--1", "NA"}) {
    const std::string text = "a,b\n1," + std::string(field) + "\n";
    BOOST_TEST(numbers_message(text) ==
               fmt::format("t.csv:2: column b: {} is not a number", shown(field)));
  }
  BOOST_TEST(numbers_message("a,b\n1,\n") ==
             "t.csv:2: column b is empty, a number is needed");
  BOOST_TEST(numbers_message("a,b\n1, \n") ==
             "t.csv:2: column b is empty, a number is needed");
  for (std::string_view field : {"nan", "NaN", "inf", "-inf", "Infinity"}) {
    BOOST_TEST(numbers_message("a,b\n1," + std::string(field) + "\n") ==
               fmt::format("t.csv:2: column b: {} is not a finite number", field));
  }
  BOOST_TEST(numbers_message("a,b\n1,1e999\n") ==
             "t.csv:2: column b: 1e999 is too large or too small a number");
}

// A binary file must not reach the terminal as it is.
BOOST_AUTO_TEST_CASE(messages_show_no_control_characters) {
  BOOST_TEST(numbers_message("a,b\n1,\x1b[31m\n") ==
             R"(t.csv:2: column b: "\u001b[31m" is not a number)");
  BOOST_TEST(numbers_message("a,b\n1," + std::string(100, 'z') + "\n") ==
             "t.csv:2: column b: " + std::string(80, 'z') + "... is not a number");
  // The columns' names as well, with the C1 controls, which are UTF-8.
  const std::string title = "\x1b]0;x\a", csi = "\xc2\x9b";
  const Table table = parse_csv("a," + title + "," + csi + "\n1,,\n", "t.csv");
  BOOST_TEST(error_of([&] { numbers(table, 1); }) ==
             R"(t.csv:2: column "\u001b]0;x\u0007" is empty, a number is needed)");
  BOOST_TEST(error_of([&] { find_column(table, "\xff"); }) ==
             R"(t.csv:1: no column is called "\xff"; there are a, )"
             R"("\u001b]0;x\u0007", "\u009b")");
}

// A table beyond the limits is refused before it takes memory.
BOOST_AUTO_TEST_CASE(tables_have_a_limit) {
  std::string text = "a,b\n";
  for (int i = 0; i < 5000; ++i) text += "1,2\n";
  BOOST_TEST(parse_csv(text, "t.csv", {.max_rows = 5000}).rows.size() == 5000u);
  BOOST_TEST(error_of([&] { parse_csv(text + "1,2\n", "t.csv", {.max_rows = 5000}); }) ==
             "t.csv:5002: at most 5000 rows are allowed");
  BOOST_TEST(error_of([] {
               parse_csv("5", "t.csv", {.header = false, .max_rows = 0});
             }) == "t.csv:1: at most 0 rows are allowed");
  BOOST_TEST(error_of([] { parse_csv("a\n5", "t.csv", {.max_rows = 0}); }) ==
             "t.csv:2: at most 0 rows are allowed");
  // In a row of commas each byte would be a field: none is kept.
  BOOST_TEST(parse_message("a,b\n" + std::string(1'000'000, ',')) ==
             "t.csv:2: 1000001 fields, but line 1 has 2");
  std::string names = "c0";
  for (int i = 1; i < 10'000; ++i) names += ",c" + std::to_string(i);
  BOOST_TEST(parse_csv(names, "t.csv").names.size() == 10'000u);
  BOOST_TEST(parse_message(names + ",more\n") ==
             "t.csv:1: at most 10000 columns are allowed, got 10001");
  BOOST_TEST(parse_message(std::string(1'000'000, ',')) ==
             "t.csv:1: at most 10000 columns are allowed, got 1000001");
}

BOOST_AUTO_TEST_CASE(separators_and_tables_without_names) {
  const Table table =
      parse_csv("1;2,5\n3;\"4;\"\n", "t.csv", {.separator = ';', .header = false});
  BOOST_TEST(table.names == (Strings{"0", "1"}), boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(table.rows.size() == 2u);
  BOOST_TEST(table.rows[0] == (Strings{"1", "2,5"}), boost::test_tools::per_element());
  BOOST_TEST(table.rows[1] == (Strings{"3", "4;"}), boost::test_tools::per_element());
  BOOST_TEST(table.lines == (std::vector<std::size_t>{1, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(error_of([] { parse_csv("", "t.csv", {.header = false}); }) ==
             "t.csv:1: the file is empty; a row is needed");
  for (const char separator : {'"', '\r', '\n', '\0'}) {
    BOOST_TEST(
        error_of([&] { parse_csv("a\n", "t.csv", {.separator = separator}); }) ==
        "parse_csv: the separator must not be a quote, the end of a line or a NUL");
  }
}

BOOST_AUTO_TEST_CASE(tables_as_tensors) {
  const Table table = parse_csv("a,b,c\n1,2.5,x\n3,-4,y\n", "t.csv");
  BOOST_TEST(equal(to_tensor(table, {"b", "a"}), tensor({{2.5, 1.0}, {-4.0, 3.0}})));
  BOOST_TEST(equal(to_tensor(table, {"a"}, heed::int64), tensor({{1}, {3}})));
  BOOST_TEST(equal(to_tensor(parse_csv("a,b\n1,2\n", "")), tensor({{1.0, 2.0}})));
  BOOST_TEST((to_tensor(parse_csv("a,b\n", "")).shape() == heed::Shape{0, 2}));
  BOOST_TEST(error_of([&] { (void)to_tensor(table); }) ==
             "t.csv:2: column c: x is not a number");
  BOOST_TEST(error_of([&] { (void)to_tensor(table, {"d"}); }) ==
             "t.csv:1: no column is called d; there are a, b, c");
  BOOST_TEST(error_of([&] { (void)to_tensor(table, {"b"}, heed::int64); }) ==
             "t.csv:2: column b: int64 cannot hold 2.5");
}

BOOST_AUTO_TEST_CASE(elements_are_the_numbers_of_the_file) {
  const auto in = [](std::string_view field, heed::DType dtype) {
    return to_tensor(parse_csv("a\n" + std::string(field), "t.csv"), {}, dtype);
  };
  for (const std::int64_t number :
       {std::int64_t{9007199254740993}, INT64_MAX, INT64_MIN}) {
    const Tensor x = in(std::to_string(number), heed::int64);
    BOOST_TEST(x.item<std::int64_t>() == number);
  }
  BOOST_TEST(in(" +7 ", heed::int64).item() == 7);
  BOOST_TEST(in("-2.5e1", heed::int64).item() == -25);
  BOOST_TEST(std::signbit(in("-0", heed::float32).item()));
  BOOST_TEST(in("1", heed::boolean).item() == 1);
  BOOST_TEST(in("1e300", heed::float64).item() == 1e300);
  BOOST_TEST(in("1e-300", heed::float32).item() == 0);
  const auto message = [&](std::string_view field, heed::DType dtype) {
    return error_of([&] { (void)in(field, dtype); });
  };
  for (std::string_view field :
       {"0.5", "9223372036854775808", "-9223372036854775809", "1e16"}) {
    BOOST_TEST(message(field, heed::int64) ==
               fmt::format("t.csv:2: column a: int64 cannot hold {}", field));
  }
  BOOST_TEST(message("1e300", heed::float32) ==
             "t.csv:2: column a: float32 cannot hold 1e300");
  BOOST_TEST(message("2", heed::boolean) == "t.csv:2: column a: bool cannot hold 2");
}

BOOST_AUTO_TEST_CASE(tables_made_by_hand) {
  Table table = parse_csv("a,b\n1,2\n3,4\n", "t.csv");
  const auto messages_are = [&](const std::string& message) {
    BOOST_TEST(error_of([&] { numbers(table, 1); }) == message);
    BOOST_TEST(error_of([&] { (void)to_tensor(table); }) == message);
  };
  BOOST_TEST(error_of([&] { numbers(table, 2); }) ==
             "t.csv: the column must be below 2, got 2");
  table.rows[1].pop_back();
  messages_are("t.csv:3: the row must have 2 fields, got 1");
  table.lines.pop_back();
  messages_are("t.csv: a table must have a line for each row, got 1 for 2");
}

BOOST_AUTO_TEST_CASE(files_have_a_limit) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.csv";
  std::ofstream(path) << "a,b\n";
  std::filesystem::resize_file(path, std::uintmax_t{300} << 20);  // a hole, no disk
  BOOST_TEST(error_of([&] { read_csv(path); }) == path + ": more than 256 MiB");
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read) {
  BOOST_TEST(error_of([] { read_csv("/nowhere/t.csv"); }) ==
             "/nowhere/t.csv: cannot be opened: No such file or directory");
  const std::string folder = std::filesystem::temp_directory_path().string();
  BOOST_TEST(error_of([&] { read_csv(folder); }) ==
             folder + ": is a folder; a file of comma-separated values is needed");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
