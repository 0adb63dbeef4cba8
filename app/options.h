// The command line, parsed. docs/interface.md#commands lists every flag.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/analysis/params.h"
#include "model/base/status.h"
#include "model/query/event_stats.h"
#include "model/time.h"

namespace stepscope {

enum class ProgramCommand {
  kOpen,
  kInfo,
  kReport,
  kEvents,
  kExport,
  kCompare,
  kCheck,
  kScreenshot,
  kReplay,
  kBench
};
enum class ReportFormat { kText, kJson, kCsv, kHtml };

// By how much B may be larger than A: "3%" of A, or "0.5" in the unit of what is compared.
struct Allowance {
  double amount = 0;
  bool percent = false;
};
struct PropertyLimit {
  std::string panel, property;
  Allowance allowed;
};

struct Options {
  ProgramCommand command = ProgramCommand::kOpen;
  std::vector<std::string> paths;
  bool verbose = false;
  uint64_t max_inflated_bytes = uint64_t{16} << 30;  // of one file
  // open, screenshot, replay
  bool compare = false;
  bool sample = false;
  // info, report
  bool json = false;
  std::string run, host;
  std::vector<std::string> panels;
  std::string table;
  std::vector<std::string> thresholds;  // of findings, "RULE=VALUE", each known
  ReportFormat format = ReportFormat::kText;
  bool compat_xprof = false;
  bool wide = false;
  std::optional<StepInterval> steps;
  std::string output;  // -o
  // events
  std::string query;
  bool stats = false;
  GroupBy group = GroupBy::kName;
  bool args = false;
  // check
  std::optional<Allowance> max_step_regression, max_memory_regression;
  std::vector<PropertyLimit> limits;
  std::vector<std::string> forbidden;  // ids of rules of findings
  // screenshot, replay, bench
  int width = 1920, height = 1080;  // pixels of the picture
  double scale = 1;
  std::string theme;
  TimeRange range;  // screenshot: empty, the first view; else: empty, the whole trace
  std::string select;
  std::string view;  // open, screenshot, replay: a token of view_token.h; empty: the first view
  std::string commands_file;  // replay
  bool no_pixels = false;     // replay: nothing is rasterised
  bool show_window = false;   // replay, bench: a real window instead of an off-screen one
  int frames = 300;
  bool bench_panels = false;  // frames with each panel open as well
  bool bench_tools = false;   // frames of a search and of a box as well
};

// What to do after parsing: run the command, or print `text` and exit.
struct ParsedOptions {
  Options options;
  bool run = true;
  int exit_code = 0;  // with run == false
  std::string text;   // help or version for stdout (exit_code 0), else one line for stderr
};

ParsedOptions ParseOptions(int argc, const char* const* argv);

// "12ms..15ms", "1.5s..2s", "..3ms" is not accepted: both ends are needed. nullopt if not a range.
std::optional<TimeRange> ParseRange(const std::string& text);
// "3%", "0.5": finite and not negative. nullopt if not that.
std::optional<Allowance> ParseAllowance(const std::string& text);
// "overview.steptime_ms_average+5%". nullopt if not that.
std::optional<PropertyLimit> ParseLimit(const std::string& text);
// Of what the window is to open: kUsage for a word that may be meant as a command, kIo for a path
// that leads nowhere.
Status CheckPaths(const std::vector<std::string>& paths);
// "1920x1080", each side 16 to 16384.
bool ParseSize(const std::string& text, int* width, int* height);

}  // namespace stepscope
