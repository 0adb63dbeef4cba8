#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/open_command.h"
#include "app/system/output.h"
#include "app/system/paths.h"
#include "app/system/process.h"
#include "capture/call_servers.h"
#include "capture/monitor.h"
#include "capture/record.h"
#include "model/base/digits.h"
#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kMostTime{3'600'000}, kMonitorTime{1000};
constexpr milliseconds kLook{50};  // between two looks at Ctrl+C and the progress
constexpr const char* kNoDuration = "is not a duration of 1ms to 1h; write it as 2s or 500ms";

// Reads a duration. Returns an empty text, or the fault.
std::string ReadTime(const std::string& text, milliseconds least, milliseconds* out) {
  Ps time = 0;
  if (!ParseDuration(text, &time)) return kNoDuration;
  const milliseconds ms{time / kPsPerMs};
  if (ms < least || ms > kMostTime) return kNoDuration;
  *out = ms;
  return {};
}

void AddCaptureOptions(CLI::App& app, InputOptions*, CaptureOptions* options) {
  AddValue(app, "ADDRESS", "HOST:PORT,...",
           "profiler server of the program; several, with commas between, are one run",
           [options](const std::string& text) -> std::string {
             Result<std::vector<capture::Address>> servers = capture::ParseAddresses(text);
             if (!servers.ok()) return "cannot be read: " + servers.status().message();
             options->record.servers = std::move(servers).value();
             return {};
           });
  Require(app, "ADDRESS");
  AddValue(app, "--duration", "TIME",
           "how long to record (default 2s), or to watch with --monitor (default: until Ctrl+C)",
           [options](const std::string& text) {
             milliseconds time{};
             std::string wrong = ReadTime(text, milliseconds(1), &time);
             if (wrong.empty()) options->record.duration = time, options->watch = time;
             return wrong;
           });
  AddText(app, "-o,--output", &options->record.log_directory,
          "log directory, which gets plugins/profile/RUN/HOST.xplane.pb (default: this folder)",
          "LOGDIR");
  AddValue(app, "--delay", "TIME", "wait so long before the recording begins, as in 500ms",
           [options](const std::string& text) {
             return ReadTime(text, milliseconds(0), &options->record.delay);
           });
  AddNumber(app, "--host-level", &options->record.host_level, 0, 3,
            "host events: 0 none, 1 annotations, 2 ops too (default), 3 all");
  AddNumber(app, "--device-level", &options->record.device_level, 0, 1,
            "device events: 0 none, 1 kernels and copies (default)");
  AddNumber(app, "--python-level", &options->record.python_level, 0, 1,
            "calls of Python functions: 0 none (default), 1 all, which slows the program down");
  AddNumber(app, "--attempts", &options->record.attempts, 1, 100,
            "how often to try while nothing is recorded (default 3)");
  AddFlag(app, "--monitor", &options->monitor,
          "print how busy the devices are, a line each second, instead of recording (TPUs)");
  AddFlag(app, "--no-open", &options->no_open, "only print where the run is; open no window");
}

// A line of standard output that the next one overwrites. Shows nothing without a terminal.
class ProgressLine {
 public:
  ~ProgressLine() { Show(""); }
  void Show(const std::string& text) {
    if (!terminal_ || text == shown_) return;
    std::printf("\r\033[K%s", text.c_str());
    std::fflush(stdout);
    shown_ = text;
  }

 private:
  const bool terminal_ = ::isatty(STDOUT_FILENO) != 0;
  std::string shown_;
};

std::string ProgressText(const Progress& progress, const capture::SentTime& sent,
                         milliseconds duration) {
  using Seconds = std::chrono::duration<double>;
  std::string stage = progress.stage();
  if (stage == capture::kStageRecording) {
    const Seconds past = std::chrono::steady_clock::now() - sent.load();
    return fmt::format("{}: {:.1f} of {:.6g} s", stage, past.count(), Seconds(duration).count());
  }
  const uint64_t total = progress.bytes_total;
  if (total == 0) return stage;
  return fmt::format("{}: {} of {}", stage, BytesText(progress.bytes_done), BytesText(total));
}

