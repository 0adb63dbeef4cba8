#include "app/session/profile_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "app/system/version.h"
#include "model/base/number_hash.h"

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

namespace fs = std::filesystem;
namespace {

// The host's name without what the file's name says already: "rank 3" for the host "train rank 3"
// of train.json.gz.
std::string_view BesideFile(std::string_view host, std::string_view file) {
  const std::string_view stem = file.substr(0, file.find('.'));
  if (host == file || !host.starts_with(stem)) return host == file ? "" : host;
  const std::string_view rest = host.substr(stem.size());
  return rest.empty() || rest.front() == ' ' ? rest.substr(std::min<size_t>(1, rest.size())) : host;
}

// The name of the log directory that a run lies in, whether it, its "plugins/profile" or the run
// was opened. TensorBoard's folders between them say nothing.
std::string LogDirectory(const Trace& trace) {
  fs::path path = fs::path(trace.path).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == trace.run) {
    path = path.parent_path();
    if (path.filename() != "profile") return {};  // a file is a run of its own
  }
  for (const char* folder : {"profile", "plugins"})
    if (path.filename() == folder) path = path.parent_path();
  const std::string name = path.filename().string();
  return name == "." || name == ".." ? std::string() : name;
}

}  // namespace

std::string ProfileLabel(const Trace& trace) {
  std::string label = trace.run.empty() ? fs::path(trace.path).filename().string() : trace.run;
  const std::string logs = trace.run.empty() ? std::string() : LogDirectory(trace);
  // Several files together are called after the first: "rank0.json and 7 more".
  const bool named = logs == trace.run || trace.run.starts_with(logs + " and ");
  if (!logs.empty() && !named) label = logs + " · " + label;
  if (trace.hosts.size() == 1) {
    const std::string_view host = BesideFile(trace.HostName(HostId(0)), label);
    if (!host.empty()) label += " · " + std::string(host);
  } else if (trace.hosts.size() > 1) {
    label += " · " + std::to_string(trace.hosts.size()) + " hosts";
  }
  return label;
}

store::StoreFacts StoreFactsOf(const Trace& trace) {
  const std::string version = VersionText();
  return {ProfileFingerprint(trace), version.substr(0, version.find('\n'))};
}

}  // namespace stepscope
