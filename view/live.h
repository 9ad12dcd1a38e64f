// What a line or a chart that is redrawn needs: the time, and standard error.
#pragma once

#include <string_view>

namespace heed::viz {

// From some moment in the past on.
double seconds_now();

// Flushes standard output first: where both go to one place, its text comes before.
void write_to_stderr(std::string_view text);

}  // namespace heed::viz
