// Options that several commands have: a struct for the values of each group, and functions that add
// the group to a command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/analysis/params.h"
#include "model/time.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stepscope {

// The inputs that a command opens. `stepscope --compare bench A B` is understood as `stepscope
// bench --compare A B`, so all commands share these values, whichever of the options they have
// themselves.
struct InputOptions {
  std::vector<std::string> paths;
  std::string run;                                   // of a log directory; empty: the newest
  uint64_t max_inflated_bytes = uint64_t{16} << 30;  // of one file
  bool compare = false;                              // opens two paths side by side
  bool sample = false;                               // opens the bundled sample
  std::string view;  // a token of view_token.h that says what to show; empty: the first view
};

// Adds PATH and --max-inflated.
void AddPaths(CLI::App& app, InputOptions* input, bool required);
void AddRun(CLI::App& app, InputOptions* input);
void AddCompare(CLI::App& app, InputOptions* input, const char* what);
void AddView(CLI::App& app, InputOptions* input);

// Each returns one line that says what is wrong, or an empty text. CheckInput() is part of the
// others.
std::string CheckInput(const InputOptions& input);
std::string NeedOnePath(const InputOptions& input);
std::string NeedTwoPaths(const InputOptions& input);

// The part of a profile that a command is about.
struct PartOptions {
  std::string host;  // empty: all
  TimeRange range;   // empty: the whole trace
  std::optional<StepInterval> steps;
  HloChoice hlo;  // for the pages of HLO programs
  // Times are on the first rank's clock (model/analysis/ranks/host_clocks.h), not as recorded.
  bool aligned_clocks = false;
  std::vector<OwnPeaks> peaks;
};

void AddHost(CLI::App& app, PartOptions* part);
void AddPartRange(CLI::App& app, PartOptions* part);  // of what begins in a range
void AddSteps(CLI::App& app, PartOptions* part);
void AddClocks(CLI::App& app, PartOptions* part);
void AddHloChoice(CLI::App& app, PartOptions* part);
void AddPeaks(CLI::App& app, PartOptions* part);
// Adds --run, --host, --range and --steps.
void AddPart(CLI::App& app, InputOptions* input, PartOptions* part);

enum class ReportFormat { kText, kJson, kCsv, kHtml };

// The options that choose a report's contents, its form and its destination.
struct ReportForm {
  std::vector<std::string> panels;  // ids of pages; empty: all
  std::string table;                // empty: all
  bool wide = false;                // text: all columns, however long the lines
  ReportFormat format = ReportFormat::kText;
  std::string output;  // empty: standard output
};

void AddWide(CLI::App& app, bool* wide);
void AddOutput(CLI::App& app, std::string* output,
               const char* what = "file to write (default: standard output)");
void AddForm(CLI::App& app, ReportForm* form);

// The window that pictures are taken of.
struct PictureOptions {
  int width = 1920, height = 1080;  // pixels
  double scale = 1;
  std::string theme;  // empty: the default
};

void AddSize(CLI::App& app, PictureOptions* picture);
// Adds --size, --scale and --theme.
void AddPicture(CLI::App& app, PictureOptions* picture);

}  // namespace stepscope
