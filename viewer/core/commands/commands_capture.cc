// Commands that reach out to other programs and machines: recording, installing.
#include <string>
#include <string_view>

#include "viewer/core/commands/command_table.h"

namespace stepscope::commands {
namespace {

bool CanRecord(const C& c) { return !c.session.capture.running; }
bool IsRecording(const C& c) { return c.session.capture.running; }

void AskForProgram(C& c, const A&) { c.windows.capture = true; }

void RecordProgram(C& c, const A& a) {
  std::vector<std::string>& recent = c.settings.capture_addresses;
  if (a.text.empty() && recent.empty()) return AskForProgram(c, a);
  CaptureRequest request;
  request.addresses = a.text.empty() ? recent.front() : a.text;
  request.duration_ms = c.settings.capture_duration_ms;
  request.delay_ms = c.settings.capture_delay_ms;
  request.host_level = c.settings.capture_host_level;
  request.device_level = c.settings.capture_device_level;
  request.python_level = c.settings.capture_python_level;
  request.folder = c.settings.capture_folder;
  PutFirst(request.addresses, Settings::kMostAddresses, &recent);
  c.services.Capture(request);
}

bool CanInstall(const C& c) { return c.session.can_install; }
void InstallThere(C& c, const A&) { c.services.InstallThere(); }

void StopRecording(C& c, const A&) { c.services.CancelCapture(); }

constexpr CommandDesc kCapture[] = {
    {"file.capture", "Capture\u2026", "File",
     "Asks for the address of a running program, and records it through its profiler server.",
     "record live sampling profiler server grpc tensorboard", "Ctrl+R", CanRecord, AskForProgram},
    {"file.record", "Record again", "File",
     "Records the last program again, with the same options, and opens the run beside the last "
     "one; given an address, records that program.",
     "capture repeat live", "Ctrl+Shift+R", CanRecord, RecordProgram},
    {"file.stop_recording", "Stop recording", "",
     "Cancels the recording in progress and keeps nothing of it.", "capture cancel abort", "",
     IsRecording, StopRecording},
    {"file.install_there", "Copy Stepscope there", "",
     "Copies this program to the other machine, into ~/.cache/stepscope, over ssh, and opens the "
     "profile then.",
     "ssh remote install host", "", CanInstall, InstallThere},
};

}  // namespace

std::span<const CommandDesc> CaptureCommands() { return kCapture; }

}  // namespace stepscope::commands
