// AnalysisCache: results of analyses, computed in the background. Ask by key each frame; get the
// result or null while a job runs. Keys carry the run's analysis context, so nothing is ever
// "cleared": old keys are not asked again and age out. A job that a newer question replaces is told
// to stop; nobody waits for it. UI thread only; the job's worker only calls `wake`.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "model/analysis/analysis.h"
#include "model/base/latest_job.h"
#include "viewer/core/run.h"

namespace stepscope {

class AnalysisCache {
 public:
  static constexpr size_t kMaxResults = 64;  // the least recently asked go first
  static constexpr size_t kMaxJobs = 2;      // further keys wait their turn
  // With those that were told to stop and have not ended yet.
  static constexpr size_t kMaxThreads = 4;

  explicit AnalysisCache(std::function<void()> wake) : threads_(std::move(wake)) {}
  // Null while it is being computed (or the analysis is unknown). The pointer stays valid until the
  // key has not been asked for kMaxResults other keys; hold it for one frame only.
  const AnalysisResult* Get(const Run& run, std::string_view analysis,
                            const AnalysisParams& params) {
    return Share(run, analysis, params).get();
  }
  // The same, to be held for longer: by a job that works on it.
  std::shared_ptr<const AnalysisResult> Share(const Run& run, std::string_view analysis,
                                              const AnalysisParams& params);
  // Once a frame, before anyone asks: stops jobs that nobody asked for in the last frame and whose
  // analysis was asked for with other parameters since. Those of a panel that is only hidden go on.
  void NextFrame();
  bool busy() const;  // some job runs that is not told to stop
  // Drops what belongs to other runs, when some were closed or have another analysis context.
  void KeepOnly(std::span<const Run> runs);

 private:
  struct Entry {
    std::shared_ptr<AnalysisContext> context;  // keeps the trace alive; its address is the key
    std::string analysis;
    AnalysisParams params;
    std::shared_ptr<const AnalysisResult> result;
    LatestJob<AnalysisResult> job;
    uint64_t asked = 0;
  };
  Entry* Find(const Run& run, std::string_view analysis, const AnalysisParams& params);
  void Start(Entry& entry);
  void Keep(Entry& entry, AnalysisResult result);
  void Evict();

  JobThreads threads_;  // before the entries: joined when they have been told to stop
  std::list<Entry> entries_;
  uint64_t clock_ = 0, serial_ = 0;
  uint64_t frame_ = 0;  // clock_ when the frame began
};

}  // namespace stepscope
