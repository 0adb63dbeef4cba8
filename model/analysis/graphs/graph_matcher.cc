#include "model/analysis/graphs/graph_matcher.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stepscope {
namespace {

size_t CountOf(const StreamNames& launch) {
  size_t count = 0;
  for (const std::vector<uint32_t>& stream : launch) count += stream.size();
  return count;
}

// Indices of the streams, the longest first: later streams are matched to what earlier ones leave
// of the recording.
std::vector<size_t> StreamsByLength(const StreamNames& launch) {
  std::vector<size_t> order(launch.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return launch[a].size() > launch[b].size(); });
  return order;
}

// Returns the places that are not taken yet.
std::vector<uint32_t> PlacesLeft(const std::vector<uint32_t>& places, const NameAlignment& taken) {
  std::vector<bool> gone(places.size());
  for (const uint32_t to : taken.to) {
    if (to != kUnmatched) gone[to] = true;
  }
  std::vector<uint32_t> left;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!gone[i]) left.push_back(places[i]);
  }
  return left;
}

}  // namespace

size_t GraphMatcher::FitTo(const GraphRecipe& recipe, const StreamNames& launch, Fit* fit) {
  fit->to.resize(launch.size());
  size_t matched = 0;
  std::vector<uint32_t> places(recipe.names.names().size());
  std::iota(places.begin(), places.end(), 0u);
  NameSequence rest{{}};
  const NameSequence* left = &recipe.names;
  for (const size_t s : StreamsByLength(launch)) {
    work_ += launch[s].size() + places.size();
    if (work_ > kMostWork) return 0;
    NameAlignment found = left->Align(launch[s]);
    matched += found.matched;
    std::vector<uint32_t> next =
        launch.size() > 1 ? PlacesLeft(places, found) : std::vector<uint32_t>();
    for (uint32_t& to : found.to) {
      if (to != kUnmatched) to = places[to];
    }
    fit->to[s] = std::move(found.to);
    if (launch.size() == 1) break;
    places = std::move(next);
    std::vector<uint32_t> names;
    names.reserve(places.size());
    for (const uint32_t place : places) names.push_back(recipe.names.names()[place]);
    rest = NameSequence(std::move(names));
    left = &rest;
  }
  return matched;
}

void GraphMatcher::Consider(uint32_t candidate, const StreamNames& launch, Known* known) {
  const GraphRecipe& recipe = *candidates_[candidate].recipe;
  Fit fit{candidate, {}};
  const size_t matched = FitTo(recipe, launch, &fit);
  if (recipe.kind == RecipeKind::kEager && matched < kLeastEager) return;
  if (matched == 0 || matched < known->matched) return;
  // A recording as a graph is surer than eager work that fits as well.
  const bool captured =
      !known->best.empty() &&
      candidates_[known->best.front().candidate].recipe->kind == RecipeKind::kCapture;
  if (matched == known->matched && captured && recipe.kind == RecipeKind::kEager) return;
  if (matched > known->matched) known->best.clear();
  known->matched = matched;
  known->best.push_back(std::move(fit));
}

GraphMatcher::Known GraphMatcher::Find(const StreamNames& launch) {
  Known known;
  for (uint32_t c = 0; c < candidates_.size() && work_ <= kMostWork; ++c)
    Consider(c, launch, &known);
  const double share = static_cast<double>(known.matched) /
                       static_cast<double>(std::max<size_t>(1, CountOf(launch)));
  if (share < kLeastShare) known = {};
  return known;
}

GraphMatch GraphMatcher::Match(const StreamNames& launch, int64_t batch_size) {
  auto it = known_.find(launch);
  if (it == known_.end()) it = known_.emplace(launch, Find(launch)).first;
  Known& known = it->second;
  if (known.best.empty()) return {};
  const auto of_batch = std::find_if(known.best.begin(), known.best.end(), [&](const Fit& f) {
    return batch_size >= 0 && candidates_[f.candidate].batch_size == batch_size;
  });
  const Fit& wanted = of_batch != known.best.end() ? *of_batch : known.best.front();
  const uint32_t file = candidates_[wanted.candidate].file;
  std::vector<const Fit*> of_file;
  for (const Fit& f : known.best) {
    if (candidates_[f.candidate].file == file) of_file.push_back(&f);
  }
  const Fit& chosen = *of_file[known.turns[file]++ % of_file.size()];
  const bool one_batch = of_batch != known.best.end();
  return {chosen.candidate, static_cast<uint32_t>(one_batch ? of_file.size() : known.best.size()),
          &chosen.to, known.matched};
}

}  // namespace stepscope
