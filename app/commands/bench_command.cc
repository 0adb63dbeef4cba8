#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "app/bench/bare_scan.h"
#include "app/bench/frame_times.h"
#include "app/command_line/command_line.h"
#include "app/commands/command_options.h"
#include "app/commands/stage.h"
#include "app/system/output.h"
#include "app/system/process.h"
#include "viewer/core/state/panel_list.h"
#include "viewer/gl/program.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kIdleSeconds = 5;

void AddBenchOptions(CLI::App& app, InputOptions* input, BenchOptions* options) {
  AddPaths(app, input, true);
  AddNumber(app, "--frames", &options->frames, 2, 1000000, "frames of the scripted zoom");
  AddFlag(app, "--panels", &options->panels,
          "also frames with each panel open, scrolled while the timeline zooms");
  AddRepeated(app, "--panel", "ID", "also frames with this panel open; may be repeated",
              [options](const std::string& id) -> std::string {
                if (FindPanel(id) == nullptr) return "is no panel";
                options->only_panels.push_back(id);
                return {};
              });
  AddFlag(app, "--tools", &options->tools,
          "also frames of a search that is typed and of a box that selects");
  AddCompare(app, input, "open two paths side by side");
  AddFlag(app, "--window", &options->show_window, "in a real window, which needs a display");
  AddSize(app, options);
}

std::string CheckBench(const InputOptions& input, const BenchOptions&) {
  return input.compare ? CheckInput(input) : NeedOnePath(input);
}

double Ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

// The times of the load's stages. Loaders name stages for people, so SplitStages() looks for a part
// of a word, as in "Inflating".
struct StageMs {
  double inflate = 0, parse = 0, build = 0;
};

StageMs SplitStages(const LoadTimes& times) {
  StageMs ms;
  for (size_t i = 0; i < times.stages.size(); ++i) {
    const auto end = i + 1 < times.stages.size() ? times.stages[i + 1].second : times.end;
    const double length = Ms(end - times.stages[i].second);
    const std::string_view name = times.stages[i].first;
    if (name.find("nflat") != std::string_view::npos) {
      ms.inflate += length;
    } else if (name.find("uild") != std::string_view::npos) {
      ms.build += length;
    } else {
      ms.parse += length;
    }
  }
  return ms;
}

// Runs the window's loop until a frame shows the timeline of all profiles. Sets *picture_ms to the
// time from process start to the first frame with a timeline, which may be of a first picture.
Status FirstFrame(Stage& stage, size_t wanted, const Log& log, double* picture_ms) {
  const auto has_all = [&] {
    const std::vector<Profile>& profiles = stage.session().view().profiles;
    return profiles.size() == wanted && std::none_of(profiles.begin(), profiles.end(),
                                                     [](const Profile& p) { return p.arriving; });
  };
  while (!stage.gui().drew_timeline() || !has_all()) {
    stage.gui().Step();
    if (*picture_ms == 0 && stage.gui().drew_timeline()) {
      glFinish();
      *picture_ms = MsSinceProcessStart();
      log.Verbose("first picture");
    }
    const bool waiting = stage.session().loading() || has_all();
    if (!waiting) return stage.load_status();
  }
  glFinish();
  return Status::Ok();
}

struct AnalysisTimes {
  Json by_id = Json::object();
  double total_ms = 0;
  size_t stat_table_bytes = 0;  // the typed stats, which store_bytes leaves out
};

// Runs the analyses one after the other on one context, as if every panel was opened. Shared work
// counts for the first analysis that needs it. The results are kept to the end, so the peak of
// memory includes them.
AnalysisTimes TimeAnalyses(const std::shared_ptr<const Trace>& trace) {
  AnalysisTimes times;
  AnalysisContext context(trace, Definitions::kStepscope);
  std::vector<AnalysisResult> results;
  for (const AnalysisDesc& analysis : Analyses()) {
    const Stopwatch watch;
    results.push_back(RunAnalysis(analysis, context, {}));
    const double ms = watch.Ms();
    times.by_id[analysis.id] = ms;
    times.total_ms += ms;
  }
  for (const StatTable* table : context.all_stats()) times.stat_table_bytes += table->bytes();
  return times;
}

// Processor time of the frame loop during kIdleSeconds without input.
double IdleCpuMs(Stage& stage) {
  // The last input may need further frames, and memory is released.
  while (stage.gui().Step(0.1) || stage.gui().tidying()) {
  }
  const double before = CpuMs();
  stage.gui().StepFor(kIdleSeconds);
  return CpuMs() - before;
}

// The time until a frame shows the overview's first sentence. The window has shown its picture; no
// analysis has run yet.
double FirstSentenceMs(Stage& stage) {
  const Stopwatch watch;
  stage.session().HoldAnalyses(false);
  stage.session().RequestFrame();
  do {
    stage.gui().Step();
  } while (stage.gui().viewer().waits_for_verdict());
  glFinish();
  return watch.Ms();
}

