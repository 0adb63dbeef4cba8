// AnalysisCache: results of analyses, computed in the background. Ask by key each frame; get the
// result or null while a job runs. Keys carry the trace, so nothing is ever "cleared": old keys are
// not asked again and age out. UI thread only; the job's worker only calls `wake`.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "model/analysis/analysis.h"
#include "model/base/task.h"
#include "viewer/core/session_view.h"

namespace stepscope {

class AnalysisCache {
 public:
  static constexpr size_t kMaxResults = 64;  // the least recently asked go first
  static constexpr size_t kMaxJobs = 2;      // further keys wait their turn

  explicit AnalysisCache(std::function<void()> wake) : wake_(std::move(wake)) {}
  // Null while it is being computed (or the analysis is unknown). The pointer stays valid until the
  // key has not been asked for kMaxResults other keys; hold it for one frame only.
  const AnalysisResult* Get(const RunView& run, std::string_view analysis,
                            const AnalysisParams& params);
  bool busy() const;                 // some job runs
  void DropRun(const Trace* trace);  // when a run is closed

 private:
  struct Entry {
    std::shared_ptr<AnalysisContext> context;  // keeps the trace alive while a job runs
    const Trace* trace = nullptr;
    std::string analysis;
    AnalysisParams params;
    std::unique_ptr<AnalysisResult> result;
    std::unique_ptr<Job<AnalysisResult>> job;
    uint64_t asked = 0;
  };
  Entry* Find(const RunView& run, std::string_view analysis, const AnalysisParams& params);
  void Start(Entry& entry);
  void Evict();

  std::function<void()> wake_;
  std::list<Entry> entries_;
  uint64_t clock_ = 0, serial_ = 0;
};

}  // namespace stepscope
