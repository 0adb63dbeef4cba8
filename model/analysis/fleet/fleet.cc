#include "model/analysis/fleet/fleet.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/analysis/ranks/put_together.h"

namespace stepscope {
namespace {

void Move(Ps by, RankFacts* facts) {
  facts->moved = SaturatingAdd(facts->moved, by);
  if (by == 0) return;
  for (RankStep& step : facts->steps) {
    step.span.begin = SaturatingAdd(step.span.begin, by);
    step.span.end = SaturatingAdd(step.span.end, by);
  }
  for (RankCall& call : facts->calls) {
    call.begin = SaturatingAdd(call.begin, by);
    call.end = SaturatingAdd(call.end, by);
    call.since = SaturatingAdd(call.since, by);
  }
}

// Puts a run's parts on the time axis of the earliest one. Parts without an origin stay.
void UseOneAxis(std::vector<FleetPart*>* parts, FleetRun* run) {
  for (const FleetPart* part : *parts) {
    const int64_t origin = part->origin_unix_ns;
    if (origin != 0 && (run->origin_unix_ns == 0 || origin < run->origin_unix_ns))
      run->origin_unix_ns = origin;
  }
  constexpr Ps kPsPerNs = 1000;
  for (FleetPart* part : *parts) {
    if (part->origin_unix_ns == 0) continue;
    const Ps by = SaturatingMul(SaturatingSub(part->origin_unix_ns, run->origin_unix_ns), kPsPerNs);
    for (RankFacts& facts : part->facts) Move(by, &facts);
  }
}

}  // namespace

const Fleet* FleetOf(const Trace& trace) {
  const auto* source = dynamic_cast<const FleetSource*>(trace.source.get());
  return source == nullptr ? nullptr : &source->fleet();
}

RunSummaries& SummariesOf(const Trace& trace) {
  return dynamic_cast<const FleetSource&>(*trace.source).summaries();
}

std::optional<RunSummary> RunSummaries::Find(size_t run) const {
  const std::lock_guard lock(mutex_);
  const auto it = known_.find(run);
  return it == known_.end() ? std::nullopt : std::optional(it->second);
}

void RunSummaries::Keep(size_t run, const RunSummary& summary) {
  const std::lock_guard lock(mutex_);
  known_[run] = summary;
}

std::vector<std::string> ShortRunNames(const Fleet& fleet) {
  std::string common = fleet.runs.front().name;
  for (const FleetRun& run : fleet.runs) {
    const auto end = std::mismatch(common.begin(), common.end(), run.name.begin(), run.name.end());
    common.erase(end.first, common.end());
  }
  const size_t slash = common.rfind('/');
  const size_t cut = slash == common.npos ? 0 : slash + 1;
  std::vector<std::string> names;
  for (const FleetRun& run : fleet.runs) {
    std::string name = run.name.substr(std::min(cut, run.name.size()));
    if (fleet.runs.size() == 1) name = run.name.substr(run.name.find_last_of('/') + 1);
    if (name.empty()) name = run.name;
    names.push_back(std::move(name));
  }
  return names;
}

std::optional<size_t> FindRun(const Fleet& fleet, std::string_view name) {
  const std::vector<std::string> names = ShortRunNames(fleet);
  for (size_t i = 0; i < names.size(); ++i) {
    if (fleet.runs[i].name == name || names[i] == name) return i;
  }
  const std::string below = "/" + std::string(name);
  std::optional<size_t> found;
  for (size_t i = 0; i < names.size() && !name.empty(); ++i) {
    if (!fleet.runs[i].name.ends_with(below)) continue;
    if (found) return std::nullopt;  // several: a longer name tells them apart
    found = i;
  }
  return found;
}

Fleet MakeFleet(std::vector<FleetPart> parts) {
  Fleet fleet;
  std::map<std::string, size_t> last;  // by path
  for (size_t i = 0; i < parts.size(); ++i) last[parts[i].file.path] = i;
  std::map<std::string, std::vector<FleetPart*>> runs;
  for (const auto& [path, i] : last) runs[parts[i].run].push_back(&parts[i]);
  for (auto& [name, of] : runs) {
    FleetRun run;
    run.name = name;
    UseOneAxis(&of, &run);
    for (FleetPart* part : of) {
      for (RankFacts& facts : part->facts) {
        facts.rank.part = static_cast<uint32_t>(fleet.files.size());
        run.facts.push_back(std::move(facts));
      }
      fleet.files.push_back(std::move(part->file));
    }
    NumberFacts(&run.facts);
    for (const RankFacts& facts : run.facts) run.files.push_back(facts.rank.part);
    if (!run.facts.empty()) fleet.runs.push_back(std::move(run));
  }
  std::stable_sort(fleet.runs.begin(), fleet.runs.end(), [](const FleetRun& a, const FleetRun& b) {
    return a.origin_unix_ns != b.origin_unix_ns ? a.origin_unix_ns > b.origin_unix_ns
                                                : a.name > b.name;
  });
  if (fleet.runs.empty()) fleet.runs.emplace_back();
  return fleet;
}

}  // namespace stepscope
