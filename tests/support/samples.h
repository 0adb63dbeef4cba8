// Paths of the recordings that lie in the repository.
#pragma once

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

}  // namespace stepscope::test
