// Loads a profile from another machine. A directory there lists its runs; one is loaded there and
// sent. Everything that comes is untrusted, as a file is.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/loader.h"
#include "loaders/remote/remote_path.h"
#include "model/base/status.h"

namespace stepscope::remote {

// How the user's own ssh is started, and what its failures mean. STEPSCOPE_SSH is used instead of
// `ssh` where it is set, with options, as in "ssh -F config". Stateless.

// `command`: one line for sh on the other machine.
std::vector<std::string> SshArguments(const RemotePath& remote, const std::string& command);

// Variables that ssh gets besides this program's: where there is no terminal, it asks for
// passphrases and unknown host keys through the program that SSH_ASKPASS names, also without X11.
std::vector<std::string> SshVariables();

// Why a connection failed, in one line that names the host and says what to do. kNotInstalled where
// a copy of this program would do, else kIo.
Status WhyFailed(const RemotePath& remote, int exit_status, std::string_view errors);

// `address`: ssh://…, which becomes the trace's path. `progress` counts the bytes that have come. A
// connection that breaks keeps what came: the diagnostics say so (`remote.cut`, `truncated`), and
// with LoadOptions::part the next load goes on there. Memory: the store as it came, which the
// trace keeps for arguments; while a load goes on, the begin of the store twice.
// kIo where the host cannot be reached or nothing new came, in one line that names it;
// kNotInstalled where InstallRemote would help; kCancelled within 0.2 s of a stop; errors of the
// load there as they are.
Result<std::shared_ptr<const Trace>> LoadRemote(const std::string& address,
                                                const LoadOptions& options,
                                                const std::stop_token& stop, Progress& progress,
                                                std::vector<std::string>* runs);

// The file of the program that runs, also where another was installed over it.
inline constexpr const char kThisProgram[] = "/proc/self/exe";

// Copies the program in the file `program` to the host of the address, where LoadRemote finds it.
// `progress` counts its bytes. Error: kIo; kCancelled within 0.2 s of a stop, and then nothing is
// left there.
Status InstallRemote(const std::string& address, const std::string& program,
                     const std::stop_token& stop, Progress& progress);

}  // namespace stepscope::remote
