// AnalysisCache: owns the results of analyses and comparisons, and computes them in the background.
// Panels ask each frame and get the result, or null while a job runs. A question contains the
// contexts of its profiles, so no result ever becomes wrong: old questions are not asked again and
// age out. A job that a newer question replaces is told to stop, and nobody waits for it. The first
// sentence of a profile is a job of Urgency::kFirst, all else is kRest. UI thread only.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string_view>

#include "model/analysis/analysis.h"
#include "model/jobs/latest_job.h"
#include "viewer/core/profiles/profile.h"

namespace stepscope {

class AnalysisCache {
 public:
  static constexpr size_t kMaxResults = 64;  // the least recently asked for goes first
  static constexpr size_t kMaxJobs = 2;      // of kRest; further questions wait their turn

  explicit AnalysisCache(Scheduler& scheduler)
      : first_(scheduler, Urgency::kFirst), rest_(scheduler, Urgency::kRest) {}
  // Null while the result is computed, and for an unknown analysis. Hold the pointer for one frame
  // only: kMaxResults newer questions remove the result.
  const AnalysisResult* Get(const Profile& profile, std::string_view analysis,
                            const AnalysisParams& params) {
    return Share(profile, analysis, params).get();
  }
  // The result of Get(). While Get() returns null, the result of AnalysisDesc::first.
  const AnalysisResult* GetFirst(const Profile& profile, std::string_view analysis,
                                 const AnalysisParams& params);
  // The same result as Get's for a caller that keeps it, such as a job that works on it.
  std::shared_ptr<const AnalysisResult> Share(const Profile& profile, std::string_view analysis,
                                              const AnalysisParams& params);
  // The comparison of two profiles: what changed from `a` to `b`. Null while it is being computed.
  std::shared_ptr<const AnalysisResult> ShareComparison(const Profile& a, const Profile& b,
                                                        const CompareParams& params);
  // Call it once a frame, before anyone asks. Stops jobs whose question was not asked in the last
  // frame and was replaced by a newer one. The jobs of a panel that is only hidden go on.
  void NextFrame();
  bool busy() const;  // whether a job runs that was not told to stop
  // Drops results about profiles or contexts that are not among `profiles`. Call it when one is
  // closed or gets another context.
  void KeepOnly(std::span<const Profile> profiles);

 private:
  // An analysis of profile `b`, or a comparison of `a` and `b`. The contexts keep the traces alive;
  // their addresses are the key.
  struct Question {
    const AnalysisDesc* analysis = nullptr;
    std::shared_ptr<AnalysisContext> a, b;  // a: null unless the analysis compares
    CompareParams params;                   // a: of the whole trace unless the analysis compares
    bool first = false;                     // asks for what AnalysisDesc::first computes
    bool operator==(const Question&) const = default;
    AnalysisResult Answer() const;
    // Whether the answer to `earlier` is not needed any more once this question is asked.
    bool Replaces(const Question& earlier) const;
    Question OfFirst() const;
  };
  struct Entry {
    Question question;
    std::shared_ptr<const AnalysisResult> result;
    LatestJob<AnalysisResult> job;
    uint64_t asked = 0;
  };
  std::shared_ptr<const AnalysisResult> Ask(Question question);
  Entry& Find(Question question);
  void Start(Entry& entry);
  void Keep(Entry& entry, AnalysisResult result);
  void Evict();

  // Declared before the entries, which stop their jobs.
  JobQueue first_, rest_;
  std::list<Entry> entries_;
  uint64_t clock_ = 0, serial_ = 0;
  uint64_t frame_ = 0;  // clock_ when the frame began
};

}  // namespace stepscope
