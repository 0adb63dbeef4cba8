// The rule `copies`: copies that no kernel hides, and whether they recur in every step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "model/analysis/findings/finding_context.h"
#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/steps/cause_name.h"
#include "model/base/digits.h"
#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr double kMs = static_cast<double>(kPsPerMs);
constexpr double kRecurs = 0.8;  // share of the steps

struct Direction {
  CopyDirection direction;
  StepTimeClass loss;
  const char* title;
  const char* noun;
};
constexpr std::array<Direction, 3> kDirections = {
    {{CopyDirection::kHostToDevice, StepTimeClass::kHostToDevice, "Copies to the device", "copy"},
     {CopyDirection::kDeviceToHost, StepTimeClass::kDeviceToHost, "Copies to the host", "copy"},
     {CopyDirection::kDeviceToDevice, StepTimeClass::kDeviceToDevice, "Copies and fills on devices",
      "copy or fill"}}};

// The groups of one direction, all devices together.
std::vector<CopyGroup> GroupsOf(const FindingContext& input, CopyDirection direction,
                                std::vector<PlaneId>* devices) {
  std::map<std::pair<CopyMemory, int64_t>, CopyGroup> groups;
  for (const DeviceScan& scan : input.Scans()) {
    bool any = false;
    for (const CopyGroup& of_device : scan.copies) {
      if (of_device.direction != direction) continue;
      any = any || of_device.exposed > 0;
      CopyGroup& group = groups[{of_device.memory, of_device.bytes}];
      group.memory = of_device.memory;
      group.bytes = of_device.bytes;
      group.count += of_device.count;
      group.exposed += of_device.exposed;
      group.time += of_device.time;
      group.steps += of_device.steps;
      group.first_offset += of_device.first_offset;
      for (const EventRow row : of_device.rows) {
        if (group.rows.size() < FindingContext::kMostEvents) group.rows.push_back(row);
      }
    }
    if (any) devices->push_back(scan.device);
  }
  std::vector<CopyGroup> sorted;
  sorted.reserve(groups.size());
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CopyGroup& a, const CopyGroup& b) { return a.exposed > b.exposed; });
  return sorted;
}

// The op or function that asked for a copy: the innermost event around its launch that is no call
// of the runtime.
std::string OriginOf(const FindingContext& input, EventRow copy) {
  const TrackSet& set = input.trace().set;
  EventRow at = input.context().Get<Grouping>().LaunchOf(copy.value);
  for (int depth = 0; at.valid() && depth < 64; ++depth, at = Parent(set, at)) {
    const MetaId meta = set.Meta(at);
    const HostRole role = RoleOfHostEvent(input.trace().names().Name(meta),
                                          input.trace().names().metas[meta.value].category);
    const bool op = role == HostRole::kWork || role == HostRole::kInput || role == HostRole::kAwait;
    if (op || role == HostRole::kSync) {
      std::string name = CauseName(set.Name(at));
      const bool call =
          name.starts_with("cu") || name.starts_with("hip") || name.starts_with("Memcpy");
      if (!call) return name;
    }
  }
  return {};
}

