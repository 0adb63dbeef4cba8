#include "capi/stepscope.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capi/event_columns.h"
#include "capi/result_columns.h"
#include "loaders/fleet/fleet_loader.h"
#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/fleet/fact_tables.h"
#include "model/analysis/pages/row_events.h"
#include "model/analysis/ranks/gather_facts.h"
#include "model/analysis/steps/scope.h"
#include "model/analysis/steps/steps.h"
#include "model/jobs/job.h"
#include "model/jobs/scheduler.h"
#include "model/query/event_stats.h"
#include "model/query/find_events.h"

using namespace stepscope;

struct stepscope_profile {
  std::shared_ptr<const Trace> trace;
  std::vector<std::string> runs, hosts;
  std::unique_ptr<AnalysisContext> context;
  std::mutex mutex;
  std::unique_ptr<AnalysisContext> xprof;  // made when first asked for, under the mutex

  AnalysisContext& Context(bool compat_xprof) {
    if (!compat_xprof) return *context;
    std::lock_guard lock(mutex);
    if (!xprof) xprof = std::make_unique<AnalysisContext>(trace, Definitions::kXprof);
    return *xprof;
  }
};

struct stepscope_report {
  std::shared_ptr<const AnalysisResult> result;
  std::shared_ptr<const Trace> trace;  // whose events tables list; null: they list none
};

struct stepscope_table {
  std::shared_ptr<const ArrowTable> table;
};

