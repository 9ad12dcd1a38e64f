// The results of a run's evaluations, for log.csv and the chart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "view/figures.h"

namespace heed::training {

// An evaluation: the losses are means over some batches of the training data and of the
// validation data, without dropout.
struct LogRow {
  std::int64_t step;  // how many have been done before it
  double train_loss, validation_loss;
  double lr;  // of the next step
};

// The steps rise from row to row.
using Log = std::vector<LogRow>;

// The log as a table, float64 (rows, 4), and back. Throws Error when it is no such table.
Tensor to_tensor(const Log& log);
Log to_log(const Tensor& table);

// Overwrites the file `path` with the whole log. Throws InputError, as does
// append_to_file, when it cannot be written.
void write_to_file(const std::string& path, const Log& log);
void append_to_file(const std::string& path, const LogRow& row);

// The losses, cross entropies, over the steps.
viz::Lines chart_of(const Log& log, const std::string& title);

}  // namespace heed::training
