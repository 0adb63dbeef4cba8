// Fleets in temporary folders, with the profiles that they are made of.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "loaders/fleet/fleet_loader.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/ranks/gather_facts.h"
#include "tests/support/rank_profiles.h"

namespace stepscope::test {

class FleetFolder {
 public:
  explicit FleetFolder(const char* name)
      : root_(std::filesystem::temp_directory_path() /
              ("stepscope_fleet_" + std::to_string(getpid()) + name)) {
    std::filesystem::create_directories(root_);
  }
  ~FleetFolder() {
    std::error_code error;
    std::filesystem::remove_all(root_, error);
  }
  FleetFolder(const FleetFolder&) = delete;
  FleetFolder& operator=(const FleetFolder&) = delete;
  std::string Path(const std::string& name = "") const { return (root_ / name).string(); }
  void Add(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path root_;
};

inline std::shared_ptr<const Trace> LoadedFrom(const std::string& path) {
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

inline AnalysisResult PageOf(const std::shared_ptr<const Trace>& trace, const char* page) {
  AnalysisContext context(trace, Definitions::kStepscope);
  return FindAnalysis(page)->run(context, {});
}

inline std::string PartFrom(const std::string& path, const std::string& run) {
  const std::shared_ptr<const Trace> trace = LoadedFrom(path);
  AnalysisContext context(trace, Definitions::kStepscope);
  FleetPart part;
  part.file.path = path;
  part.run = run;
  part.origin_unix_ns = trace->origin_unix_ns;
  part.facts = GatherFacts(context, {}, FactsDepth::kAll);
  return fleet::WritePart(part);
}

// Writes profiles of all ranks, and the parts of a fleet from each alone.
inline void MakeBoth(const RankJobOptions& options, const FleetFolder& profiles,
                     const FleetFolder& parts) {
  for (int r = 0; r < options.ranks; ++r) {
    const std::string name = RankFileName(r);
    profiles.Add(name, MakeRank(options, r));
    parts.Add("facts/" + std::to_string(r) + ".stepfacts",
              PartFrom(profiles.Path(name), profiles.Path()));
  }
}

}  // namespace stepscope::test
