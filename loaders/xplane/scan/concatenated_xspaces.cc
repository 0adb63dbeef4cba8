#include "loaders/xplane/scan/concatenated_xspaces.h"

#include <algorithm>
#include <string>

#include "loaders/riegeli/record_file.h"

namespace stepscope::xplane {
namespace {

// Decides by the content, and by the name only where the beginning of the file is damaged.
Result<bool> IsRiegeliFile(const FileScan& scan) {
  std::byte prefix[riegeli::kBlockHeaderBytes];
  const Result<size_t> n = scan.source->Read(0, prefix);
  if (!n.ok()) return n.status();
  if (riegeli::IsRiegeli(std::span(prefix).first(*n))) return true;
  return scan.file_name.find(kRiegeliEnding) != std::string::npos &&
         riegeli::HasRiegeliBlock(*scan.source);
}

}  // namespace

Status FindSpaces(const LoadOptions& options, const std::stop_token& stop, Progress* progress,
                  FileScan* scan) {
  const Result<bool> is_riegeli = IsRiegeliFile(*scan);
  if (!is_riegeli.ok()) return is_riegeli.status();
  if (!*is_riegeli) {
    scan->spaces = {{0, scan->source->size()}};
    return {};
  }
  if (progress != nullptr) progress->SetStage("Inflating");
  Result<riegeli::RecordFile> file = riegeli::ReadRecordFile(
      *scan->source, options.max_inflated_bytes, options.threads, stop, progress);
  if (!file.ok()) return file.status();
  if (progress != nullptr) progress->SetStage("Reading");
  scan->source = std::move(file->source);
  scan->spaces = std::move(file->records);
  scan->damage = std::move(file->damage);
  scan->several = true;
  return {};
}

std::vector<std::vector<PlaneScan*>> GroupPlanes(FileScan* file) {
  std::vector<std::vector<PlaneScan*>> groups;
  std::unordered_map<std::string_view, size_t> by_name;
  for (PlaneScan& scan : file->planes) {
    const auto [it, added] = by_name.try_emplace(scan.name, groups.size());
    if (added || !file->several) groups.emplace_back();
    (file->several ? groups[it->second] : groups.back()).push_back(&scan);
  }
  return groups;
}

void StatJoiner::Add(std::vector<PlaneStat> stats) {
  if (stats_.empty()) {
    stats_ = std::move(stats);
    return;
  }
  if (by_name_.empty()) {
    for (size_t i = 0; i < stats_.size(); ++i) by_name_.try_emplace(stats_[i].name, i);
  }
  for (PlaneStat& stat : stats) {
    const auto [it, added] = by_name_.try_emplace(stat.name, stats_.size());
    if (added) {
      stats_.push_back(std::move(stat));
    } else {
      stats_[it->second].value = std::move(stat.value);
    }
  }
}

}  // namespace stepscope::xplane
