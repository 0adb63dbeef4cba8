#include "loaders/capture_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"
#include "loaders/profile_dir.h"
#include "model/graph_captures.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kList = "execution_details.json";
constexpr uint64_t kMostListBytes = 1 << 20;

// An entry of the list: one file.
struct Listed {
  std::string mode;
  int64_t batch_size = -1;
};
using Listing = std::map<std::string, Listed>;  // by file name

void ReadEntry(std::string_view object, Listing* list) {
  std::string file;
  Listed listed;
  json::ForEachMember(object, [&](std::string_view key, std::string_view value) {
    if (key == "file") json::Unescape(value, &file);
    if (key == "mode" && value != "null") json::Unescape(value, &listed.mode);
    if (key == "batch_size") listed.batch_size = json::ParseInt(value).value_or(-1);
    return true;
  });
  if (!file.empty() && fs::path(file).filename() == file) list->try_emplace(file, listed);
}

Listing ReadList(const fs::path& folder) {
  Listing list;
  const Result<std::string> text = ReadPrefix((folder / kList).string(), kMostListBytes);
  if (!text.ok()) return list;
  const size_t begin = text->find('[');
  if (begin == std::string::npos) return list;
  json::ForEachElement(std::string_view(*text).substr(begin), [&](std::string_view element) {
    ReadEntry(element, &list);
    return list.size() < kMaxDirectoryEntries;
  });
  return list;
}

// The loader of a capture with this name, or null.
const LoaderDesc* LoaderOf(const std::string& name) {
  const FileName kind = ClassifyFileName(name);
  const bool read = kind.loader != nullptr && kind.loader->format->capabilities.torch_profiler;
  return read ? kind.loader : nullptr;
}

void FindIn(const fs::path& folder, std::vector<CaptureFile>* captures) {
  const Listing list = ReadList(folder);
  std::error_code error;
  fs::directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
  size_t entries = 0;
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    const std::string name = it->path().filename().string();
    if (++entries > kMaxDirectoryEntries) return;
    if (!it->is_regular_file(ignored) || LoaderOf(name) == nullptr) continue;
    const auto listed = list.find(name);
    if (!list.empty() && listed == list.end()) continue;
    CaptureFile file{it->path().string(), name, "", -1, it->file_size(ignored)};
    if (listed != list.end())
      file.mode = listed->second.mode, file.batch_size = listed->second.batch_size;
    captures->push_back(std::move(file));
  }
}

bool LaunchesGraphs(const NameTable& names) {
  return std::any_of(names.metas.begin(), names.metas.end(), [&](const EventMeta& meta) {
    return meta.category == EventCategory::kRuntimeCall &&
           names.strings.View(meta.name).find("GraphLaunch") != std::string_view::npos;
  });
}

// 3 of "bs_32_rank3.json"; -1 where the name has no rank.
int RankInName(std::string_view name) {
  const size_t at = name.rfind("rank");
  if (at == std::string_view::npos) return -1;
  std::string_view digits = name.substr(at + 4);
  if (!digits.empty() && (digits.front() == '_' || digits.front() == '-')) digits.remove_prefix(1);
  int rank = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return rank;
}

// Drops captures of ranks that were not read.
void KeepRanks(const Trace& trace, std::vector<CaptureFile>* captures) {
  std::set<int> ranks;
  for (const Host& host : trace.hosts) ranks.insert(host.rank);
  if (ranks.empty() || ranks.contains(-1)) return;
  std::erase_if(*captures, [&](const CaptureFile& file) {
    const int rank = RankInName(file.name);
    return rank >= 0 && !ranks.contains(rank);
  });
}

void KeepMost(std::vector<CaptureFile>* captures, std::vector<std::string>* skipped) {
  uint64_t bytes = 0;
  size_t kept = 0;
  while (kept < captures->size() && kept < kMostCaptures &&
         bytes + (*captures)[kept].bytes <= kMostCaptureBytes)
    bytes += (*captures)[kept++].bytes;
  for (size_t i = kept; i < captures->size(); ++i)
    skipped->push_back((*captures)[i].name + ": more captures of graphs than are read along");
  captures->resize(kept);
}

// Loads one capture, without looking for captures beside it.
Result<std::shared_ptr<const Trace>> LoadOne(const CaptureFile& file, const LoadOptions& options,
                                             const std::stop_token& stop) {
  TraceBuilder builder;
  builder.trace().path = file.path;
  builder.trace().run = file.name;
  Progress progress;
  const InputFile input{file.path, "", nullptr};
  const LoaderDesc& loader = *LoaderOf(file.name);
  if (Status s = loader.load(builder, std::span(&input, 1), options, stop, progress); !s.ok())
    return s;
  return builder.Finish(stop);
}

}  // namespace

std::vector<CaptureFile> FindCaptures(std::span<const InputFile> files) {
  std::set<fs::path> folders;
  for (const InputFile& file : files) {
    if (file.opened != nullptr) continue;
    folders.insert(fs::path(file.path).parent_path() / kCaptureFolder);
  }
  std::vector<CaptureFile> captures;
  for (const fs::path& folder : folders) FindIn(folder, &captures);
  std::sort(captures.begin(), captures.end(), [](const CaptureFile& a, const CaptureFile& b) {
    return std::tie(a.name, a.path) < std::tie(b.name, b.path);
  });
  return captures;
}

Status AddCaptures(std::vector<CaptureFile> captures, const LoadOptions& options,
                   const std::stop_token& stop, Progress* progress, TraceBuilder* builder) {
  Trace& trace = builder->trace();
  if (captures.empty() || !LaunchesGraphs(builder->names())) return {};
  KeepRanks(trace, &captures);
  KeepMost(&captures, &trace.skipped_files);
  std::vector<GraphCapture> loaded;
  for (const CaptureFile& file : captures) {
    progress->SetStage("Reading captures of graphs");
    Result<std::shared_ptr<const Trace>> capture = LoadOne(file, options, stop);
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    progress->bytes_done += file.bytes;
    if (capture.ok()) {
      loaded.push_back({file.name, file.mode, file.batch_size, *capture});
    } else {
      trace.skipped_files.push_back(file.name + ": " + capture.status().message());
    }
  }
  if (!loaded.empty())
    trace.source = std::make_shared<SourceWithCaptures>(trace.source, std::move(loaded));
  return {};
}

}  // namespace stepscope
