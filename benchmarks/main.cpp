// The benchmark: heed's workloads, timed. compare.py sets them beside PyTorch's.
//
// In a round a workload is repeated as often as fits into --seconds, judged by a first
// repetition; a figure is the time of one repetition, in milliseconds.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

#include <fmt/format.h>

#include "benchmarks/workloads.h"
#include "examples/support/input_error.h"
#include "examples/support/program.h"
#include "heed.h"

namespace heed::benchmarks {

namespace {

// A workload that is set up and warm.
class Timer {
 public:
  Timer(const Workload& workload, double seconds) {
    manual_seed(0);
    run_ = workload.make();
    repeat(1);
    const double once = std::max(repeat(1), 1e-9);
    count_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(seconds / once));
  }
  // The milliseconds of a repetition, in one round.
  double round() { return repeat(count_) / static_cast<double>(count_) * 1e3; }

 private:
  std::function<void()> run_;
  std::int64_t count_;

  double repeat(std::int64_t count) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    for (std::int64_t i = 0; i < count; ++i) run_();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
};

struct Timing {
  double median, best;  // milliseconds
};

Timing time(const Workload& workload, double seconds, std::int64_t count) {
  Timer timer(workload, seconds);
  std::vector<double> rounds;
  for (std::int64_t i = 0; i < count; ++i) rounds.push_back(timer.round());
  std::sort(rounds.begin(), rounds.end());
  return {rounds[rounds.size() / 2], rounds.front()};
}

// The most memory that this program has had so far, in MiB.
double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // from KiB
}

// The rate, as in "13.57 GB/s"; nothing if no work is counted.
std::string rate(const Workload& workload, double milliseconds) {
  const double work = workload.flop > 0 ? workload.flop : workload.bytes;
  if (work == 0) return "";
  return fmt::format("{:.2f} {}", work / milliseconds / 1e6,
                     workload.flop > 0 ? "GFLOP/s" : "GB/s");
}

void print_table(const std::vector<Workload>& chosen, double seconds) {
  fmt::print("{}\n\n{:<32} {:>12} {:>12} {:>16}\n", build_info(), "workload", "median ms",
             "best ms", "at best");
  for (const Workload& workload : chosen) {
    const auto [median, best] = time(workload, seconds, 7);
    fmt::print("{:<32} {:>12.6f} {:>12.6f} {:>16}\n", workload.name, median, best,
               rate(workload, best));
    std::fflush(stdout);
  }
  if (chosen.size() == 1)
    fmt::print("peak memory of the process: {:.1f} MiB\n", peak_mib());
}

void print_row(const Workload& workload, const Timing& timing, const std::string& more) {
  fmt::print(R"({{"name": "{}", "threads": {}, "ms": {:.6f}, "best_ms": {:.6f}, )"
             R"("flop": {:.0f}, "bytes": {:.0f}, {}"heed": "{}"}})"
             "\n",
             workload.name, num_threads(), timing.median, timing.best, workload.flop,
             workload.bytes, more, HEED_VERSION);
  std::fflush(stdout);
}

void print_json(const std::vector<Workload>& chosen, double seconds) {
  for (const Workload& workload : chosen) {
    const Timing timing = time(workload, seconds, 7);
    // The peak is that of this workload only if there was no other.
    print_row(
        workload, timing,
        chosen.size() == 1 ? fmt::format(R"("peak_mib": {:.1f}, )", peak_mib()) : "");
  }
}

// Times a round of the workload that each line of the input names. So compare.py takes
// turns between two programs, without setting a workload up for every round.
void serve(const std::vector<Workload>& list, double seconds) {
  std::unique_ptr<Timer> timer;
  std::string timed;
  for (std::string name; std::getline(std::cin, name);) {
    const auto found = std::find_if(list.begin(), list.end(),
                                    [&](const Workload& w) { return w.name == name; });
    if (found == list.end())
      support::input_error("no workload is named {}; see --list", shown(name));
    if (name != timed) {
      timer.reset();
      timer = std::make_unique<Timer>(*found, seconds);
      timed = name;
    }
    const double round = timer->round();
    print_row(*found, {round, round}, "");
  }
}

}  // namespace

}  // namespace heed::benchmarks

int main(int argc, char** argv) {
  using namespace heed;
  using namespace heed::benchmarks;
  support::CommandLine app("Times heed's workloads.", "workloads");
  std::string only;
  double seconds = 0.2;
  bool json = false, names_only = false, serves = false;
  app.add_threads();
  app.add_text("--only", only, "TEXT",
               "just the workload of this name, or those whose name holds this text; "
               "growth/... and linear/... only so");
  app.add_number("--seconds", seconds, 0.001, 3600.0, "how long a round lasts");
  app.add_flag("--json", json, "a line of JSON a workload in place of the table");
  app.add_flag("--list", names_only, "just the names");
  app.add_flag("--serve", serves,
               "times one round of each workload that standard input names, one a line, "
               "whatever --only says");
  return app.run(argc, argv, [&] {
    const std::vector<Workload> list = workloads();
    if (serves) {
      serve(list, seconds);
      return 0;
    }
    std::vector<Workload> chosen;
    for (const Workload& workload : list) {
      if (workload.name == only) {
        chosen = {workload};
        break;
      }
      const bool only_so =
          workload.name.starts_with("growth/") || workload.name.starts_with("linear/");
      if (only.empty() && only_so && !names_only) continue;
      if (workload.name.find(only) != std::string::npos) chosen.push_back(workload);
    }
    if (chosen.empty()) {
      support::input_error("no workload has {} in its name; see --list", shown(only));
    }
    if (names_only) {
      for (const Workload& workload : chosen) fmt::print("{}\n", workload.name);
    } else {
      (json ? print_json : print_table)(chosen, seconds);
    }
    return 0;
  });
}
