// HloRef names an instruction of one of XLA's programs in the window: it leads from an event to its
// op, and from one of the panels of programs to another. A page of such a panel is the text that
// follows its id: "hlo_graph/10/fusion.3". UI thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/stats.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct HloRef {
  uint64_t program = 0;     // its id
  std::string instruction;  // empty: none
  bool valid() const { return !instruction.empty(); }
  bool operator==(const HloRef&) const = default;
};

// The op that an event ran, by its arguments; none if it ran none. `name`: the event's display
// name.
HloRef HloRefOf(const std::vector<Stat>& stats, std::string_view name);

// --- Pages of the panels
std::string HloGraphPage(const HloRef& op);   // "hlo_graph/10/fusion.3"
std::string HloTextPage(const HloRef& op);    // "hlo_graph/text/10/fusion.3"
std::string HloMemoryPage(const HloRef& op);  // "hlo_memory/10//fusion.3"
// The list of ops with this op alone, or with those of a source line.
std::string HloOpPage(const HloRef& op);
std::string HloSourcePage(std::string_view source);

// Whether the profile has the program, so that it has a graph, a text and buffers. O(1).
bool HasHloProgram(const Profile& profile, uint64_t program);

// Shows a page of another panel for the profile that this panel shows.
void ShowHloPage(const PanelContext& context, std::string page);

}  // namespace stepscope
