#include <epoxy/gl.h>
#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "app/commands/bench_panels.h"
#include "app/commands/bench_scan.h"
#include "app/commands/bench_tools.h"
#include "app/commands/commands.h"
#include "app/commands/picture.h"
#include "app/exit_code.h"
#include "app/output.h"
#include "app/process_stats.h"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kIdleSeconds = 5;

double Ms(Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

// Load stages by what they are called: the loaders name them for people.
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

// Runs the window's own loop until a frame has shown the timeline of all that is opened.
Status FirstFrame(Stage& stage, size_t wanted) {
  const auto open = [&] { return stage.session().view().runs.size(); };
  while (!stage.gui().drew_timeline() || open() < wanted) {
    stage.gui().Step();
    const bool waiting = stage.session().loading() || open() == wanted;
    if (!waiting) return stage.load_status();
  }
  glFinish();
  return Status::Ok();
}

struct AnalysisTimes {
  Json by_id = Json::object();
  double total_ms = 0;
  size_t stat_table_bytes = 0;  // the typed stats, beside store_bytes
};

// One after the other on one context, as for someone who opens every panel: what analyses share
// counts for the first that needs it. All results are kept until the end, so that the peak of
// memory holds them.
AnalysisTimes TimeAnalyses(const std::shared_ptr<const Trace>& trace) {
  AnalysisTimes times;
  AnalysisContext context(trace, Definitions::kStepscope);
  std::vector<AnalysisResult> results;
  for (const AnalysisDesc& analysis : Analyses()) {
    const auto begin = Clock::now();
    results.push_back(RunAnalysis(analysis, context, {}, {}));
    const double ms = Ms(Clock::now() - begin);
    times.by_id[analysis.id] = ms;
    times.total_ms += ms;
  }
  times.stat_table_bytes = context.stats({}).bytes();
  return times;
}

// Processor time of the loop over some seconds in which nothing happens.
double IdleCpuMs(Stage& stage) {
  // Before the rest: frames that the last input still wants, and memory that is given back.
  while (stage.gui().Step(0.1) || stage.gui().tidying()) {
  }
  const double before = CpuMs();
  const auto end = Clock::now() + std::chrono::seconds(kIdleSeconds);
  for (auto now = Clock::now(); now < end; now = Clock::now()) {
    stage.gui().Step(std::chrono::duration<double>(end - now).count());
  }
  return CpuMs() - before;
}

}  // namespace

int RunBench(const Options& options, const Log& log) {
  Stage stage;
  stage.session().HoldAnalyses(true);
  stage.Open(options);
  Status status = stage.Show(options, options.show_window);
  if (!status.ok()) {
    LogError(status.message());
    return status.code() == ErrorCode::kUsage ? kExitUsage : kExitNoResource;
  }
  status = FirstFrame(stage, options.compare ? options.paths.size() : 1);
  const double total_ms = MsSinceProcessStart();
  const auto first_frame_end = Clock::now();
  if (!status.ok()) {
    LogError(status.message());
    return ExitCodeOf(status);
  }
  const uint64_t peak_open = PeakResidentBytes();
  const LoadTimes& load = stage.session().load_times();
  const StageMs stages = SplitStages(load);
  const std::shared_ptr<const Trace> trace = stage.session().view().runs.front().trace;

  log.Verbose("analyses");
  AnalysisTimes analyses = TimeAnalyses(trace);
  const uint64_t peak = PeakResidentBytes();
  log.Verbose("frames");
  stage.session().HoldAnalyses(false);
  status = stage.gui().DrawUntilIdle(kIdleLimitSeconds);
  Json frames = TimeFrames(stage, *trace, options.frames);
  if (status.ok()) status = stage.gui().DrawUntilIdle(kIdleLimitSeconds);
  Json panels;
  if (status.ok() && options.bench_panels) {
    log.Verbose("panels");
    Result<Json> timed = TimePanels(stage, *trace, options.frames);
    status = timed.status();
    if (timed.ok()) panels = std::move(timed).value();
  }
  Json tools;
  if (status.ok() && options.bench_tools) {
    log.Verbose("tools");
    tools = TimeTools(stage, *trace, options.frames);
    status = stage.gui().DrawUntilIdle(kIdleLimitSeconds);
  }
  log.Verbose("idle");
  const double idle_ms = IdleCpuMs(stage);
  const PixelSize size = stage.surface().size();
  log.Verbose("bare scan");
  const Result<ScanTimes> scan = MedianScans(*trace, options.max_inflated_bytes);
  if (status.ok() && scan.status().code() != ErrorCode::kUnsupported) status = scan.status();
  if (!status.ok()) {
    LogError(status.message());
    return ExitCodeOf(status);
  }

  Json json;
  json["path"] = options.paths[0];
  if (options.compare) json["compared_with"] = options.paths[1];
  json["file_bytes"] = trace->file_bytes;
  json["inflated_bytes"] = trace->inflated_bytes;
  json["events"] = trace->counts.events();
  json["scan_ms"] = scan.ok() ? Json(scan->scan_ms) : Json();
  if (scan.ok() && scan->touch_ms) json["scan_touch_ms"] = *scan->touch_ms;
  json["inflate_ms"] = stages.inflate;
  json["parse_ms"] = stages.parse;
  json["build_ms"] = stages.build;
  json["load_ms"] = Ms(load.end - load.begin);
  json["first_frame_ms"] = Ms(first_frame_end - load.end);
  json["total_ms"] = total_ms;
  json["analyses_ms"] = std::move(analyses.by_id);
  json["analyses_total_ms"] = analyses.total_ms;
  json["store_bytes"] = trace->store_bytes();
  json["stat_table_bytes"] = analyses.stat_table_bytes;
  json["peak_rss_open_bytes"] = peak_open;
  json["peak_rss_bytes"] = peak;
  json["frames"] = std::move(frames);
  if (!panels.is_null()) json["panels"] = std::move(panels);
  if (!tools.is_null()) json["tools"] = std::move(tools);
  json["window"] = {size.width, size.height};
  json["idle_cpu_ms"] = idle_ms;
  const auto* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  json["gl_renderer"] = renderer ? renderer : "";
  const std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  return WriteOutput({}, text) ? kExitOk : kExitNoResource;
}

}  // namespace stepscope
