// Paths of the recordings that lie in the repository, and of those beside it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/source_paths.h"

namespace stepscope::test {

inline std::vector<std::string> Samples() {
  const std::string root = test::SourcePath("");
  std::vector<std::string> paths = {root + "share/samples/sample"};
  for (const char* name :
       {"jax_cpu.trace.json.gz", "jax_cpu.xplane.pb.zst", "tf_eagerpy.xplane.pb.zst",
        "tf_graph.xplane.pb.zst", "tf_inputbound.xplane.pb.zst", "tf_keras.xplane.pb.zst",
        "torch_cpu.json.gz", "torch_cpu_stack.json.gz"}) {
    paths.push_back(root + "tests/data/" + name);
  }
  return paths;
}

// Real recordings beside the repository; empty where these are not there.
inline std::vector<std::string> SharedRecordings() {
  std::vector<std::string> paths;
  for (const char* name :
       {"traces/bert_h100.json.gz", "traces/graphs/sglang_decode", "traces/kineto_pm_counters.json",
        "traces/minitoy_mi250.json.gz", "traces/qwen_h100.json.gz", "traces/sampled_rank0.json.gz",
        "traces/timesformer_mi300.json.gz", "traces/torch_diff_control.json.gz",
        "traces/torch_diff_test.json.gz", "other/nsys_h100.sqlite", "profiles/jax_mi300x",
        "profiles/jax_riegeli", "profiles/jax_transformer_cpu", "profiles/tpu_v6e"}) {
    const std::string path = SharedPath(name);
    if (std::filesystem::exists(path)) paths.push_back(path);
  }
  return paths;
}

}  // namespace stepscope::test