namespace {

static_assert(static_cast<int>(ErrorCode::kIo) == STEPSCOPE_IO);
static_assert(static_cast<int>(ErrorCode::kFormat) == STEPSCOPE_FORMAT);
static_assert(static_cast<int>(ErrorCode::kUnsupported) == STEPSCOPE_UNSUPPORTED);
static_assert(static_cast<int>(ErrorCode::kLimit) == STEPSCOPE_LIMIT);
static_assert(static_cast<int>(ErrorCode::kUsage) == STEPSCOPE_USAGE);

stepscope_status Fail(stepscope_status status, const char* message, char** error) {
  if (error != nullptr) *error = ::strdup(message);
  return status;
}

stepscope_status StatusOf(ErrorCode code) {
  return code == ErrorCode::kNotInstalled ? STEPSCOPE_IO : static_cast<stepscope_status>(code);
}

Status Usage(std::string message) { return {ErrorCode::kUsage, std::move(message)}; }

// The scheduler of all calls that run at a time. Its threads end with the last of them, so that
// none is there when the program forks, ends or unloads the library between two calls. A child that
// was forked during a call has none of its threads, and gets a scheduler of its own.
std::shared_ptr<Scheduler> SharedScheduler() {
  static std::mutex mutex;  // guards what follows
  static std::weak_ptr<Scheduler> shared;
  static pid_t owner = 0;
  std::lock_guard lock(mutex);
  const pid_t self = ::getpid();
  std::shared_ptr<Scheduler> scheduler = self == owner ? shared.lock() : nullptr;
  if (scheduler == nullptr) shared = scheduler = std::make_shared<Scheduler>();
  owner = self;
  return scheduler;
}

// Calls fn, which returns a Status, unless a handle is null. Exceptions become a status too.
template <typename Fn, typename... Handles>
stepscope_status Guard(char** error, Fn fn, const Handles*... handles) {
  try {
    const std::shared_ptr<Scheduler> scheduler = SharedScheduler();
    const JobScope job(scheduler.get());
    const Status status =
        ((handles != nullptr) && ...) ? fn() : Usage("a handle or the place for a result is null");
    if (status.ok()) return STEPSCOPE_OK;
    return Fail(StatusOf(status.code()), status.message().c_str(), error);
  } catch (const std::bad_alloc&) {
    return Fail(STEPSCOPE_MEMORY, "there is not enough memory", error);
  } catch (const std::exception& e) {
    return Fail(STEPSCOPE_INTERNAL, e.what(), error);
  } catch (...) {
    return Fail(STEPSCOPE_INTERNAL, "an error without a name", error);
  }
}

Status ReadHlo(const stepscope_hlo* hlo, HloChoice* choice) {
  if (hlo == nullptr) return {};
  if (hlo->size < sizeof(stepscope_hlo))
    return Usage("stepscope_hlo.size is not sizeof(stepscope_hlo)");
  if (hlo->program != nullptr) choice->program = hlo->program;
  if (hlo->instruction != nullptr) choice->instruction = hlo->instruction;
  choice->memory_space = hlo->memory_space;
  if (hlo->has_radius != 0)
    choice->radius = static_cast<int>(std::clamp<int64_t>(hlo->radius, 0, INT32_MAX));
  return {};
}

Result<AnalysisParams> ParamsOf(const stepscope_part* part) {
  AnalysisParams params;
  params.hlo.whole = true;
  params.hlo.memory_space = kAllMemorySpaces;
  if (part == nullptr) return params;
  if (part->size < offsetof(stepscope_part, hlo))  // members of later versions may be missing
    return Usage("stepscope_part.size is not sizeof(stepscope_part)");
  if (part->size >= offsetof(stepscope_part, peaks)) {
    const Status status = ReadHlo(part->hlo, &params.hlo);
    if (!status.ok()) return status;
  }
  if (part->size >= sizeof(stepscope_part) && part->peaks != nullptr) {
    auto own = ParseOwnPeaks(part->peaks);
    if (!own.ok()) return Usage("peaks: " + own.status().message());
    params.peaks = std::move(own).value();
  }
  if (part->host != nullptr && *part->host != '\0') params.hosts = {part->host};
  if (part->range_end_ps > part->range_begin_ps)
    params.range = {part->range_begin_ps, part->range_end_ps};
  if (part->has_steps == 0) return params;
  if (part->first_step > part->last_step) return Usage("steps: the first is above the last");
  params.steps = {part->first_step, part->last_step};
  return params;
}

// Reads the part. kUsage if the profile has nothing in it.
Result<AnalysisParams> PartOf(AnalysisContext& context, const stepscope_part* part) {
  Result<AnalysisParams> params = ParamsOf(part);
  if (!params.ok()) return params;
  const Status status = ScopeStatus(context, *params);
  return status.ok() ? params : Result<AnalysisParams>(status);
}

Status Give(std::shared_ptr<const ArrowTable> table, stepscope_table** out) {
  *out = new stepscope_table{std::move(table)};
  return {};
}

const char* TextAt(const std::vector<std::string>& texts, size_t i) {
  return i < texts.size() ? texts[i].c_str() : nullptr;
}

Status Open(const std::vector<std::string>& paths, const stepscope_open_options* options,
            stepscope_profile** out) {
  if (paths.empty()) return Usage("no path");
  LoadOptions load;
  if (options != nullptr && options->size < sizeof(*options))
    return Usage("stepscope_open_options.size is not sizeof(stepscope_open_options)");
  if (options != nullptr && options->run != nullptr) load.run = options->run;
  if (options != nullptr && options->max_inflated_bytes != 0)
    load.max_inflated_bytes = options->max_inflated_bytes;
  auto profile = std::make_unique<stepscope_profile>();
  Progress progress;
  auto trace = LoadPaths(paths, load, CurrentStopToken(), progress, &profile->runs);
  if (!trace.ok()) return trace.status();
  profile->trace = std::move(trace).value();
  for (uint32_t h = 0; h < profile->trace->hosts.size(); ++h)
    profile->hosts.emplace_back(profile->trace->HostName(HostId(h)));
  profile->context = std::make_unique<AnalysisContext>(profile->trace, Definitions::kStepscope);
  *out = profile.release();
  return {};
}

// The events that a query and a part ask for. Without `rows` the query matches all events.
struct Asked {
  std::optional<RowBits> rows;
  AnalysisParams params;
  const RowBits* bits() const { return rows ? &*rows : nullptr; }
};

Result<Asked> Ask(AnalysisContext& context, const stepscope_part* part, const char* query) {
  const Result<EventQuery> parsed = EventQuery::Parse(query != nullptr ? query : "");
  if (!parsed.ok())
    return Usage("query '" + std::string(query) + "': " + parsed.status().message());
  Result<AnalysisParams> params = PartOf(context, part);
  if (!params.ok()) return params.status();
  Result<std::optional<RowBits>> rows = FindAsked(context, *parsed);
  if (!rows.ok()) return rows.status();
  return Asked{std::move(rows).value(), std::move(params).value()};
}

Status Events(stepscope_profile& profile, const stepscope_part* part, const char* query,
              uint32_t flags, stepscope_table** out) {
  const Result<Asked> asked = Ask(*profile.context, part, query);
  if (!asked.ok()) return asked.status();
  const Scope scope = ScopeOf(*profile.context, asked->params);
  auto table =
      EventTable({profile.trace.get(), asked->bits(), &scope, (flags & STEPSCOPE_WITH_ARGS) != 0,
                  (flags & STEPSCOPE_BY_TRACK) != 0, 0});
  if (!table.ok()) return table.status();
  return Give(std::move(table).value(), out);
}

Result<GroupBy> GroupOf(const char* by) {
  const std::string name = by != nullptr ? by : "name";
  if (name == "name") return GroupBy::kName;
  if (name == "track") return GroupBy::kTrack;
  if (name == "step") return GroupBy::kStep;
  if (name == "all") return GroupBy::kNone;
  return Usage("by '" + name + "': known are name, track, step and all");
}

Status EventStatsOf(stepscope_profile& profile, const stepscope_part* part, const char* query,
                    const char* by, stepscope_table** out) {
  const Result<GroupBy> group = GroupOf(by);
  if (!group.ok()) return group.status();
  AnalysisContext& context = *profile.context;
  const Result<Asked> asked = Ask(context, part, query);
  if (!asked.ok()) return asked.status();
  const Scope scope = ScopeOf(context, asked->params);
  const bool steps = *group == GroupBy::kStep;
  EventStats stats = AddUp({&context.trace(),
                            {{0, &context.trace().set, asked->bits()}},
                            &scope,
                            *group,
                            steps ? &context.Get<StepDatabase>() : nullptr,
                            steps ? &context.Get<Grouping>() : nullptr});
  if (*group == GroupBy::kNone) stats.groups = {stats.total};
  return Give(
      ToArrow(StatsTable(
          {&context.trace(), &stats, *group, steps ? &context.Get<StepDatabase>() : nullptr, {}},
          false)),
      out);
}

ColumnDesc Column(const char* id, const char* label, ValueType type, Unit unit = Unit::kNone) {
  return {id, label, unit, type, {}};
}

ResultTable StepTable(AnalysisContext& context) {
  using enum ValueType;
  ResultTable table;
  table.SetColumns({Column("number", "Number", kInt), Column("name", "Step", kString),
                    Column("host", "Host", kString), Column("begin_ps", "Begin", kInt, Unit::kPs),
                    Column("dur_ps", "Duration", kInt, Unit::kPs),
                    Column("counts", "In averages", kBool)});
  for (const Step& step : context.Get<StepDatabase>().steps)
    table.AddRow({step.number, step.label, SharedText(context.trace().HostName(step.host)),
                  step.span.begin, step.span.length(), step.counts()});
  return table;
}

ResultTable TrackTable(const Trace& trace) {
  using enum ValueType;
  ResultTable table;
  table.SetColumns({Column("host", "Host", kString), Column("process", "Process", kString),
                    Column("track", "Track", kString), Column("events", "Events", kInt)});
  for (const Plane& plane : trace.planes) {
    for (const TrackId id : plane.tracks) {
      const Track& track = trace.set.tracks[id.value];
      table.AddRow({SharedText(trace.HostName(plane.host)),
                    SharedText(trace.names().strings.View(plane.name)),
                    SharedText(trace.names().strings.View(track.name)),
                    static_cast<int64_t>(track.events)});
    }
  }
  return table;
}

Status ReportOf(stepscope_profile& profile, const char* panel, const stepscope_part* part,
                uint32_t flags, stepscope_report** out) {
  const AnalysisDesc* analysis = FindAnalysis(panel);
  if (analysis == nullptr) {
    std::string known;
    for (const AnalysisDesc& a : Analyses())
      known += (known.empty() ? "" : ", ") + std::string(a.id);
    return Usage("panel " + std::string(panel) + ": there is no such panel; known are " + known);
  }
  AnalysisContext& context = profile.Context((flags & STEPSCOPE_COMPAT_XPROF) != 0);
  const Result<AnalysisParams> params = PartOf(context, part);
  if (!params.ok()) return params.status();
  *out = new stepscope_report{context.Get(analysis->id, *params), profile.trace};
  return {};
}

Status CompareOf(stepscope_profile& a, stepscope_profile& b, const stepscope_part* part_a,
                 const stepscope_part* part_b, stepscope_report** out) {
  const Result<AnalysisParams> of_a = PartOf(*a.context, part_a), of_b = PartOf(*b.context, part_b);
  if (!of_a.ok()) return of_a.status();
  if (!of_b.ok()) return of_b.status();
  AnalysisResult result = Comparison().compare(*a.context, *b.context, {*of_a, *of_b});
  if (!result.empty_reason.empty()) return Usage(result.empty_reason);
  *out = new stepscope_report{std::make_shared<const AnalysisResult>(std::move(result)), nullptr};
  return {};
}

// The facts of the profile's ranks. Ranks that are alone on their host have facts about memory.
std::vector<RankFacts> FactsOf(stepscope_profile& profile) {
  AnalysisContext& context = *profile.context;
  auto facts = GatherFacts(context, {}, FactsDepth::kAll);
  AddMemory(context, &facts);
  return facts;
}

Status FleetTables(stepscope_profile& profile, stepscope_report** out) {
  AnalysisResult result;
  result.panel = "fleet_facts";
  result.tables = FactTables(FactsOf(profile));
  *out = new stepscope_report{std::make_shared<const AnalysisResult>(std::move(result)), nullptr};
  return {};
}

Status FleetPartOf(stepscope_profile* profile, const stepscope_fleet_file& file, char** out,
                   size_t* out_size) {
  if (file.size < sizeof(stepscope_fleet_file))
    return Usage("stepscope_fleet_file.size is not sizeof(stepscope_fleet_file)");
  if (profile == nullptr && file.error == nullptr) return Usage("neither a profile nor an error");
  FleetPart part;
  part.file.path = file.path != nullptr ? file.path : "";
  part.file.error = file.error != nullptr ? file.error : "";
  part.file.bytes = file.bytes;
  part.run = file.run != nullptr ? file.run : "";
  if (profile != nullptr) {
    part.origin_unix_ns = profile->trace->origin_unix_ns;
    part.facts = FactsOf(*profile);
  }
  const std::string bytes = stepscope::fleet::WritePart(part);
  auto* copy = static_cast<char*>(std::malloc(bytes.size()));
  if (copy == nullptr) throw std::bad_alloc();
  std::copy(bytes.begin(), bytes.end(), copy);
  *out = copy;
  *out_size = bytes.size();
  return {};
}

Status TableAt(const stepscope_report& report, size_t i, stepscope_table** out) {
  if (i >= report.result->tables.size()) return Usage("the report has no such table");
  const ResultTable& table = report.result->tables[i];
  return Give(
      ToArrow(table, report.trace ? EventColumn(*report.result, table) : -1, report.trace.get()),
      out);
}

}  // namespace