// The call sites that ask for most of the group's time: ", for aten::to 81 %, aten::copy_ 19 %".
// Only a sample of a large group is looked at.
std::string OriginsText(const FindingContext& input, const CopyGroup& group) {
  constexpr size_t kSample = 256, kMostSites = 3;
  std::map<std::string, double> by_site;
  double all = 0;
  const size_t stride = std::max<size_t>(1, group.rows.size() / kSample);
  for (size_t i = 0; i < group.rows.size(); i += stride) {
    const auto time = static_cast<double>(input.trace().set.Duration(group.rows[i]));
    by_site[OriginOf(input, group.rows[i])] += time;
    all += time;
  }
  std::vector<std::pair<std::string, double>> sites(by_site.begin(), by_site.end());
  std::erase_if(sites, [](const auto& site) { return site.first.empty(); });
  if (sites.empty() || all <= 0) return {};
  std::stable_sort(sites.begin(), sites.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (by_site.size() == 1) return ", for " + sites.front().first;
  std::string text;
  for (size_t i = 0; i < std::min(sites.size(), kMostSites); ++i) {
    const double percent = 100 * sites[i].second / all;
    if (i > 0 && percent < 5) break;
    text += (i > 0 ? ", " : ", for ") + sites[i].first + " " + PercentText(percent);
  }
  return text;
}

std::string PluralOf(std::string_view noun) {
  return noun == "copy" ? "copies" : "copies or fills";
}

std::string SizeText(int64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
  if (bytes >= 1 << 10) return fmt::format("{:.0f} KiB", static_cast<double>(bytes) / (1 << 10));
  return fmt::format("{} B", bytes);
}

// ", to pageable memory, which blocks the host"
std::string MemoryText(const CopyGroup& group, CopyDirection direction) {
  const char* from = direction == CopyDirection::kHostToDevice   ? "from"
                     : direction == CopyDirection::kDeviceToHost ? "to"
                                                                 : "from or to";
  if (group.memory == CopyMemory::kPageable)
    return fmt::format(", {} pageable memory, which blocks the host", from);
  return group.memory == CopyMemory::kPinned ? fmt::format(", {} pinned memory", from) : "";
}

// A text like "; 25 copies per step, 640 KiB each, to pageable memory, which blocks the host, for
// aten::to; first at +0.4 ms".
std::string GroupText(const FindingContext& input, const CopyGroup& group,
                      const Direction& direction, double device_steps) {
  const char* noun = direction.noun;
  const double steps = std::max<double>(1, group.steps);
  const double each = static_cast<double>(group.count) / steps;
  const double share = device_steps > 0 ? static_cast<double>(group.steps) / device_steps : 0;
  const bool whole_number = each == static_cast<double>(static_cast<int64_t>(each));
  const bool recurs = input.whole() || share >= kRecurs;
  std::string text = recurs ? fmt::format("; {:.{}f} {}", each, each < 10 && !whole_number ? 1 : 0,
                                          each == 1 ? std::string(noun) : PluralOf(noun))
                            : fmt::format("; {} {} in {} of the steps", group.count,
                                          group.count == 1 ? std::string(noun) : PluralOf(noun),
                                          PercentText(100 * share, 0));
  if (recurs && !input.whole()) text += " per step";
  if (group.bytes >= 0) text += ", " + SizeText(group.bytes) + (group.count == 1 ? "" : " each");
  text += MemoryText(group, direction.direction);
  text += OriginsText(input, group);
  if (!recurs) return text;
  return text + fmt::format("; first at +{}",
                            MsText(static_cast<double>(group.first_offset) / steps / kMs));
}

void FindDirection(const FindingContext& input, const Direction& direction, double threshold,
                   std::vector<RuleFinding>* out) {
  const double ms = input.LossMs(direction.loss);
  if (input.PercentOfStep(ms) < threshold) return;
  RuleFinding found;
  const std::vector<CopyGroup> groups = GroupsOf(input, direction.direction, &found.devices);
  double device_steps = 0;
  for (const DeviceScan& scan : input.Scans()) device_steps += scan.steps;
  const bool tpu = input.db().kind == DeviceKind::kTpu;
  found.title = fmt::format("{} take {} of {} while no {} runs", direction.title, MsText(ms),
                            input.EveryStep(), tpu ? "other op" : "kernel");
  if (!groups.empty()) found.title += GroupText(input, groups.front(), direction, device_steps);
  found.title += ".";
  found.measured = input.PercentOfStep(ms);
  found.saving_ms = ms;
  found.assumption = "The copies are left out, or kernels hide them. " + input.Uncertainty();
  const LateTimes late = input.Late();
  const double after = late.after_copy[static_cast<size_t>(direction.direction)] / kMs;
  if (after > 0) {
    found.saving_ms += after;
    found.assumption = fmt::format(
        "The copies are left out, or kernels hide them; the {} that the next launches take after "
        "those that block the host are saved as well.{} {}",
        MsText(after), SharedWith("launch-bound and sync"), input.Uncertainty());
  }
  if (!groups.empty() && groups.front().memory == CopyMemory::kPinned)
    found.remedy = input.Remedy("copies.pinned");
  if (direction.direction == CopyDirection::kDeviceToDevice)
    found.remedy = input.Remedy("copies.on-device");
  if (tpu) {
    found.assumption = "The copies are left out, or ops hide them. " + input.Uncertainty();
    found.remedy = input.Remedy("copies.async");
  }
  const auto of = static_cast<size_t>(direction.loss);
  for (const uint32_t s : input.AllSteps()) {
    const Step& step = input.db().steps[s];
    if (step.times.total > 0 && 100 * step.class_times[of] / step.times.total >= threshold)
      found.steps.push_back(s);
  }
  for (const CopyGroup& group : groups) {
    found.link.total += group.count;
    if (found.link.rows.size() + group.rows.size() <= FindingContext::kMostEvents)
      found.link.rows.Append(EventRows(group.rows));
  }
  out->push_back(std::move(found));
}

}  // namespace

void FindCopies(const FindingContext& input, double threshold, std::vector<RuleFinding>* out) {
  for (const Direction& direction : kDirections) FindDirection(input, direction, threshold, out);
}

}  // namespace stepscope
