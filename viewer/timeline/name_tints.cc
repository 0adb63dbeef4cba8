#include "viewer/timeline/name_tints.h"

#include <utility>

#include "viewer/core/align_runs.h"

namespace stepscope {
namespace {

constexpr float kLeast = 0.45f;  // of a colour, where the change is the smallest
constexpr float kGrey = 0.5f;    // between the ground and muted text

}  // namespace

texel::Pattern TintColors::PatternOf(NameChange::Kind kind) {
  switch (kind) {
    case NameChange::Kind::kSlower:
      return texel::Pattern::kRising;
    case NameChange::Kind::kFaster:
      return texel::Pattern::kFalling;
    case NameChange::Kind::kOnlyHere:
      return texel::Pattern::kCrossed;
    default:
      return texel::Pattern::kPlain;
  }
}

TintColors::TintColors(const Theme& theme) {
  const Rgba same = Mix(theme[Role::kPanel], theme[Role::kText3], kGrey);
  const auto full = [&](NameChange::Kind kind) {
    switch (kind) {
      case NameChange::Kind::kSlower:
        return theme[Role::kSlower];
      case NameChange::Kind::kFaster:
        return theme[Role::kFaster];
      case NameChange::Kind::kOnlyHere:
        return theme[Kind::kCollective];
      default:
        return same;
    }
  };
  for (size_t kind = 0; kind < colors_.size(); ++kind) {
    const auto of = static_cast<NameChange::Kind>(kind);
    for (size_t i = 0; i < colors_[kind].size(); ++i) {
      const float share = static_cast<float>(i) / NameChange::kMostStrength;
      const Rgba color = Mix(same, full(of), kLeast + (1 - kLeast) * share);
      colors_[kind][i] = texel::WithPattern(color, PatternOf(of));
    }
  }
}

NamesOfRun NameTints::NamesOf(const Side& side) {
  NamesOfRun names;
  names.trace = side.trace.get();
  for (const auto& set : side.derived) names.derived.push_back(set.get());
  if (side.steps != nullptr) {
    for (const StepMarker& step : *side.steps) {
      if (step.counts) names.steps.push_back(step.range);
    }
  }
  return names;
}

bool NameTints::Hide() { return std::exchange(shown_, false); }

bool NameTints::Update(std::span<const Run> runs, const ViewState& view, bool wanted,
                       JobThreads& threads) {
  const Run* run = ComparedRun(runs, view);
  const Run* base = FindRun(runs, view.baseline);
  const bool pair = run != nullptr && base != nullptr && !AreSnapshotAndTrace(*run, *base);
  if (!wanted || !pair) {
    job_.Stop();
    asked_ = made_of_;
    if (run == nullptr) asked_ = made_of_ = {}, made_ = {};  // of runs that may be closed
    return Hide();
  }
  Question question{SideOf(*base), SideOf(*run)};
  bool changed = false;
  if (!(question == asked_)) {
    asked_ = question;
    job_.Start(threads, [question](const std::stop_token& stop, Progress&) {
      return FindNameChanges(NamesOf(question.a), NamesOf(question.b), stop);
    });
  }
  if (std::optional<NameChanges> found = job_.Take()) {
    made_ = std::move(*found);
    made_of_ = asked_;
    changed = true;
  }
  // What is there of these runs stays while steps or derived sets come in.
  const bool ours = made_of_.a.trace == base->trace && made_of_.b.trace == run->trace;
  if (!ours || base_ != base->id || run_ != run->id) {
    base_ = base->id;
    run_ = run->id;
    changed = true;
  }
  if (!ours) return Hide() || changed;
  return !std::exchange(shown_, true) || changed;
}

const std::vector<NameChange>* NameTints::Of(TraceId run, uint32_t set) const {
  if (!shown_ || (run != base_ && run != run_)) return nullptr;
  const auto& sets = run == base_ ? made_.a : made_.b;
  return set < sets.size() ? &sets[set] : nullptr;
}

}  // namespace stepscope
