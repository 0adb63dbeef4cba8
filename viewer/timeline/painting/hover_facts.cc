#include "viewer/timeline/painting/hover_facts.h"

#include <string_view>

#include "model/analysis/devices/launch_facts.h"
#include "model/base/ascii.h"
#include "model/base/count_text.h"
#include "model/stats.h"
#include "viewer/timeline/slices/plan_area.h"
#include "viewer/widgets/number_text.h"

namespace stepscope {
namespace {

// "8 x 1 x 1" of PyTorch's "[8, 1, 1]" and of XLA's "8,1,1".
std::string Sizes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (IsDigit(c)) {
      out += c;
    } else if (c == ',') {
      out += " \u00d7 ";
    }
  }
  return out;
}

// Returns what stands behind "grid:" in XLA's "regs:32 grid:8,1,1 block:128,1,1".
std::string_view Word(std::string_view details, std::string_view key) {
  const size_t at = details.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = details.substr(at + key.size());
  return rest.substr(0, rest.find(' '));
}

void AddGrid(const Trace& trace, EventRow row, std::vector<std::string>* lines) {
  if (!trace.source) return;
  const auto stats = trace.source->Decode(trace, row);
  if (!stats.ok()) return;
  std::string grid, block;
  for (const Stat& stat : *stats) {
    const std::string text = ToText(stat);
    if (stat.name == "grid") grid = Sizes(text);
    if (stat.name == "block") block = Sizes(text);
    if (stat.name == "kernel_details") {
      grid = Sizes(Word(text, "grid:"));
      block = Sizes(Word(text, "block:"));
    }
  }
  if (grid.empty()) return;
  lines->push_back("grid " + grid + (block.empty() ? "" : ", block " + block));
}

void AddLaunch(const Profile& profile, EventRow row, std::vector<std::string>* lines) {
  if (!profile.flows) return;
  const auto launch = FindLaunchFacts(*profile.trace, *profile.flows, row);
  if (!launch) return;
  // The innermost event around the call is the op that launched.
  if (!launch->stack.empty())
    lines->push_back("launched in " + std::string(profile.trace->set.Name(launch->stack.front())));
  std::string line = launch->delay > 0 ? "began " + WithoutZeros(FormatDuration(launch->delay, 4)) +
                                             " after its launch"
                                       : std::string("began during its launch");
  if (launch->queue_length > 0)
    line += ", behind " + Counted(launch->queue_length, "queued events");
  lines->push_back(std::move(line));
}

}  // namespace

const std::vector<std::string>& HoverFacts::Of(const Profile& profile, const EventRef& event) {
  if (event == event_ && trace_ == profile.trace.get() && flows_ == profile.flows.get())
    return lines_;
  event_ = event;
  trace_ = profile.trace.get();
  flows_ = profile.flows.get();
  lines_.clear();
  const EventRow row = profile.OwnRow(event);
  if (!row.valid() || row.value >= profile.trace->set.rows) return lines_;
  const TrackSet& set = profile.trace->set;
  const Track& track = set.tracks[set.TrackOf(row).value];
  const bool device =
      track.plane.valid() && IsDevice(profile.trace->planes[track.plane.value].kind);
  if (!device) return lines_;
  AddLaunch(profile, row, &lines_);
  AddGrid(*profile.trace, row, &lines_);
  return lines_;
}

}  // namespace stepscope
