// The role of a host event by its name (docs/rules.md#losses). Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/analysis/grouping/host_role.h"
#include "model/track.h"

namespace stepscope {

// A row of the table of names that are no Python function's and no runtime call's.
struct HostNameRow {
  enum class Match : uint8_t {
    kWhole,    // the whole name
    kBegin,    // its begin
    kLast,     // the begin of what follows its last slash
    kEnd,      // its end
    kPart,     // a part of what follows its last slash
    kName,     // an identifier there
    kAnyCase,  // such an identifier in lower or upper case
    kWords,    // words of identifiers there: "data loader" of DataLoaderIter and data_loader_iter
  };
  Match match = Match::kWhole;
  std::string_view text;
  HostRole role = HostRole::kWork;
  std::string_view source;  // where the name comes from
};

// Those that hold before the names of runtime calls, and those behind. The first row that fits
// holds.
std::span<const HostNameRow> FirstHostNameRows();
std::span<const HostNameRow> LaterHostNameRows();
// The row that fits a name; null if none does. O(name * rows).
const HostNameRow* HostNameRowOf(std::string_view name, bool first);

// O(name * rows).
HostRole RoleOfHostEvent(std::string_view name, EventCategory category);

// Whether an event blocks its thread until the device, an event of it or another rank is there.
bool IsBlocking(HostRole role);
// Whether an event of Python waits for another thread or process.
bool IsPause(HostRole role);

// Whether work of the host is that of the framework's runtime between ops, not of Python. O(name).
bool IsRuntimeWork(std::string_view name, EventCategory category);

}  // namespace stepscope
