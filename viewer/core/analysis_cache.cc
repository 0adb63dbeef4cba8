#include "viewer/core/analysis_cache.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace stepscope {

AnalysisResult AnalysisCache::Question::Answer() const {
  if (a != nullptr) return analysis->compare(*a, *b, params);
  AnalysisDesc asked = *analysis;
  if (first) asked.run = analysis->first;
  return RunAnalysis(asked, *b, params.b);
}

bool AnalysisCache::Question::Replaces(const Question& earlier) const {
  return analysis == earlier.analysis && first == earlier.first && (a != nullptr || b == earlier.b);
}

AnalysisCache::Question AnalysisCache::Question::OfFirst() const {
  Question question = *this;
  question.first = true;
  return question;
}

const AnalysisResult* AnalysisCache::GetFirst(const Profile& profile, std::string_view analysis,
                                              const AnalysisParams& params) {
  const AnalysisResult* result = Get(profile, analysis, params);
  const AnalysisDesc* desc = FindAnalysis(analysis);
  if (result != nullptr || !profile.analysis || desc == nullptr || desc->first == nullptr)
    return result;
  result = Ask(Question{desc, nullptr, profile.analysis, {{}, params}}.OfFirst()).get();
  return result != nullptr && !result->findings.empty() ? result : nullptr;
}

std::shared_ptr<const AnalysisResult> AnalysisCache::Share(const Profile& profile,
                                                           std::string_view analysis,
                                                           const AnalysisParams& params) {
  const AnalysisDesc* desc = FindAnalysis(analysis);
  if (!profile.analysis || desc == nullptr) return nullptr;
  return Ask(Question{desc, nullptr, profile.analysis, {{}, params}});
}

std::shared_ptr<const AnalysisResult> AnalysisCache::ShareComparison(const Profile& a,
                                                                     const Profile& b,
                                                                     const CompareParams& params) {
  if (!a.analysis || !b.analysis) return nullptr;
  return Ask(Question{&Comparison(), a.analysis, b.analysis, params});
}

AnalysisCache::Entry& AnalysisCache::Find(Question question) {
  for (Entry& entry : entries_) {
    if (entry.question == question) return entry;
  }
  Evict();
  entries_.emplace_back().question = std::move(question);
  return entries_.back();
}

std::shared_ptr<const AnalysisResult> AnalysisCache::Ask(Question question) {
  Entry& entry = Find(std::move(question));
  entry.asked = ++clock_;
  if (entry.result) return entry.result;
  if (std::optional<AnalysisResult> result = entry.job.Take()) {
    Keep(entry, std::move(*result));
  } else if (entry.job.failed()) {
    AnalysisResult none;
    none.empty_reason = "There is not enough memory for this analysis.";
    Keep(entry, std::move(none));
  } else if (!entry.job.active()) {
    Start(entry);
  }
  return entry.result;
}

void AnalysisCache::Keep(Entry& entry, AnalysisResult result) {
  result.serial = ++serial_;
  entry.result = std::make_shared<const AnalysisResult>(std::move(result));
}

void AnalysisCache::Start(Entry& entry) {
  const Question& question = entry.question;
  // The job of the first sentence is queued before the others, which begin when it has ended.
  if (!question.first && question.analysis->first != nullptr) Ask(question.OfFirst());
  size_t running = 0;
  for (const Entry& other : entries_)
    running += !other.question.first && other.job.busy() ? 1u : 0u;
  if (!question.first && running >= kMaxJobs) return;  // the panel asks again in the next frame
  entry.job.Start(question.first ? first_ : rest_,
                  [question](Progress&) { return question.Answer(); });
}

void AnalysisCache::NextFrame() {
  for (Entry& entry : entries_) {
    if (!entry.job.busy() || entry.asked > frame_) continue;
    const bool replaced = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& other) {
      return other.asked > frame_ && other.question.Replaces(entry.question);
    });
    if (replaced) entry.job.Stop();
  }
  frame_ = clock_;
}

bool AnalysisCache::busy() const {
  // A finished job does not count: its panel may be hidden and take the result much later. When a
  // job ends it wakes the window, and a panel in sight takes the result in that frame.
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

void AnalysisCache::KeepOnly(std::span<const Profile> profiles) {
  const auto closed = [profiles](const std::shared_ptr<AnalysisContext>& context) {
    return context != nullptr &&
           std::none_of(profiles.begin(), profiles.end(),
                        [&](const Profile& profile) { return profile.analysis == context; });
  };
  entries_.remove_if([&](const Entry& e) { return closed(e.question.a) || closed(e.question.b); });
}

}  // namespace stepscope
