// Crash reports. A signal that ends the program, or an exception that nobody catches, leaves a
// file with the signal, the versions and the stack, and a line on standard error with the path of
// the file. Nothing of a profile is in it: no names, no paths, no memory.
#pragma once

#include <filesystem>
#include <string_view>

namespace stepscope {

// From this call on reports go to `folder`/crash-TIME-PID.txt; the first one makes the folder. If
// `folder` is empty, only the line is written. After the report the signal takes its default
// action, so that exit status and core dump are as usual. Call it once, before threads start. A
// stack overflow is reported for the calling thread only. Under a sanitizer, which reports
// better, nothing is installed.
void InstallCrashReports(const std::filesystem::path& folder, std::string_view versions);

}  // namespace stepscope
