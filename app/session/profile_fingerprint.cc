#include "app/session/profile_fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <vector>

#include "model/base/fnv.h"

namespace stepscope {
namespace {

constexpr uint64_t kPart = uint64_t{64} << 10;

bool AddPart(std::ifstream& file, uint64_t at, uint64_t size, Fnv* fnv) {
  std::string bytes(size, '\0');
  file.seekg(static_cast<std::streamoff>(at));
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!file) return false;
  fnv->Add(bytes);
  return true;
}

bool AddFile(const std::string& path, Fnv* fnv) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return false;
  fnv->Add(size);
  const uint64_t part = std::min(size, kPart);
  return AddPart(file, 0, part, fnv) && AddPart(file, size - part, part, fnv);
}

}  // namespace

std::string ProfileFingerprint(const Trace& trace) {
  std::vector<std::string> files;
  for (const Host& host : trace.hosts) {
    const bool known = std::find(files.begin(), files.end(), host.file) != files.end();
    if (!host.file.empty() && !known) files.push_back(host.file);
  }
  if (files.empty() && !trace.path.empty()) files.push_back(trace.path);
  Fnv fnv;
  for (const std::string& file : files) {
    if (!AddFile(file, &fnv)) return {};
  }
  return files.empty() ? std::string() : fmt::format("{:016x}", fnv.value());
}

}  // namespace stepscope
