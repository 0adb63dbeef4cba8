// Query: SQL over the profile of the panel. It is the schema `a`; further open profiles are `b` and
// so on. A query runs as a job, which the user may cancel; its result is a table as all others are,
// whose rows lead to their events or to their time.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/digits.h"
#include "model/jobs/latest_job.h"
#include "sql/database.h"
#include "sql/schema.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/core/state/settings.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/query/query_editor.h"
#include "viewer/panels/query/query_plot.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

constexpr SqlLimits kLimits{600, uint64_t{2} << 30, 100'000};
constexpr size_t kLongestKept = 20'000;  // bytes of a query in the history

struct Example {
  const char* title;
  const char* sql;
};
constexpr Example kExamples[] = {
    {"Time by name",
     "SELECT name, count(*) AS n, sum(dur_ps) AS total_ps\n"
     "FROM events GROUP BY name ORDER BY total_ps DESC"},
    {"Kernels by step",
     "SELECT step, count(*) AS kernels, sum(dur_ps) AS total_ps\n"
     "FROM events WHERE category = 'kernel' GROUP BY step"},
    {"How long launches waited",
     "SELECT k.id, k.name, k.begin_ps - l.begin_ps - l.dur_ps AS delay_ps\n"
     "FROM events k JOIN events l ON l.id = k.launch_id ORDER BY delay_ps DESC LIMIT 100"},
    {"Arguments of the longest events",
     "SELECT e.id, e.name, e.dur_ps, a.key, a.value\n"
     "FROM (SELECT * FROM events ORDER BY dur_ps DESC LIMIT 20) e JOIN args a ON a.event_id = "
     "e.id"},
    {"All tables", ".tables"},
};

struct Answer {
  Result<SqlTableResult> result;
  double seconds = 0;
};

Answer Run(const std::vector<std::shared_ptr<SqlSource>>& sources, const std::string& script) {
  const auto begin = std::chrono::steady_clock::now();
  Result<SqlDatabase> database = SqlDatabase::Open(sources);
  if (!database.ok()) return {database.status()};
  Result<SqlTableResult> result = RunForTable(*database, {script, {}, kLimits});
  return {std::move(result),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

class QueryPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;
  bool animating() const override { return job_.busy(); }

 private:
  void Start(const PanelContext& context);
  std::vector<std::shared_ptr<SqlSource>> Sources(const PanelContext& context);
  void FindReports(const PanelContext& context);
  void TakeAnswer();
  void NameLinks();
  void DrawBar(const PanelContext& context);
  void DrawMenus(const PanelContext& context);
  void DrawSchemas(const PanelContext& context) const;
  void DrawStatus(const PanelContext& context) const;
  void DrawResult(const PanelContext& context);

  QueryEditor editor_;
  bool began_ = false;
  PageRequest page_;
  // State that queries of open profiles share, kept while the profiles are open.
  std::vector<std::pair<std::shared_ptr<AnalysisContext>, std::shared_ptr<SqlSource>>> sources_;
  std::vector<QueryTable> reports_;  // that the text names, as far as they are known
  std::string reports_of_;           // the text for which all of them are known

  LatestJob<Answer> job_;
  double since_ = 0;  // when the query that runs began
  std::optional<Answer> answer_;
  uint64_t key_ = 0;                      // of the answer
  ProfileId profile_;                     // that the answer is of
  std::vector<ProfileId> schemas_;        // the profiles that were asked, `a` first
  std::vector<ProfileId> link_profiles_;  // by row of the answer
  bool plot_ = false;
  ResultTableView view_;
  QueryPlot plotted_;
};

// The profiles that are asked, as the schemas a, b and so on: the panel's first, then the others.
std::vector<const Profile*> ProfilesAsked(const PanelContext& context) {
  std::vector<const Profile*> asked = {context.profile};
  for (const Profile& profile : context.profiles) {
    if (profile.analysis && profile.id != context.profile->id && asked.size() < kMostSqlProfiles)
      asked.push_back(&profile);
  }
  return asked;
}

std::vector<std::shared_ptr<SqlSource>> QueryPanel::Sources(const PanelContext& context) {
  std::vector<std::shared_ptr<SqlSource>> sources;
  decltype(sources_) kept;
  for (const Profile* profile : ProfilesAsked(context)) {
    const std::shared_ptr<AnalysisContext>& analysis = profile->analysis;
    const auto known = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const auto& pair) { return pair.first == analysis; });
    kept.emplace_back(
        analysis, known != sources_.end() ? known->second : std::make_shared<SqlSource>(analysis));
    sources.push_back(kept.back().second);
  }
  sources_ = std::move(kept);
  return sources;
}