uint32_t stepscope_abi(void) { return STEPSCOPE_ABI; }
const char* stepscope_version(void) { return STEPSCOPE_VERSION; }
void stepscope_free_text(char* text) { std::free(text); }

stepscope_status stepscope_parse_time(const char* text, int64_t* out, char** error) {
  const auto parse = [&]() -> Status {
    Ps time = 0;
    if (!ParseDuration(text, &time))
      return Usage("'" + std::string(text) + "' is not a time; write it as 12ms");
    *out = time;
    return {};
  };
  return Guard(error, parse, text, out);
}

stepscope_status stepscope_open(const char* const* paths, size_t count,
                                const stepscope_open_options* options, stepscope_profile** out,
                                char** error) {
  const auto open = [&]() -> Status {
    std::vector<std::string> list;
    for (size_t i = 0; i < count; ++i) {
      if (paths[i] == nullptr) return Usage("a path is null");
      list.emplace_back(paths[i]);
    }
    return Open(list, options, out);
  };
  return Guard(error, open, paths, out);
}

void stepscope_close(stepscope_profile* profile) { delete profile; }

const char* stepscope_profile_path(const stepscope_profile* profile) {
  return profile != nullptr ? profile->trace->path.c_str() : nullptr;
}
const char* stepscope_profile_run(const stepscope_profile* profile) {
  return profile != nullptr ? profile->trace->run.c_str() : nullptr;
}
const char* stepscope_profile_run_name(const stepscope_profile* profile, size_t i) {
  return profile != nullptr ? TextAt(profile->runs, i) : nullptr;
}
const char* stepscope_profile_host(const stepscope_profile* profile, size_t i) {
  return profile != nullptr ? TextAt(profile->hosts, i) : nullptr;
}
uint64_t stepscope_profile_events(const stepscope_profile* profile) {
  return profile != nullptr ? profile->trace->counts.events() : 0;
}
void stepscope_profile_span(const stepscope_profile* profile, int64_t* begin_ps, int64_t* end_ps) {
  if (profile == nullptr || begin_ps == nullptr || end_ps == nullptr) return;
  *begin_ps = profile->trace->span.begin;
  *end_ps = profile->trace->span.end;
}
int64_t stepscope_profile_origin_unix_ns(const stepscope_profile* profile) {
  return profile != nullptr ? profile->trace->origin_unix_ns : 0;
}

