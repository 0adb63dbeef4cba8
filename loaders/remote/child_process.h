// ChildProcess: another program, such as the user's own ssh: what is sent to it, what comes back,
// and what it says where it fails. One thread. The destructor ends the process.
#pragma once

#include <sys/types.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"

namespace stepscope::remote {

class ChildProcess {
 public:
  // kIo where it cannot be started. The first argument is the program, which is looked for in PATH.
  // `variables`: what its environment has besides this program's, as "NAME=value".
  static Result<std::unique_ptr<ChildProcess>> Start(std::vector<std::string> arguments,
                                                     std::vector<std::string> variables = {});
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends all bytes; false where the process has gone, or within 0.1 s of a stop.
  bool Send(std::string_view bytes, const std::stop_token& stop = {});
  void CloseInput();
  enum class Got { kBytes, kNothing, kEnd };
  // Waits for at most `wait_ms`, and appends what came.
  Got Receive(std::string* out, int wait_ms);
  // Waits for the end. The exit status, or 256 and the signal that ended it.
  int Finish();
  const std::string& errors() const { return errors_; }  // what it wrote to standard error

 private:
  ChildProcess() = default;
  void ReadErrors();

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string errors_;
};

// The last line that is not empty: programs say last why they end.
std::string_view LastLine(std::string_view text);

}  // namespace stepscope::remote