void QueryPanel::Start(const PanelContext& context) {
  if (editor_.text.find_first_not_of(" \t\n") == std::string::npos) return;
  if (editor_.text.size() <= kLongestKept) {
    std::vector<std::string> queries = context.settings.queries;
    PutFirst(editor_.text, Settings::kMostQueries, &queries);
    context.commands.PushSetting(&Settings::queries, std::move(queries));
  }
  profile_ = context.profile->id;
  schemas_.clear();
  for (const Profile* profile : ProfilesAsked(context)) schemas_.push_back(profile->id);
  since_ = ImGui::GetTime();
  job_.Start(context.jobs, [sources = Sources(context), script = editor_.text](Progress&) {
    return Run(sources, script);
  });
}

// Finds the tables of the reports that the text names, for completion.
void QueryPanel::FindReports(const PanelContext& context) {
  if (reports_of_ == editor_.text && !reports_of_.empty()) return;
  reports_.clear();
  bool all = true;
  for (const std::string& id : ReportsNamedIn(editor_.text)) {
    const AnalysisResult* result = context.analyses.Get(*context.profile, id, {});
    all &= result != nullptr;
    if (result == nullptr) continue;
    for (const ResultTable& table : result->tables) {
      QueryTable& known = reports_.emplace_back();
      known.name = ReportTableName(id, table);
      for (const ColumnDesc& column : table.columns) known.columns.push_back(column.id);
    }
  }
  if (all) reports_of_ = editor_.text;
}

void QueryPanel::TakeAnswer() {
  std::optional<Answer> answer = job_.Take();
  if (!answer && job_.failed())
    answer = Answer{Status(ErrorCode::kLimit, "there is not enough memory for the query")};
  if (!answer) return;
  answer_ = std::move(answer);
  ++key_;
  NameLinks();
}

void QueryPanel::NameLinks() {
  link_profiles_.clear();
  if (!answer_->result.ok()) return;
  for (const uint8_t index : answer_->result->link_profiles)
    link_profiles_.push_back(index < schemas_.size() ? schemas_[index] : profile_);
}

void QueryPanel::DrawMenus(const PanelContext& context) {
  if (ImGui::Button("History")) ImGui::OpenPopup("history");
  ImGui::SameLine();
  if (ImGui::Button("Examples")) ImGui::OpenPopup("examples");
  if (ImGui::BeginPopup("history")) {
    if (context.settings.queries.empty()) TextIn(context, Role::kText3, "No query was run yet.");
    const FaceScope mono(context, Face::kMono);
    for (size_t i = 0; i < context.settings.queries.size(); ++i) {
      const std::string& query = context.settings.queries[i];
      std::string line = query.substr(0, 100);
      std::replace(line.begin(), line.end(), '\n', ' ');
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::Selectable(ItemLabel(line + (query.size() > 100 ? "\u2026" : "")).c_str()))
        editor_.Set(std::string(query));
      ImGui::PopID();
    }
    ImGui::EndPopup();
  }
  if (ImGui::BeginPopup("examples")) {
    for (const Example& example : kExamples) {
      if (ImGui::Selectable(example.title)) editor_.Set(example.sql);
    }
    ImGui::EndPopup();
  }
}

