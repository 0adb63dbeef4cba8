#include "app/session/profile_label.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace stepscope {
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

std::string LabelOf(const Trace& trace) {
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

}  // namespace stepscope
