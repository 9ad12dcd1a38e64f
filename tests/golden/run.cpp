#include "tests/golden/run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include "tensor/core/threads.h"
#include "tests/golden/replay.h"

namespace heed::golden {
namespace {

constexpr const char* help = R"(usage: golden [OPTION]... DIR

Computes the reference cases in the folder DIR anew and compares, each with its own
tolerance. Prints a line a group, and for every case that fails what is wrong with it.

  --group NAME   only this group; may be given several times
  --threads N    use N threads
  --digest       begin with a number that depends on every bit computed
  --help         print this

Exit code: 0 every case passed, 1 some failed, 2 DIR cannot be read or an option is wrong.
)";

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string folder;
  std::vector<std::string> groups;
  std::int64_t threads = 0;  // 0: as many as the library takes
  bool digest = false;
  bool help = false;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  const auto end = arguments.end();
  for (auto argument = arguments.begin(); argument != end; ++argument) {
    const auto value = [&] {
      if (std::next(argument) == end) throw UsageError(*argument + " takes a value");
      return *++argument;
    };
    if (*argument == "--help") {
      options.help = true;
    } else if (*argument == "--digest") {
      options.digest = true;
    } else if (*argument == "--group") {
      options.groups.push_back(value());
    } else if (*argument == "--threads") {
      try {
        options.threads = to_integer("--threads", value());
      } catch (const CaseError& error) {
        throw UsageError(error.what());
      }
      if (options.threads < 1 || options.threads > 1024) {
        throw UsageError("--threads must be from 1 to 1024");
      }
    } else if (argument->starts_with("-")) {
      throw UsageError("unknown option " + *argument);
    } else if (options.folder.empty()) {
      options.folder = *argument;
    } else {
      throw UsageError("more than one folder: " + *argument);
    }
  }
  if (options.folder.empty() && !options.help) throw UsageError("which folder?");
  return options;
}

// The results of a group's cases.
struct Tally {
  std::string group;
  std::int64_t cases = 0, failed = 0, values = 0;
  double worst = 0;
  std::vector<std::string> failures;
};

class Run {
 public:
  explicit Run(const std::filesystem::path& folder) : folder_(folder) {}

  void replay(const nlohmann::json& entry) {
    const auto group = entry.at("group").get<std::string>();
    const auto name = fmt::format("{}.{}", entry.at("case").get<std::string>(),
                                  entry.at("dtype").get<std::string>());
    Tally& tally = tally_of(group);
    ++tally.cases;
    std::vector<std::string> failures;
    try {
      const auto known = std::ranges::find(groups(), group, &Group::name);
      if (known == groups().end()) throw CaseError("unknown group");
      const Case reference(entry, open(entry.at("file").get<std::string>()));
      Report report(reference);
      try {
        known->replay(reference, report);
        report.finish();
      } catch (const std::exception& error) {
        report.fail(error.what());
      }
      failures = report.failures();
      tally.values += report.values();
      tally.worst = std::max(tally.worst, report.worst());
      for (int byte = 0; byte < 8; ++byte) {
        digest_ = fnv1a(digest_, static_cast<std::uint8_t>(report.digest() >> 8 * byte));
      }
    } catch (const std::exception& error) {
      failures.push_back(error.what());
    }
    tally.failed += !failures.empty();
    for (const std::string& failure : failures) {
      tally.failures.push_back(fmt::format("{}: {}", name, failure));
    }
  }

  // A line per group, and its failures; then the sums. Returns how many cases failed.
  std::int64_t print(std::ostream& out) const {
    std::int64_t passed = 0, failed = 0;
    for (const Tally& tally : tallies_) {
      fmt::print(
          out,
          "{:<22} {:>4} cases {:>8} values   worst error {:.3g} of the tolerance{}\n",
          tally.group, tally.cases, tally.values, tally.worst,
          tally.failed ? fmt::format("   {} FAILED", tally.failed) : "");
      for (const std::string& failure : tally.failures) {
        fmt::print(out, "  {}\n", failure);
      }
      passed += tally.cases - tally.failed;
      failed += tally.failed;
    }
    fmt::print(out, "{} passed, {} failed\n", passed, failed);
    return failed;
  }

  std::uint64_t digest() const { return digest_; }

 private:
  // Groups are listed in the order in which they first appear.
  Tally& tally_of(const std::string& group) {
    const auto found = std::ranges::find(tallies_, group, &Tally::group);
    if (found != tallies_.end()) return *found;
    tallies_.push_back({});
    tallies_.back().group = group;
    return tallies_.back();
  }

  // The file of that name. The cases of a group follow one another, so the last file is
  // often the next.
  const nn::Safetensors& open(const std::string& file) {
    if (!file_ || file != file_name_) {
      file_.reset();
      file_ = nn::read_safetensors(folder_ / file);
      file_name_ = file;
    }
    return *file_;
  }

  std::filesystem::path folder_;
  std::string file_name_;
  std::optional<nn::Safetensors> file_;
  std::vector<Tally> tallies_;
  std::uint64_t digest_ = 14695981039346656037u;
};

int replay_folder(const Options& options, std::ostream& out) {
  const std::vector<nlohmann::json> entries = read_index(options.folder);
  for (const std::string& group : options.groups) {
    const bool there = std::ranges::any_of(
        entries, [&](const nlohmann::json& entry) { return entry.at("group") == group; });
    if (!there) throw UsageError("the folder has no group " + group);
  }
  if (options.threads > 0) set_num_threads(static_cast<int>(options.threads));

  Run run(options.folder);
  for (const nlohmann::json& entry : entries) {
    const auto group = entry.at("group").get<std::string>();
    if (options.groups.empty() ||
        std::ranges::find(options.groups, group) != options.groups.end()) {
      run.replay(entry);
    }
  }
  // The sums stand last, where people and scripts look for them.
  if (options.digest) fmt::print(out, "digest {:016x}\n", run.digest());
  return run.print(out) == 0 ? 0 : 1;
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  try {
    const Options options = parse(arguments);
    if (options.help) {
      fmt::print(out, "{}", help);
      return 0;
    }
    return replay_folder(options, out);
  } catch (const UsageError& error) {
    fmt::print(err, "golden: {}; see golden --help\n", error.what());
  } catch (const FolderError& error) {
    fmt::print(err, "golden: {}\n", error.what());
  }
  return 2;
}

}  // namespace heed::golden
