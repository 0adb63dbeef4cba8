#include "model/analysis/graphs/graph_matcher.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/intervals/event_order.h"
#include "model/base/sort_runs.h"

namespace stepscope {

namespace {

constexpr std::string_view kCopyName = "copy", kFillName = "fill";

// The part that a call of the runtime plays in a recording.
enum class CallKind : uint8_t { kNone, kBegin, kEnd, kLaunch, kCopy, kFill };

CallKind KindOf(std::string_view name, EventCategory category) {
  if (category != EventCategory::kRuntimeCall) return CallKind::kNone;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("StreamBeginCapture")) return CallKind::kBegin;
  if (has("StreamEndCapture")) return CallKind::kEnd;
  if (has("MemcpyAsync") || has("MemcpyDtoDAsync")) return CallKind::kCopy;
  if (has("MemsetAsync") || has("MemsetD")) return CallKind::kFill;
  return RoleOfHostEvent(name, category) == HostRole::kLaunch ? CallKind::kLaunch : CallKind::kNone;
}

struct Call {
  Ps begin = 0;
  uint32_t row = 0;
  CallKind kind = CallKind::kNone;
};

std::vector<CallKind> KindsByMeta(const NameTable& names) {
  std::vector<CallKind> kinds;
  for (const EventMeta& meta : names.metas)
    kinds.push_back(KindOf(names.strings.View(meta.name), meta.category));
  return kinds;
}

// The calls of all threads by begin: a recording may continue on another thread.
std::vector<Call> CallsOf(const Trace& trace, const std::vector<CallKind>& kinds) {
  std::vector<Call> calls;
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const CallKind kind = kinds[lane.meta[i]];
      if (kind != CallKind::kNone) calls.push_back({lane.start[i], lane.first_row + i, kind});
    }
  }
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.row < b.row;
  });
  return calls;
}

std::string KernelOfCall(const Trace& trace, uint32_t row) {
  if (!trace.source) return {};
  const Result<std::vector<Stat>> stats = trace.source->Decode(trace, EventRow(row));
  if (!stats.ok()) return {};
  for (const Stat& stat : *stats) {
    if (stat.name == "kernel" && std::holds_alternative<std::string>(stat.value))
      return std::get<std::string>(stat.value);
  }
  return {};
}

// A recipe under construction.
struct OpenRecipe {
  std::vector<uint32_t> names;
  std::vector<EventRow> calls;
  void Add(uint32_t name, EventRow call) {
    names.push_back(name);
    calls.push_back(call);
  }
  void Finish(RecipeKind kind, std::vector<GraphRecipe>* recipes) {
    if (!names.empty())
      recipes->push_back({kind, NameSequence(std::move(names)), std::move(calls)});
    *this = {};
  }
};

void AddCall(const Trace& trace, const Call& call, KernelNames* names, OpenRecipe* recipe) {
  const EventRow row(call.row);
  if (call.kind == CallKind::kCopy) recipe->Add(names->Of(kCopyName), row);
  if (call.kind == CallKind::kFill) recipe->Add(names->Of(kFillName), row);
  if (call.kind != CallKind::kLaunch) return;
  const std::string kernel = KernelOfCall(trace, call.row);
  if (!kernel.empty()) recipe->Add(names->Of(kernel), row);
}

}  // namespace

uint32_t KernelNames::Of(std::string_view name) {
  return numbers_.try_emplace(std::string(name), static_cast<uint32_t>(numbers_.size()))
      .first->second;
}

std::string_view ReplayedName(const NameTable& names, MetaId meta) {
  const EventCategory category = names.metas[meta.value].category;
  if (category == EventCategory::kMemcpy) return kCopyName;
  if (category == EventCategory::kMemset) return kFillName;
  return names.Name(meta);
}

std::vector<GraphRecipe> RecordedGraphs(const Trace& trace, bool whole, KernelNames* names) {
  const std::vector<CallKind> kinds = KindsByMeta(trace.names());
  const bool may_begin = std::find(kinds.begin(), kinds.end(), CallKind::kBegin) != kinds.end();
  std::vector<GraphRecipe> recipes;
  if (!may_begin && !whole) return recipes;
  const std::vector<Call> calls = CallsOf(trace, kinds);
  const bool marked = std::any_of(calls.begin(), calls.end(),
                                  [](const Call& c) { return c.kind == CallKind::kBegin; });
  if (!marked && !whole) return recipes;
  OpenRecipe recipe;
  bool recording = !marked;
  for (const Call& call : calls) {
    CheckStop();
    if (recording) AddCall(trace, call, names, &recipe);
    if (call.kind == CallKind::kBegin) recording = true;
    if (call.kind != CallKind::kEnd || !marked) continue;
    recording = false;
    recipe.Finish(RecipeKind::kCapture, &recipes);
  }
  recipe.Finish(RecipeKind::kCapture, &recipes);
  return recipes;
}

std::vector<GraphRecipe> EagerStreams(const Trace& trace, const Grouping& grouping,
                                      const std::vector<bool>& graph, KernelNames* names) {
  struct Eager {
    uint32_t track;
    Ps begin;
    uint32_t name;
    EventRow call;
  };
  std::vector<Eager> all;
  RowReader device(trace.set), host(trace.set);
  std::vector<uint32_t> number(trace.names().metas.size(), kUnmatched);
  for (const LaunchLink& link : grouping.launches) {
    CheckStop();
    const MetaId meta(device.Meta(link.device_row));
    if (graph[host.Meta(link.launch_row)]) continue;
    if (!IsDeviceWork(trace.names().metas[meta.value].category)) continue;
    uint32_t& name = number[meta.value];
    if (name == kUnmatched) name = names->Of(ReplayedName(trace.names(), meta));
    all.push_back({device.TrackOf(link.device_row), device.Start(link.device_row), name,
                   EventRow(link.launch_row)});
  }
  SortRuns(all.begin(), all.end(), [](const Eager& a, const Eager& b) {
    return std::tie(a.track, a.begin, a.call) < std::tie(b.track, b.begin, b.call);
  });
  std::vector<GraphRecipe> recipes;
  OpenRecipe recipe;
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].track != all[i - 1].track) recipe.Finish(RecipeKind::kEager, &recipes);
    recipe.Add(all[i].name, all[i].call);
  }
  recipe.Finish(RecipeKind::kEager, &recipes);
  return recipes;
}

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
