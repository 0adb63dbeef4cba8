#include "viewer/core/analysis_cache.h"

#include <algorithm>
#include <utility>

namespace stepscope {

AnalysisCache::Entry* AnalysisCache::Find(const RunView& run, std::string_view analysis,
                                          const AnalysisParams& params) {
  for (Entry& entry : entries_) {
    if (entry.trace == run.trace.get() && entry.analysis == analysis && entry.params == params) {
      return &entry;
    }
  }
  return nullptr;
}

const AnalysisResult* AnalysisCache::Get(const RunView& run, std::string_view analysis,
                                         const AnalysisParams& params) {
  if (!run.analysis || FindAnalysis(analysis) == nullptr) return nullptr;
  Entry* entry = Find(run, analysis, params);
  if (entry == nullptr) {
    Evict();
    entries_.push_back({});
    entry = &entries_.back();
    entry->context = run.analysis;
    entry->trace = run.trace.get();
    entry->analysis = std::string(analysis);
    entry->params = params;
  }
  entry->asked = ++clock_;
  if (entry->job && entry->job->done()) {
    entry->result = std::make_unique<AnalysisResult>(entry->job->Take());
    entry->result->serial = ++serial_;
    entry->job.reset();
  }
  if (!entry->result && !entry->job) Start(*entry);
  return entry->result.get();
}

void AnalysisCache::Start(Entry& entry) {
  size_t running = 0;
  for (const Entry& other : entries_) running += other.job && !other.job->done() ? 1u : 0u;
  if (running >= kMaxJobs) return;  // asked again next frame
  const AnalysisDesc* desc = FindAnalysis(entry.analysis);
  entry.job = std::make_unique<Job<AnalysisResult>>(
      [desc, context = entry.context, params = entry.params](std::stop_token stop, Progress&) {
        return desc->run(*context, params, std::move(stop));
      },
      wake_);
}

bool AnalysisCache::busy() const {
  // A finished job may wait long for its owner: a panel hidden since it asked. Its wake draws a
  // frame, in which one that is still shown takes the result.
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& e) { return e.job && !e.job->done(); });
}

void AnalysisCache::Evict() {
  while (entries_.size() >= kMaxResults) {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.asked < b.asked; });
    entries_.erase(oldest);
  }
}

void AnalysisCache::DropRun(const Trace* trace) {
  entries_.remove_if([trace](const Entry& e) { return e.trace == trace; });
}

}  // namespace stepscope
