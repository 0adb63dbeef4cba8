// The folder and the file of the socket that agents use: who may reach it. Any thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

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

}  // namespace stepscope
