// A trace whose store is larger than the buffers between two programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace stepscope {

// Writes it into the folder; returns its path.
inline std::string LargeTrace(const std::filesystem::path& folder) {
  std::string text = R"({"traceEvents":[)";
  for (int64_t i = 0; i < 60'000; ++i) {
    if (i > 0) text += ',';
    text += R"({"ph":"X","cat":"cpu_op","name":"op )" + std::to_string(i * 7919 % 5000) +
            R"(","pid":1,"tid":)" + std::to_string(i % 4) + R"(,"ts":)" +
            std::to_string(i * 10 + i * 7919 % 3) + R"(,"dur":)" + std::to_string(i * 31 % 9) +
            R"(,"args":{"External id":)" + std::to_string(i * 104729 % 1000003) + "}}";
  }
  std::ofstream(folder / "large.json") << text << "]}";
  return (folder / "large.json").string();
}

}  // namespace stepscope
