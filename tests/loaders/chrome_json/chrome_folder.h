// A folder of files that is removed at the end of a test, and a text of many events.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stepscope {

class TempFolder {
 public:
  TempFolder()
      : root_(std::filesystem::temp_directory_path() /
              ("chrome_files_" + std::to_string(getpid()) + "_" +
               std::to_string(reinterpret_cast<uintptr_t>(this)))) {
    std::filesystem::create_directories(root_);
  }
  ~TempFolder() { std::filesystem::remove_all(root_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string Add(const std::string& name, const std::string& bytes) const {
    std::ofstream(root_ / name, std::ios::binary) << bytes;
    return (root_ / name).string();
  }
  std::string path() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

inline std::string ManyEvents(size_t bytes) {
  std::string text = "[";
  for (size_t i = 0; text.size() < bytes; ++i) {
    text += std::string(i == 0 ? "" : ",") + R"({"ph":"X","pid":1,"tid":)" + std::to_string(i % 9) +
            R"(,"ts":)" + std::to_string(i * 10) + R"(,"dur":5.5,"name":"op)" +
            std::to_string(i % 100) + R"(","args":{"External id":)" + std::to_string(i) + "}}";
  }
  return text + "]";
}

}  // namespace stepscope