stepscope_status stepscope_events(stepscope_profile* profile, const stepscope_part* part,
                                  const char* query, uint32_t flags, stepscope_table** out,
                                  char** error) {
  return Guard(
      error, [&] { return Events(*profile, part, query, flags, out); }, profile, out);
}

stepscope_status stepscope_event_stats(stepscope_profile* profile, const stepscope_part* part,
                                       const char* query, const char* by, stepscope_table** out,
                                       char** error) {
  return Guard(
      error, [&] { return EventStatsOf(*profile, part, query, by, out); }, profile, out);
}

stepscope_status stepscope_steps(stepscope_profile* profile, stepscope_table** out, char** error) {
  return Guard(
      error, [&] { return Give(ToArrow(StepTable(*profile->context)), out); }, profile, out);
}

stepscope_status stepscope_tracks(stepscope_profile* profile, stepscope_table** out, char** error) {
  return Guard(
      error, [&] { return Give(ToArrow(TrackTable(*profile->trace)), out); }, profile, out);
}

const char* stepscope_panel(size_t i) {
  const auto analyses = Analyses();
  return i < analyses.size() ? analyses[i].id : nullptr;
}

stepscope_status stepscope_report_of(stepscope_profile* profile, const char* panel,
                                     const stepscope_part* part, uint32_t flags,
                                     stepscope_report** out, char** error) {
  return Guard(
      error, [&] { return ReportOf(*profile, panel, part, flags, out); }, profile, panel, out);
}

