// How the user's own ssh is started, and what its failures mean. STEPSCOPE_SSH is used instead of
// `ssh` where it is set, with options, as in "ssh -F config". Stateless.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loaders/remote/remote_path.h"
#include "model/base/status.h"

namespace stepscope::remote {

// `command`: one line for sh on the other machine.
std::vector<std::string> SshArguments(const RemotePath& remote, const std::string& command);

// Variables that ssh gets besides this program's: where there is no terminal, it asks for
// passphrases and unknown host keys through the program that SSH_ASKPASS names, also without X11.
std::vector<std::string> SshVariables();

// Why a connection failed, in one line that names the host and says what to do. kNotInstalled where
// a copy of this program would do, else kIo.
Status WhyFailed(const RemotePath& remote, int exit_status, std::string_view errors);

}  // namespace stepscope::remote