// Runs `work` on a thread, and `show` every 50 ms meanwhile.
template <typename Work, typename Show>
auto RunBeside(Work work, Show show) {
  auto result = std::async(std::launch::async, work);
  while (result.wait_for(kLook) != std::future_status::ready) show();
  return result.get();
}

Result<capture::Recorded> RecordHere(const CaptureOptions& options, const Interrupt& interrupt) {
  Progress progress;
  capture::SentTime sent;
  ProgressLine line;
  const capture::WriteFile write = [](const std::string& path, std::string_view contents) {
    return WriteFileAtomically(path, contents);
  };
  return RunBeside(
      [&] {
        return capture::RecordPrograms(options.record, write, interrupt.token(), progress, &sent);
      },
      [&] { line.Show(ProgressText(progress, sent, options.record.duration)); });
}

bool HasDisplay() {
  const auto set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

int RunRecording(const InputOptions& input, const CaptureOptions& options, const Log& log) {
  auto interrupt = std::make_unique<Interrupt>();
  const Result<capture::Recorded> recorded = RecordHere(options, *interrupt);
  const bool interrupted = interrupt->token().stop_requested();
  interrupt.reset();  // Ctrl+C ends the window again
  if (!recorded.ok()) {
    LogError(recorded.status().message());
    if (interrupted) Interrupt::End();
    return ExitCodeOf(recorded.status());
  }
  for (const std::string& failure : recorded->failures) LogError(failure);
  log.Verbose(
      fmt::format("{} recorded in {} attempt(s)", BytesText(recorded->bytes), recorded->attempts));
  std::printf("%s\n", recorded->run_directory.c_str());
  std::fflush(stdout);
  if (options.no_open || !HasDisplay()) return kExitOk;
  InputOptions opened = input;
  opened.paths = {recorded->run_directory};
  return OpenWindow(opened, log);
}

std::string ClockText() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

// Prints the lines of one second. Returns how many servers answered.
size_t PrintMonitor(const CaptureOptions& options, const std::vector<Result<std::string>>& lines) {
  size_t answered = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].ok()) {
      LogError(lines[i].status().message());
      continue;
    }
    ++answered;
    std::printf("%s  %s  %s\n", ClockText().c_str(), options.record.servers[i].Text().c_str(),
                TerminalText(*lines[i]).c_str());
  }
  std::fflush(stdout);
  return answered;
}

void SleepUntil(const std::stop_token& stop, std::chrono::steady_clock::time_point end) {
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(kLook);
}

// Prints a line for each server every second until Ctrl+C, which is no error.
int RunMonitor(const CaptureOptions& options) {
  const Interrupt interrupt;
  const std::stop_token stop = interrupt.token();
  const auto begin = std::chrono::steady_clock::now();
  for (int second = 1;; ++second) {
    const auto lines = capture::Monitor(options.record.servers, kMonitorTime, stop);
    if (stop.stop_requested()) return kExitOk;
    if (PrintMonitor(options, lines) == 0) return kExitNothing;
    if (std::ferror(stdout) != 0) return kExitOk;  // its reader has closed the pipe
    const auto passed = kMonitorTime * second;
    if (options.watch && passed >= *options.watch) return kExitOk;
    SleepUntil(stop, begin + passed);
    if (stop.stop_requested()) return kExitOk;
  }
}

int RunCapture(const InputOptions& input, const CaptureOptions& options, const Log& log) {
  return options.monitor ? RunMonitor(options) : RunRecording(input, options, log);
}

}  // namespace

extern const ProgramCommandDesc kCaptureCommand = {
    "capture", "Record a running program through its profiler server, and open the run",
    NewCommand<CaptureOptions, AddCaptureOptions, CheckInput, RunCapture>};

}  // namespace stepscope
