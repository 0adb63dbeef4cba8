#include "viewer/timeline/slices/name_tints.h"

#include <utility>

#include "model/base/key_table.h"
#include "viewer/core/profiles/align_profiles.h"

namespace stepscope {
namespace {

constexpr float kLeast = 0.45f;    // share of the colour for the smallest change
constexpr float kSameGrey = 0.5f;  // between the ground and muted text

}  // namespace

texel::Pattern TintColors::PatternOf(NameChange::Kind kind) {
  static constexpr std::pair<NameChange::Kind, texel::Pattern> kPatterns[] = {
      {NameChange::Kind::kSlower, texel::Pattern::kRising},
      {NameChange::Kind::kFaster, texel::Pattern::kFalling},
      {NameChange::Kind::kOnlyHere, texel::Pattern::kCrossed}};
  return FindValue(kPatterns, kind, texel::Pattern::kPlain);
}

TintColors::TintColors(const Theme& theme) {
  const Rgba same = Mix(theme[Role::kPanel], theme[Role::kText3], kSameGrey);
  const std::pair<NameChange::Kind, Rgba> full[] = {
      {NameChange::Kind::kSlower, theme[Role::kSlower]},
      {NameChange::Kind::kFaster, theme[Role::kFaster]},
      {NameChange::Kind::kOnlyHere, theme[Kind::kCollective]}};
  for (size_t kind = 0; kind < colors_.size(); ++kind) {
    const auto of = static_cast<NameChange::Kind>(kind);
    for (size_t i = 0; i < colors_[kind].size(); ++i) {
      const float share = static_cast<float>(i) / NameChange::kMostStrength;
      const Rgba color = Mix(same, FindValue(full, of, same), kLeast + (1 - kLeast) * share);
      colors_[kind][i] = texel::WithPattern(color, PatternOf(of));
    }
  }
}

NamesOfProfile NameTints::NamesOf(const Side& side) {
  NamesOfProfile names;
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

bool NameTints::Update(std::span<const Profile> profiles, const ViewState& view, bool wanted,
                       JobQueue& queue) {
  const Profile* profile = FindComparedProfile(profiles, view);
  const Profile* base = FindProfile(profiles, view.baseline);
  const bool pair = profile != nullptr && base != nullptr && !AreSnapshotAndTrace(*profile, *base);
  if (!wanted || !pair) {
    job_.Stop();
    asked_ = made_of_;
    if (profile == nullptr)
      asked_ = made_of_ = {}, made_ = {};  // the profiles may be closed by now
    return Hide();
  }
  Question question{SideOf(*base), SideOf(*profile)};
  bool changed = false;
  if (!(question == asked_)) {
    asked_ = question;
    job_.Start(queue, [question](Progress&) {
      return FindNameChanges(NamesOf(question.a), NamesOf(question.b));
    });
  }
  if (std::optional<NameChanges> found = job_.Take()) {
    made_ = std::move(*found);
    made_of_ = asked_;
    changed = true;
  }
  // Results of the same two profiles stay until steps or derived sets give new ones.
  const bool ours = made_of_.a.trace == base->trace && made_of_.b.trace == profile->trace;
  if (!ours || base_ != base->id || profile_ != profile->id) {
    base_ = base->id;
    profile_ = profile->id;
    changed = true;
  }
  if (!ours) return Hide() || changed;
  return !std::exchange(shown_, true) || changed;
}

const std::vector<NameChange>* NameTints::Of(ProfileId profile, uint32_t set) const {
  if (!shown_ || (profile != base_ && profile != profile_)) return nullptr;
  const auto& sets = profile == base_ ? made_.a : made_.b;
  return set < sets.size() ? &sets[set] : nullptr;
}

}  // namespace stepscope
