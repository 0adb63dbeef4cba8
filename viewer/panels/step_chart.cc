#include "viewer/panels/step_chart.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/analysis/tables/cells.h"
#include "model/base/digits.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct XprofClass {
  const char *column, *label;
  Kind kind;
};
constexpr XprofClass kXprofClasses[] = {
    {"deviceComputeTimeMs", "Device compute", Kind::kDeviceCompute},
    {"deviceToDeviceTimeMs", "Device to device", Kind::kDeviceToDevice},
    {"deviceCollectivesTimeMs", "Collectives", Kind::kCollective},
    {"hostComputeTimeMs", "Host compute", Kind::kHostCompute},
    {"kernelLaunchTimeMs", "Kernel launch", Kind::kKernelLaunch},
    {"infeedTimeMs", "Input", Kind::kInput},
    {"outfeedTimeMs", "Output", Kind::kOutput},
    {"compileTimeMs", "Compilation", Kind::kCompilation},
    {"otherTimeMs", "All others", Kind::kOther},
};

ClassSummary Summary(const std::vector<double>& values) {
  ClassSummary s;
  if (values.empty()) return s;
  for (double v : values) s.mean += v;
  s.mean /= static_cast<double>(values.size());
  double squares = 0;
  for (double v : values) squares += (v - s.mean) * (v - s.mean);
  if (values.size() > 1) s.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return s;
}

std::string LabelAt(const ResultTable& table, size_t row) {
  const int c = table.Column("stepnum");
  if (c < 0) return std::to_string(row);
  return RawValue(table.At(row, static_cast<size_t>(c)));
}

}  // namespace

std::vector<StepClass> StepClassesOf(const ResultTable& table) {
  std::vector<StepClass> classes;
  if (table.id != "step_losses") {
    for (const XprofClass& c : kXprofClasses) classes.push_back({c.column, c.label, c.kind});
    return classes;
  }
  constexpr size_t kFirst = 2;  // the columns before it are the step and its time
  for (size_t i = kFirst; i < table.columns.size(); ++i)
    classes.push_back({table.columns[i].id, table.columns[i].label, LossKind(table.columns[i].id)});
  return classes;
}

ClassSummary StepChart::SumOf(std::string_view column) const {
  for (size_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].column == column) return sums_[i];
  }
  return {};
}

namespace {

// The hosts whose steps follow each other in the table; none where all are of one host.
std::vector<BarGroup> HostsOf(const ResultTable& steps) {
  const int host = steps.Column("host");
  std::vector<BarGroup> hosts;
  for (size_t r = 0; host >= 0 && r < steps.size(); ++r) {
    if (r == 0 || TextAt(steps, r, host) != TextAt(steps, r - 1, host))
      hosts.push_back({r, std::string(TextAt(steps, r, host))});
  }
  if (hosts.size() < 2) hosts.clear();
  return hosts;
}

}  // namespace

void StepChart::Update(const PanelContext& context, const AnalysisResult& result, uint64_t key) {
  if (key == key_ && theme_ == context.theme.kind) return;
  const ResultTable& steps = *result.Table("steps");
  const ResultTable* losses = result.Table("step_losses");
  const bool ours = losses != nullptr && losses->size() == steps.size();
  const ResultTable& table = ours ? *losses : steps;
  key_ = key;
  theme_ = context.theme.kind;
  bars_ = {};
  bars_.title = "step_times";
  counted_ = partial_ = inferred_ = 0;
  bars_.groups = HostsOf(steps);
  const int partial = steps.Column("partial"), inferred = steps.Column("inferred");
  const int warmup = steps.Column("warmup");
  const auto left_out = [&](size_t r) {
    return TrueAt(steps, r, partial) || TrueAt(steps, r, warmup);
  };
  for (size_t r = 0; r < steps.size(); ++r) {
    const bool guessed = TrueAt(steps, r, inferred);
    partial_ += left_out(r), inferred_ += guessed;
    bars_.labels.push_back(LabelAt(steps, r));
    bars_.notes.emplace_back(
        TrueAt(steps, r, partial)  ? "partial: cut by the begin or end of the recording"
        : TrueAt(steps, r, warmup) ? "warm-up: the first step, much longer than the others"
        : guessed                  ? "inferred: nothing in the profile marks it"
                                   : "");
  }
  // If no step counts, all do, as in the analysis.
  const bool all = partial_ == steps.size();
  counted_ = all ? steps.size() : steps.size() - partial_;
  // Inferred steps are paler only beside marked ones.
  if (inferred_ == steps.size() && partial_ < steps.size()) {
    for (std::string& note : bars_.notes)
      if (note.starts_with("inferred")) note.clear();
  }
  const auto column = [&](const std::string& id) {
    const int c = table.Column(id);
    std::vector<double> values;
    for (size_t r = 0; r < table.size(); ++r)
      values.push_back(std::max(NumberAt(table, r, c), 0.0));
    return values;
  };
  const auto summarise = [&](const std::vector<double>& values) {
    std::vector<double> whole;
    for (size_t r = 0; r < values.size(); ++r)
      if (all || !left_out(r)) whole.push_back(values[r]);
    return Summary(whole);
  };
  classes_ = StepClassesOf(table);
  sums_.clear();
  for (const StepClass& c : classes_) {
    std::vector<double> values = column(c.column);
    sums_.push_back(summarise(values));
    // The legend leaves out classes that never occur.
    if (std::any_of(values.begin(), values.end(), [](double v) { return v > 0; }))
      bars_.series.push_back({c.label, context.theme[c.kind], std::move(values)});
  }
  total_ = summarise(column("stepTimeMs"));
  bars_.reference = total_.mean;
  bars_.reference_label = fmt::format("average {:.{}f}", total_.mean, total_.mean < 10 ? 2 : 1);
}

void StepChart::Draw(const PanelContext& context, const ResultTable& steps, ImVec2 size) {
  const float top = ImGui::GetCursorPosY();
  std::string note = "ms, by step";
  if (!bars_.groups.empty())
    note += ", " + Counted(bars_.groups.size(), "hosts") + " one after another";
  if (inferred_ > 0) note += ", " + GroupDigits(inferred_) + " inferred";
  SectionTitle(context, "Step time", note.c_str());
  if (bars_.labels.empty() && !context.view.Filter().empty()) {
    WrappedIn(context, Role::kText2, "No whole step lies in the limits of all panels.");
    if (ImGui::SmallButton("Remove the limits")) context.commands.Push("filter.clear");
    return;
  }
  if (bars_.labels.empty()) {
    WrappedIn(context, Role::kText2, "No steps were found in this profile.");
    return;
  }
  DrawLegend(context, bars_.series, &state_, false);
  const float height = std::max(size.y - (ImGui::GetCursorPosY() - top), BaseEm() * 5.5f);
  const int clicked =
      DrawStepBars(context, "##steps", bars_, key_, &state_, ImVec2(size.x, height));
  if (clicked >= 0) GoToRow(context, steps, clicked);
}

}  // namespace stepscope
