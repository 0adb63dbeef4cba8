// Writes seeds for the fuzz targets of stores. `make_store_seeds PROFILE OUT` makes OUT, a store as
// it is, and OUT.sections, its sections as fuzz_store packs them itself. `make_store_seeds FOLDER`
// makes a store of each kind of profile, for fuzz_store_sections.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "loaders/loader.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/graph_traces.h"
#include "tests/support/hlo_profile.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/profile_database.h"
#include "tests/support/rank_profiles.h"
#include "tests/support/store_parts.h"
#include "tests/support/tpu_profile.h"

namespace {

using namespace stepscope;

void Write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string StoreOf(const std::string& path) {
  Progress progress;
  const auto trace = LoadPath(path, {}, {}, progress);
  if (!trace.ok()) throw std::runtime_error(trace.status().message());
  return test::StoreOf(**trace);
}

// The files of each profile, by its name.
std::map<std::string, std::map<std::string, std::string>> Profiles() {
  test::GpuProfileOptions gpu;
  gpu.steps = 3, gpu.layers = 2;
  test::RankJobOptions job;
  job.ranks = 2, job.steps = 2, job.collectives = 2;
  test::NsysShape nsys;
  nsys.processes = 2, nsys.metrics = true;
  return {{"gpu", {{"a.xplane.pb", test::MakeGpuProfile(gpu)}}},
          {"tpu", {{"a.xplane.pb", test::MakeTpuProfile({.runs = 3})}}},
          {"hlo", {{"a.xplane.pb", test::MakeHloProfile()}}},
          {"nsys", {{"a.sqlite", test::NsysBytes(nsys)}}},
          {"ranks", {{"0.json", test::MakeRank(job, 0)}, {"1.json", test::MakeRank(job, 1)}}},
          {"graphs",
           {{"decode.json", test::ReplayText(test::GraphKernels(2))},
            {"capture_traces/bs_32_rank0.json", test::CaptureText(2)}}},
          {"snapshot",
           {{"a.pickle", test::ToPickle(test::MakeTrainingSnapshot(4, 2, 1 << 20, true).file)}}}};
}

void WriteAll(const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "make_store_seeds";
  for (const auto& [profile, files] : Profiles()) {
    fs::remove_all(folder);
    for (const auto& [name, bytes] : files) {
      fs::create_directories((folder / name).parent_path());
      Write(folder / name, bytes);
    }
    const bool one = files.size() == 1 || profile == "graphs";
    Write(out / profile, StoreOf(one ? folder / files.rbegin()->first : folder));
  }
  fs::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3)
    return std::fprintf(stderr, "make_store_seeds FOLDER | PROFILE OUT\n"), 2;
  try {
    if (argc == 2) return WriteAll(argv[1]), 0;
    const std::string store = StoreOf(argv[1]);
    Write(argv[2], std::string(1, '\0') + store);
    Write(std::string(argv[2]) + ".sections", test::FuzzInput(test::PartsOf(store)));
  } catch (const std::runtime_error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 3;
  }
  return 0;
}
