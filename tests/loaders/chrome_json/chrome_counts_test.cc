// Event counts of real files, compared with an independent count by Python's json module.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Counts slices (X and matched B/E), instants, and arrows: the steps and ends of flows that follow
// a start.
constexpr const char* kCount = R"PY(
import collections, gzip, json, sys
opener = gzip.open if sys.argv[1].endswith('.gz') else open
data = json.load(opener(sys.argv[1]))
events = data['traceEvents'] if isinstance(data, dict) else data
n = collections.Counter(e.get('ph') for e in events)
assert not set(n) - set('XisfMC') - {None}, n
starts = {(e['cat'], e['name'], e['id']) for e in events if e.get('ph') == 's'}
arrows = sum(1 for e in events if e.get('ph') == 'f' and (e['cat'], e['name'], e['id']) in starts)
steps = sum(1 for e in events if e.get('ph') == 'X' and e['name'].startswith('ProfilerStep#'))
busy = sum(round(e['dur'] * 1e6) for e in events if e.get('ph') == 'X' and e.get('cat') == 'kernel')
print(n['X'], n['i'], arrows, steps, busy)
)PY";

struct Counts {
  unsigned long long slices = 0, instants = 0, arrows = 0, steps = 0, kernel_ps = 0;
  bool operator==(const Counts&) const = default;
};

std::optional<Counts> CountByPython(const fs::path& file) {
  const fs::path script =
      fs::temp_directory_path() / ("chrome_counts_" + std::to_string(getpid()) + ".py");
  std::FILE* out = std::fopen(script.c_str(), "w");
  if (out == nullptr) return std::nullopt;
  std::fputs(kCount, out);
  std::fclose(out);
  std::FILE* pipe =
      popen(("python3 '" + script.string() + "' '" + file.string() + "' 2>&1").c_str(), "r");
  Counts c;
  const int read = pipe == nullptr ? 0
                                   : std::fscanf(pipe, "%llu %llu %llu %llu %llu", &c.slices,
                                                 &c.instants, &c.arrows, &c.steps, &c.kernel_ps);
  if (pipe != nullptr) pclose(pipe);
  fs::remove(script);
  if (read != 5) return std::nullopt;
  return c;
}

Counts CountLoaded(const Trace& trace) {
  Counts c;
  c.slices = trace.counts.slices;
  c.instants = trace.counts.instants;
  c.arrows = trace.counts.flows;
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const EventMeta& meta = trace.names().metas[lane.meta[i]];
      if (trace.names().strings.View(meta.name).starts_with("ProfilerStep#")) ++c.steps;
      if (meta.category == EventCategory::kKernel)
        c.kernel_ps += static_cast<unsigned long long>(lane.dur[i]);
    }
  }
  return c;
}

void Compare(const fs::path& file) {
  CAPTURE(file.string());
  const std::optional<Counts> expected = CountByPython(file);
  REQUIRE_MESSAGE(expected.has_value(), "python3 could not count the file");
  Progress progress;
  const Result<TracePtr> trace = LoadPath(file.string(), {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  const Counts got = CountLoaded(**trace);
  CHECK(got.slices == expected->slices);
  CHECK(got.instants == expected->instants);
  CHECK(got.arrows == expected->arrows);
  CHECK(got.steps == expected->steps);
  CHECK(got.kernel_ps == expected->kernel_ps);
  CHECK((*trace)->diagnostics.problems() == 0);
}

bool HasPython() { return std::system("python3 -c 'import json, gzip' >/dev/null 2>&1") == 0; }

TEST_CASE("chrome counts: our own samples hold what Python's json counts") {
  if (!HasPython()) {
    MESSAGE("SKIPPED: no python3 to count with");
    return;
  }
  for (const char* name :
       {"torch_cpu.json.gz", "torch_cpu_stack.json.gz", "jax_cpu.trace.json.gz"}) {
    Compare(test::SourcePath("tests/data/") + name);
  }
}

TEST_CASE("chrome counts: every further recording holds what Python's json counts") {
  const fs::path folder = test::SharedPath("traces");
  if (!fs::is_directory(folder) || !HasPython()) {
    MESSAGE("SKIPPED: no " << folder.string() << " or no python3");
    return;
  }
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    Compare(entry.path());
    ++files;
  }
  CHECK(files >= 9);
}

TEST_CASE("chrome counts: our own samples need no repair, whatever the number of threads") {
  for (const char* name :
       {"torch_cpu.json.gz", "torch_cpu_stack.json.gz", "jax_cpu.trace.json.gz"}) {
    CAPTURE(name);
    std::string dumps[2];
    for (const unsigned threads : {1u, 4u}) {
      LoadOptions options;
      options.threads = threads;
      const Result<TracePtr> trace =
          TryChromeFile({test::SourcePath("tests/data/") + name, "", nullptr}, options);
      REQUIRE(trace.ok());
      dumps[threads == 1 ? 0 : 1] = Dump(**trace);
      CHECK(DiagnosticCount(**trace, "chrome.repaired") == 0);
    }
    CHECK(dumps[0].size() > 10'000);
    CHECK(dumps[0] == dumps[1]);
  }
}

}  // namespace
}  // namespace stepscope
