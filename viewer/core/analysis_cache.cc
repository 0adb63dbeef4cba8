#include "viewer/core/analysis_cache.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stepscope {

AnalysisCache::Entry* AnalysisCache::Find(const Run& run, std::string_view analysis,
                                          const AnalysisParams& params) {
  for (Entry& entry : entries_) {
    if (entry.context == run.analysis && entry.analysis == analysis && entry.params == params)
      return &entry;
  }
  return nullptr;
}

std::shared_ptr<const AnalysisResult> AnalysisCache::Share(const Run& run,
                                                           std::string_view analysis,
                                                           const AnalysisParams& params) {
  if (!run.analysis || FindAnalysis(analysis) == nullptr) return nullptr;
  Entry* entry = Find(run, analysis, params);
  if (entry == nullptr) {
    Evict();
    entry = &entries_.emplace_back();
    entry->context = run.analysis;
    entry->analysis = std::string(analysis);
    entry->params = params;
  }
  entry->asked = ++clock_;
  if (entry->result) return entry->result;
  if (std::optional<AnalysisResult> result = entry->job.Take()) {
    Keep(*entry, std::move(*result));
  } else if (entry->job.failed()) {
    AnalysisResult none;
    none.empty_reason = "There is not enough memory for this analysis.";
    Keep(*entry, std::move(none));
  } else if (!entry->job.active()) {
    Start(*entry);
  }
  return entry->result;
}

void AnalysisCache::Keep(Entry& entry, AnalysisResult result) {
  result.serial = ++serial_;
  entry.result = std::make_shared<const AnalysisResult>(std::move(result));
}

void AnalysisCache::Start(Entry& entry) {
  size_t running = 0;
  for (const Entry& other : entries_) running += other.job.busy() ? 1u : 0u;
  // Asked again next frame.
  if (running >= kMaxJobs || threads_.running() >= kMaxThreads) return;
  const AnalysisDesc* desc = FindAnalysis(entry.analysis);
  entry.job.Start(threads_, [desc, context = entry.context, params = entry.params](
                                const std::stop_token& stop, Progress&) {
    return RunAnalysis(*desc, *context, params, stop);
  });
}

void AnalysisCache::NextFrame() {
  for (Entry& entry : entries_) {
    if (!entry.job.busy() || entry.asked > frame_) continue;
    const bool replaced = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& other) {
      return other.context == entry.context && other.analysis == entry.analysis &&
             other.asked > frame_;
    });
    if (replaced) entry.job.Stop();
  }
  frame_ = clock_;
}

bool AnalysisCache::busy() const {
  // A finished job may wait long for its owner: a panel hidden since it asked. Its wake draws a
  // frame, in which one that is still shown takes the result.
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry& e) { return e.job.busy(); });
}

void AnalysisCache::Evict() {
  while (entries_.size() >= kMaxResults) {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.asked < b.asked; });
    entries_.erase(oldest);
  }
}

void AnalysisCache::KeepOnly(std::span<const Run> runs) {
  entries_.remove_if([runs](const Entry& e) {
    return std::none_of(runs.begin(), runs.end(),
                        [&e](const Run& run) { return run.analysis == e.context; });
  });
}

}  // namespace stepscope
