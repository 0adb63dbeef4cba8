// AgentSocket: a Unix socket on which programs of the same user ask the window to show something.
// It lies in the user's runtime folder with mode 0600; the folder must belong to the user alone,
// and so must the process at the other end. A request is a line (show_request.h), the answer is a
// line of JSON: {"ok": true, ...} or {"ok": false, "error": "..."}.
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
#include <thread>
#include <vector>

#include "app/agents/show_request.h"
#include "model/base/status.h"

namespace stepscope {

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
