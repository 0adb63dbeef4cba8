// This folder lets programs of the user move an open window: `stepscope mcp` does so for an agent.
// The user allows it in the window, for as long as the window is open. AgentSocket takes requests
// on a thread of its own; the frame loop carries them out (app/window/agent_driver.h). Start
// reading here.
//
// AgentSocket: a Unix socket on which programs of the same user ask the window to show something.
// It lies in the user's runtime folder with mode 0600; the folder must belong to the user alone,
// and so must the process at the other end. A request is a line (ShowRequest), the answer is a line
// of JSON: {"ok": true, ...} or {"ok": false, "error": "..."}.
//
// A thread of its own serves it: it accepts, reads, checks and answers. Requests that are right
// wait for NextTask(), which the frame loop calls; neither side waits for the other. Anything but a
// request of the right length gets an error, and the connection ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "model/base/status.h"
#include "model/time.h"

namespace stepscope {

// ShowRequest: what a program asks the window to show. It comes from outside as one line of JSON,
// and can only look: no field names a file to write, and no command but those of the view follows
// from it.
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

// Ok if the folder is no link, belongs to `user`, and nobody else may read or enter it. Else
// kUnsupported, with what is wrong.
Status CheckRuntimeFolder(const std::filesystem::path& folder, uid_t user);
// "stepscope-PID.sock": each window has its own.
std::string AgentSocketName(int process);
// Removes the file of a process that has ended. kIo where it is something else: no socket, another
// user's, or one that somebody listens on.
Status RemoveStaleSocket(const std::filesystem::path& path, uid_t user);
// Whether the process at the other end of a connected socket is the user's. Sets *process.
bool IsPeerOf(int fd, uid_t user, int* process);
// The name of the program of a process, with other characters than ASCII as '?'; "?" if unknown.
std::string ProgramOfProcess(int process);

// A request that waits to be carried out.
struct AgentTask {
  uint64_t ticket = 0;
  ShowRequest request;  // `open` is a real path
  std::string who;      // the client's own name, its program and process
};

struct AgentSocketConfig {
  std::filesystem::path runtime_folder;  // $XDG_RUNTIME_DIR
  std::vector<std::string> folders;      // whose profiles may be opened
  std::function<void()> wake;            // called from the thread when a request waits
  uid_t user = 0;                        // who may connect, and whose the folder is
};
// The configuration for this process, with the folder of the environment.
AgentSocketConfig DefaultAgentSocket();

class AgentSocket {
 public:
  static constexpr size_t kMostClients = 32;
  static constexpr int kIdleSeconds = 60;    // a client that says nothing is let go
  static constexpr int kAnswerSeconds = 30;  // it then hears that the window is busy

  // kUnsupported or kIo, with what to do, where the folder is missing, not the user's alone, or
  // takes no socket.
  static Result<std::unique_ptr<AgentSocket>> Open(AgentSocketConfig config);
  ~AgentSocket();  // ends all connections and removes the file
  AgentSocket(const AgentSocket&) = delete;
  AgentSocket& operator=(const AgentSocket&) = delete;

  const std::string& path() const { return path_; }
  // The oldest request that waits. Any thread.
  std::optional<AgentTask> NextTask();
  // Sends the line to whoever asked; nothing happens if the client is gone. Any thread.
  void Answer(uint64_t ticket, std::string line);

 private:
  struct Shared;
  class Server;
  AgentSocket(std::string path, std::shared_ptr<Shared> shared, std::jthread thread);

  std::string path_;
  std::shared_ptr<Shared> shared_;
  std::jthread thread_;
};

// {"ok": false, "error": "..."} as a line.
std::string AgentError(const std::string& what);

}  // namespace stepscope
