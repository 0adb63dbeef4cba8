// Crash reports. A signal that ends the program, or an exception that nobody catches, leaves a
// file with the signal, the versions and the stack, and a line on standard error with the path of
// the file. Nothing of a profile is in it: no names, no paths, no memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace stepscope {

struct CodeAddress {
  uintptr_t address = 0;  // to be looked up
  uintptr_t offset = 0;   // from where the file's first byte is mapped: what addr2line takes
  char module[64] = "";   // the file's name without its folders; empty: no code is there
};

// Fills in the file of each address from the text of a maps file (/proc/self/maps), which is read
// to its end. Only mappings of code count: profiles are mapped too, and their names stay out.
// Signal handlers may call it: it does not allocate, and dladdr and backtrace_symbols_fd would take
// the loader's lock. O(lines * addresses).
void FindCodeModules(int maps_fd, std::span<CodeAddress> addresses);

// From this call on reports go to `folder`/crash-TIME-PID.txt; the first one makes the folder. If
// `folder` is empty, only the line is written. After the report the signal takes its default
// action, so that exit status and core dump are as usual. Call it once, before threads start. A
// stack overflow is reported for the calling thread only. Under a sanitizer, which reports
// better, nothing is installed.
void InstallCrashReports(const std::filesystem::path& folder, std::string_view versions);

}  // namespace stepscope
