// Every panel and the timeline, driven by mouse and keys on real profiles. Exit status: failures.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "model/jobs/scheduler.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/source_paths.h"
#include "tests/ui/ui_app.h"

namespace {

std::vector<std::string> Profiles(const std::filesystem::path& scratch) {
  using stepscope::test::GpuProfileOptions;
  const std::string source = stepscope::test::SourcePath(""),
                    shared = stepscope::test::SharedPath("");
  std::vector<std::string> out{source + "tests/data/tf_graph.xplane.pb.zst",
                               source + "tests/data/torch_cpu.json.gz"};
  GpuProfileOptions options;
  options.steps = 4;
  options.layers = 10;
  const std::string gpu = (scratch / "gpu.xplane.pb").string();
  std::ofstream(gpu, std::ios::binary) << stepscope::test::MakeGpuProfile(options);
  out.push_back(gpu);
  for (const char* path : {"profiles/jax_mi300x", "traces/bert_h100.json.gz"}) {
    if (std::filesystem::exists(shared + path)) {
      out.push_back(shared + path);
    } else {
      std::printf("SKIPPED: %s%s is not there\n", shared.c_str(), path);
    }
  }
  return out;
}

}  // namespace

int main() {
  const auto scratch = std::filesystem::temp_directory_path() / "stepscope_ui_test";
  std::filesystem::create_directories(scratch);
  stepscope::Scheduler scheduler;
  const stepscope::JobScope job(&scheduler);
  int failed = 0;
  for (const std::string& path : Profiles(scratch)) {
    stepscope::ui::UiApp app(path);
    stepscope::ui::AddTableTests(&app);
    stepscope::ui::AddTimelineTests(&app);
    stepscope::ui::AddCaptureTests(&app);
    const int here = app.RunAll();
    std::printf("%s: %d failed\n", path.c_str(), here);
    failed += here;
  }
  std::filesystem::remove_all(scratch);
  return failed;
}
