// This folder lets programs of the user move an open window: `stepscope mcp` does so for an agent.
// The user allows it in the window, for as long as the window is open. AgentSocket (agent_socket.h)
// takes requests on a thread of its own; the frame loop carries them out
// (app/window/agent_driver.h). Start reading here.
//
// ShowRequest: what a program asks the window to show. It comes from outside as one line of JSON,
// and can only look: no field names a file to write, and no command but those of the view follows
// from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"
#include "model/time.h"

namespace stepscope {

inline constexpr size_t kMostShowRequest = 8192;  // bytes of a line, with its end

struct ShowRequest {
  std::string client;              // what the program calls itself, at most 40 bytes
  std::string open;                // the path of a profile; empty: those that are open
  std::string panel;               // the id of a panel, also "memory/lifetimes"; empty: none
  std::string select;              // the first event whose name contains it; "=NAME": the whole
  std::optional<uint32_t> event;   // the id that SQL gives the event
  std::optional<TimeRange> range;  // in the time of the profile
};

// Reads one line, {"client": "Claude", "open": "/logs/a.pb", "range": "1ms..2ms", "select": "gemm",
// "event": 12, "panel": "kernel_stats"}; all fields may be missing. kUsage, with what is wrong, for
// anything else: fields of other names or types, long texts, control characters, unknown panels.
// Pure; any thread.
Result<ShowRequest> ParseShowRequest(std::string_view line);

// The real path of a profile on this machine that lies in one of the folders. kUsage: it is an
// address of another machine, is not there, or leads out of all folders, by a link too. It asks the
// file system, so it may take long.
Result<std::string> PathInFolders(const std::string& path, const std::vector<std::string>& folders);

}  // namespace stepscope
