// Crash reports: a signal that ends the program, or an exception that nobody catches, leaves a file
// that says which signal, which versions and which stack, and a line on standard error that says
// where the file lies. Nothing of a profile is in it: no names, no paths, no memory.
#pragma once

#include <filesystem>
#include <string_view>

namespace stepscope {

// From now on reports go to `folder`/crash-TIME-PID.txt; the folder is made by the first one. An
// empty folder: only the line is written. Afterwards the signal takes its default action, so that
// exit status and core dump are the same as without. Call once, early, before threads start; the
// calling thread's overflowing stack is reported too, other threads' is not. Nothing is installed
// under a sanitizer, which reports better.
void InstallCrashReports(const std::filesystem::path& folder, std::string_view versions);

}  // namespace stepscope
