#include "examples/training/log.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "examples/support/input_error.h"
#include "tensor/core/error.h"
#include "tensor/core/factories.h"

namespace heed::training {
namespace {

constexpr std::int64_t columns = 4;

std::string line_of(const LogRow& row) {
  return fmt::format("{},{:.6f},{:.6f},{:.6g}\n", row.step, row.train_loss,
                     row.validation_loss, row.lr);
}

// `mode` is fopen's.
void put(const std::string& path, const char* mode, const std::string& text) {
  std::error_code ignored;                        // fopen() reports it again
  if (std::filesystem::is_fifo(path, ignored)) {  // opening it would wait for a reader
    support::input_error("{}: must be a regular file, got a pipe", path);
  }
  errno = 0;
  std::FILE* const file = std::fopen(path.c_str(), mode);
  const bool written = file && std::fputs(text.c_str(), file) >= 0;
  const bool closed = file && std::fclose(file) == 0;
  if (!written || !closed) {
    support::input_error("{}: cannot be written: {}", path,
                         std::generic_category().message(errno));
  }
}

}  // namespace

Tensor to_tensor(const Log& log) {
  std::vector<double> numbers;
  for (const LogRow& row : log) {
    numbers.insert(numbers.end(), {static_cast<double>(row.step), row.train_loss,
                                   row.validation_loss, row.lr});
  }
  return from_vector(numbers, {static_cast<std::int64_t>(log.size()), columns});
}

Log to_log(const Tensor& table) {
  check(table.dim() == 2 && table.size(1) == columns && table.dtype() == float64,
        "the log must be float64 (rows, {}), got {} {}", columns, name(table.dtype()),
        table.shape());
  Log log;
  double last = -1;
  for (std::int64_t i = 0; i < table.size(0); ++i) {
    const std::vector<double> row = table[i].to_vector<double>();
    check(last < row[0] && row[0] < 1e15 && row[0] == std::floor(row[0]),
          "the steps of the log must rise, got {} after {}", row[0], last);
    last = row[0];
    log.push_back({static_cast<std::int64_t>(last), row[1], row[2], row[3]});
  }
  return log;
}

void write_to_file(const std::string& path, const Log& log) {
  std::string text = "step,train_loss,validation_loss,lr\n";
  for (const LogRow& row : log) text += line_of(row);
  put(path, "wb", text);
}

void append_to_file(const std::string& path, const LogRow& row) {
  put(path, "ab", line_of(row));
}

viz::Lines chart_of(const Log& log, const std::string& title) {
  viz::Curve train{"training", {}, {}, viz::Style::line_with_points};
  viz::Curve validation{"validation", {}, {}, viz::Style::line_with_points};
  for (const LogRow& row : log) {
    train.x.push_back(static_cast<double>(row.step));
    train.y.push_back(row.train_loss);
    validation.y.push_back(row.validation_loss);
  }
  validation.x = train.x;
  return {.title = title,
          .xlabel = "step",
          .ylabel = "cross entropy",
          .curves = {train, validation},
          .whole_x = true};
}

}  // namespace heed::training