stepscope_status stepscope_compare(stepscope_profile* a, stepscope_profile* b,
                                   const stepscope_part* part_a, const stepscope_part* part_b,
                                   stepscope_report** out, char** error) {
  return Guard(
      error, [&] { return CompareOf(*a, *b, part_a, part_b, out); }, a, b, out);
}

stepscope_status stepscope_fleet_tables(stepscope_profile* profile, stepscope_report** out,
                                        char** error) {
  return Guard(
      error, [&] { return FleetTables(*profile, out); }, profile, out);
}

stepscope_status stepscope_fleet_part(stepscope_profile* profile, const stepscope_fleet_file* file,
                                      char** out, size_t* out_size, char** error) {
  return Guard(
      error, [&] { return FleetPartOf(profile, *file, out, out_size); }, file, out, out_size);
}

void stepscope_report_free(stepscope_report* report) { delete report; }

const char* stepscope_report_panel(const stepscope_report* report) {
  return report != nullptr ? report->result->panel.c_str() : nullptr;
}
const char* stepscope_report_empty_reason(const stepscope_report* report) {
  return report != nullptr ? report->result->empty_reason.c_str() : nullptr;
}
const char* stepscope_report_table_id(const stepscope_report* report, size_t i) {
  if (report == nullptr || i >= report->result->tables.size()) return nullptr;
  return report->result->tables[i].id.c_str();
}
const char* stepscope_report_table_title(const stepscope_report* report, size_t i) {
  if (report == nullptr || i >= report->result->tables.size()) return nullptr;
  return report->result->tables[i].title.c_str();
}

stepscope_status stepscope_report_table(const stepscope_report* report, size_t i,
                                        stepscope_table** out, char** error) {
  return Guard(
      error, [&] { return TableAt(*report, i, out); }, report, out);
}

stepscope_status stepscope_report_properties(const stepscope_report* report, stepscope_table** out,
                                             char** error) {
  return Guard(
      error, [&] { return Give(ToArrow(PropertyTable(*report->result)), out); }, report, out);
}

stepscope_status stepscope_report_verdicts(const stepscope_report* report, stepscope_table** out,
                                           char** error) {
  return Guard(
      error, [&] { return Give(ToArrow(VerdictTable(*report->result)), out); }, report, out);
}

void stepscope_table_free(stepscope_table* table) { delete table; }

int64_t stepscope_table_rows(const stepscope_table* table) {
  return table != nullptr ? table->table->rows() : 0;
}

stepscope_status stepscope_table_stream(const stepscope_table* table, ArrowArrayStream* out,
                                        char** error) {
  const auto stream = [&] {
    ExportStream(table->table, out);
    return Status();
  };
  return Guard(error, stream, table, out);
}