// The members of the output about frames. Null members are left out.
struct BenchFrames {
  double first_sentence_ms = 0;
  Json zoom, panels, tools;
};

Status TimeAllFrames(Stage& stage, const Trace& trace, const BenchOptions& options, const Log& log,
                     BenchFrames* times) {
  log.Verbose("first sentence");
  times->first_sentence_ms = FirstSentenceMs(stage);
  log.Verbose("frames");
  Status status = stage.gui().DrawUntilIdle();
  times->zoom = TimeFrames(stage.gui(), trace, options.frames);
  if (status.ok()) status = stage.gui().DrawUntilIdle();
  if (status.ok() && (options.panels || !options.only_panels.empty())) {
    log.Verbose("panels");
    Result<Json> timed =
        options.panels ? TimePanels(stage.gui(), trace, options.frames)
                       : TimeSomePanels(stage.gui(), trace, options.frames, options.only_panels);
    status = timed.status();
    if (timed.ok()) times->panels = std::move(timed).value();
  }
  if (status.ok() && options.tools) {
    log.Verbose("tools");
    times->tools = TimeTools(stage.gui(), trace, options.frames);
    status = stage.gui().DrawUntilIdle();
  }
  return status;
}

int RunBench(const InputOptions& input, const BenchOptions& options, const Log& log) {
  Stage stage;
  stage.session().HoldAnalyses(true);
  stage.Open(input);
  Status status = stage.Show(options, options.show_window);
  if (!status.ok()) {
    LogError(status.message());
    return status.code() == ErrorCode::kUsage ? kExitUsage : kExitNoResource;
  }
  double picture_ms = 0;
  status = FirstFrame(stage, input.compare ? input.paths.size() : 1, log, &picture_ms);
  const double total_ms = MsSinceProcessStart();
  const auto first_frame_end = Clock::now();
  if (!status.ok()) {
    LogError(status.message());
    return ExitCodeOf(status);
  }
  const uint64_t peak_open = PeakResidentBytes();
  const LoadTimes& load = stage.session().load_times();
  const StageMs stages = SplitStages(load);
  const std::shared_ptr<const Trace> trace = stage.session().view().profiles.front().trace;

  log.Verbose("analyses");
  AnalysisTimes analyses = TimeAnalyses(trace);
  const uint64_t peak = PeakResidentBytes();
  BenchFrames frames;
  status = TimeAllFrames(stage, *trace, options, log, &frames);
  log.Verbose("idle");
  const double idle_ms = IdleCpuMs(stage);
  const PixelSize size = stage.surface().size();
  log.Verbose("bare scan");
  const Result<BareScan> scan = ScanBare(*trace, input.max_inflated_bytes);
  if (status.ok()) status = scan.status();
  if (!status.ok()) {
    LogError(status.message());
    return ExitCodeOf(status);
  }

  Json json;
  json["path"] = input.paths[0];
  if (input.compare) json["compared_with"] = input.paths[1];
  json["file_bytes"] = trace->file_bytes;
  json["inflated_bytes"] = trace->inflated_bytes;
  json["events"] = trace->counts.events();
  json["scan_ms"] = scan->ms;
  json["inflate_ms"] = stages.inflate;
  json["parse_ms"] = stages.parse;
  json["build_ms"] = stages.build;
  json["load_ms"] = Ms(load.end - load.begin);
  json["first_frame_ms"] = Ms(first_frame_end - load.end);
  json["total_ms"] = total_ms;
  json["first_picture_ms"] = picture_ms;
  json["first_sentence_ms"] = frames.first_sentence_ms;
  json["analyses_ms"] = std::move(analyses.by_id);
  json["analyses_total_ms"] = analyses.total_ms;
  json["store_bytes"] = trace->store_bytes();
  json["stat_table_bytes"] = analyses.stat_table_bytes;
  json["peak_rss_open_bytes"] = peak_open;
  json["peak_rss_bytes"] = peak;
  json["frames"] = std::move(frames.zoom);
  if (!frames.panels.is_null()) json["panels"] = std::move(frames.panels);
  if (!frames.tools.is_null()) json["tools"] = std::move(frames.tools);
  json["window"] = {size.width, size.height};
  json["idle_cpu_ms"] = idle_ms;
  json["gl_renderer"] = RendererName();
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return WriteOutput({}, text) ? kExitOk : kExitNoResource;
}

}  // namespace

extern const ProgramCommandDesc kBenchCommand = {
    "bench", "Timings of opening and drawing, as JSON",
    NewCommand<BenchOptions, AddBenchOptions, CheckBench, RunBench>};

}  // namespace stepscope