void QueryPanel::DrawStatus(const PanelContext& context) const {
  ImGui::AlignTextToFramePadding();
  if (job_.busy()) {
    TextIn(context, Role::kText2, fmt::format("Running, {:.1f} s", ImGui::GetTime() - since_));
    return;
  }
  if (!answer_) ImGui::NewLine();
  if (!answer_ || !answer_->result.ok()) return;
  const SqlTableResult& result = *answer_->result;
  const size_t shown = result.table.size();
  std::string text = Counted(result.total_rows, "rows");
  if (result.total_rows > shown) text = "The first " + GroupDigits(shown) + " of " + text;
  const double ms = answer_->seconds * 1000;
  text += ms < 1000 ? fmt::format(", {:.1f} ms", ms) : fmt::format(", {:.2f} s", ms / 1000);
  TextIn(context, Role::kText2, text);
}

// Says which profile is which schema, where there are several.
void QueryPanel::DrawSchemas(const PanelContext& context) const {
  if (context.profiles.size() < 2) return;
  std::string text;
  char name = 'a';
  for (const Profile* profile : ProfilesAsked(context))
    text += (text.empty() ? "" : ", ") + std::string(1, name++) + ": " + profile->label;
  WrappedIn(context, Role::kText3, text);
}

void QueryPanel::DrawBar(const PanelContext& context) {
  if (job_.busy()) {
    if (ImGui::Button("Cancel")) {
      job_.Stop();
      answer_ = Answer{Status(ErrorCode::kCancelled, "The query was cancelled.")};
      ++key_;
    }
  } else if (ImGui::Button("Run")) {
    Start(context);
  }
  ImGui::SetItemTooltip("%s", job_.busy() ? "Ends the query" : "Ctrl+Enter in the editor");
  ImGui::SameLine();
  DrawMenus(context);
  ImGui::SameLine();
  if (answer_ && answer_->result.ok() && QueryPlot::Can(answer_->result->table)) {
    if (ChoiceButton(context, "Plot", plot_)) plot_ = !plot_;
    ImGui::SameLine();
  }
  DrawStatus(context);
}

void QueryPanel::DrawResult(const PanelContext& context) {
  if (!answer_) {
    WrappedIn(context, Role::kText3,
              "Tables are events, args, tracks, processes, steps, counters, flows, programs, and "
              "those of reports, such as kernel_stats_kernels. Times are picoseconds. docs/sql.md "
              "has all columns and ten recipes.");
    return;
  }
  if (!answer_->result.ok()) {
    WrappedIn(context, Role::kBad, answer_->result.status().message());
    return;
  }
  if (profile_ != context.profile->id) {
    WrappedIn(context, Role::kText3, "The result is of another profile: run the query again.");
    return;
  }
  const ResultTable& table = answer_->result->table;
  if (plot_ && QueryPlot::Can(table)) return plotted_.Draw(context, table, key_);
  view_.Draw(context, table, key_,
             {.id = "result", .name_column = "name", .link_profiles = &link_profiles_});
}

void QueryPanel::Draw(const PanelContext& context) {
  if (context.profile == nullptr || !context.profile->trace || !context.profile->analysis) {
    DrawEmpty(context, "Open a profile to query it in SQL.");
    return;
  }
  const std::vector<std::string>& queries = context.settings.queries;
  if (!std::exchange(began_, true) && editor_.text.empty())
    editor_.Set(queries.empty() ? kExamples[0].sql : queries.front());
  if (const std::optional<std::string> page = page_.Take(context, "query")) {
    editor_.Set(*page);
    Start(context);
  }
  TakeAnswer();
  FindReports(context);
  const auto lines = std::count(editor_.text.begin(), editor_.text.end(), '\n') + 1;
  const float line = ImGui::GetTextLineHeight();
  const float height = line * (static_cast<float>(std::clamp<std::ptrdiff_t>(lines, 2, 8)) + 0.75f);
  if (editor_.Draw(context, reports_, height)) Start(context);
  DrawBar(context);
  DrawSchemas(context);
  DrawResult(context);
}

}  // namespace

std::unique_ptr<Panel> MakeQueryPanel() { return std::make_unique<QueryPanel>(); }

}  // namespace stepscope
