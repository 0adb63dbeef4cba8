// Where things lie on this machine: configuration, the bundled sample, programs in PATH.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stepscope {

// $STEPSCOPE_CONFIG_DIR, else $XDG_CONFIG_HOME/stepscope, else ~/.config/stepscope; empty when none
// of these is set (settings are then not kept).
std::filesystem::path ConfigDirectory();

// The directory "share/stepscope": beside the program's prefix, where it was installed, or in the
// source tree of a build; empty if there is none.
std::filesystem::path DataDirectory();

// The profile that --sample and the welcome page open; empty if it is not installed.
std::string SamplePath();

// Full path of an executable found in $PATH; empty if absent.
std::string FindProgram(std::string_view name);

// Writes a file so that a crash leaves either the old or the new contents: a temporary file in the
// same directory, synced and renamed. Creates the directory. False if that failed.
bool WriteFileAtomically(const std::filesystem::path& path, std::string_view contents);

// The whole file, at most `limit` bytes; empty if it cannot be read.
std::string ReadSmallFile(const std::filesystem::path& path, size_t limit = size_t{16} << 20);

}  // namespace stepscope
