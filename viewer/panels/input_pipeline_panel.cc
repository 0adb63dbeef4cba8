// Input pipeline: whether the program is input-bound, how long steps take, and what the host does
// to read and prepare data.
#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "model/analysis/pages/input_pipeline.h"
#include "model/base/digits.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/step_chart.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct HostPart {
  double InputPipeline::*us;
  const char* label;
  Kind kind;
  const char* advice;
};
constexpr HostPart kParts[] = {
    {&InputPipeline::demanded_us, "Reading files on demand", Kind::kInput,
     "Read ahead: interleave(num_parallel_calls=tf.data.AUTOTUNE), cache() what fits in memory."},
    {&InputPipeline::advanced_us, "Reading files in advance", Kind::kKernelLaunch,
     "More readers in parallel, larger files, or a faster disk."},
    {&InputPipeline::preprocessing_us, "Preprocessing", Kind::kHostCompute,
     "map(num_parallel_calls=tf.data.AUTOTUNE), batch before map, cache() before what is random, "
     "prefetch() at the "
     "end; or do it on the device."},
    {&InputPipeline::enqueue_us, "Enqueueing to the device", Kind::kDeviceToDevice,
     "Fewer and larger transfers: batch, and send what is small in one tensor."},
    {&InputPipeline::other_us, "Other", Kind::kOther,
     "This input is not tf.data: see the host's threads on the timeline."},
};

constexpr const char* kInputFirst[] = {"opName",   "selfTimeInMs",  "selfTimeInPercent",
                                       "timeInMs", "timeInPercent", "count",
                                       "category"};

class InputPipelinePanel final : public AnalysisPanel {
 public:
  InputPipelinePanel() : AnalysisPanel("input_pipeline", "Adding up the input pipeline") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 private:
  void DrawSummary(const PanelContext& context, const AnalysisResult& result,
                   const InputPipeline& input);
  void DrawHost(const PanelContext& context, const InputPipeline& input);
  void DrawTables(const PanelContext& context, const AnalysisResult& result, uint64_t key,
                  float height);
  double InputMs() const;
  double InputPercent() const;

  StepChart chart_;
  TablePages tables_;
};

// The input time of a step. XProf's definitions count copies to the device as well.
double InputPipelinePanel::InputMs() const { return chart_.SumOf(Kind::kInput).mean; }

double InputPipelinePanel::InputPercent() const {
  const double whole = chart_.total().mean;
  return whole > 0 ? 100 * InputMs() / whole : 0;
}

void InputPipelinePanel::DrawSummary(const PanelContext& context, const AnalysisResult& result,
                                     const InputPipeline& input) {
  if (!result.findings.empty()) {
    const Finding& verdict = result.findings.front();
    if (!SaidInStrip(context, verdict.text)) {
      DrawHeadline(context, verdict);
    } else if (!verdict.next_step.empty()) {
      WrappedIn(context, Role::kText2, verdict.next_step);
    }
  } else if (chart_.counted() > 0) {
    const double percent = InputPercent();
    const char* bound = percent >= 20  ? "Highly input-bound"
                        : percent >= 5 ? "Moderately input-bound"
                                       : "Not input-bound";
    DrawHeadline(context, {percent >= 20  ? Finding::Grade::kBad
                           : percent >= 5 ? Finding::Grade::kWarning
                                          : Finding::Grade::kGood,
                           fmt::format("{}: {} of the step time is spent waiting for input.", bound,
                                       PercentText(percent, 1)),
                           "", ""});
  } else {
    DrawHeadline(context, {Finding::Grade::kInfo,
                           "No step time could be measured; the host side is below.", "", ""});
  }
  if (chart_.counted() == 0) return;
  Rule(context);
  SectionTitle(context, "Device side", "step time");
  ImGui::SameLine(0, BaseEm());
  DrawStepScope(context, input.steps->steps, chart_.counted());
  const auto row = [&](const char* label, const std::string& value) {
    KeyValue(context, label, value, BaseEm() * 11, true);
  };
  const auto ms = [](double value) { return NumberText(value, {1, 3, "", " ms"}); };
  row("Average", ms(chart_.total().mean));
  row("Input per step", ms(InputMs()));
  if (chart_.counted() < 2) return;
  row("Standard deviation", ms(chart_.total().deviation));
  double low = 0, high = 0;
  for (size_t i = 0; i < chart_.bars().labels.size(); ++i) {
    const double t = chart_.bars().TotalOf(i, {});
    low = i == 0 ? t : std::min(low, t);
    high = std::max(high, t);
  }
  row("Range", NumberText(low, {1, 3, "", ""}) + " to " + ms(high));
}

void InputPipelinePanel::DrawHost(const PanelContext& context, const InputPipeline& input) {
  Rule(context);
  SectionTitle(context, "Host side", "input operations");
  ImGui::SameLine(0, BaseEm());
  ImGui::PushID("host");
  DrawScope(context);
  ImGui::PopID();
  std::array<RingSlice, std::size(kParts)> shares;
  double sum = 0, most = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    shares[i] = {kParts[i].label, input.*kParts[i].us / 1000, context.theme[kParts[i].kind], -1};
    sum += shares[i].value;
    most = std::max(most, shares[i].value);
  }
  if (sum <= 0 && !input.ops.empty()) {
    WrappedIn(context, Role::kText2,
              "The input operations cannot be divided: the profile has no enqueue events to relate "
              "them to. The table lists them.");
    return;
  }
  if (sum <= 0 && input.waits && !input.waits->empty()) {
    WrappedIn(context, Role::kText2,
              "The program waits for a DataLoader of PyTorch; the table lists each wait.");
    return;
  }
  if (sum <= 0) {
    WrappedIn(context, Role::kText2,
              "No input operations were recorded. tf.data reports them with host_tracer_level 2; "
              "PyTorch's DataLoader "
              "and JAX's input code show as host functions on the timeline.");
    return;
  }
  DrawShares(context, shares, sum, std::floor(BaseEm()));
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  const NumberFormat format = FormatFor(Unit::kMs, ValueType::kReal, most);
  const FaceScope small(context, Face::kUi);
  for (size_t i = 0; i < shares.size(); ++i) {
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, chip = std::floor(Em() * 0.7f);
    ImDrawList* list = ImGui::GetWindowDrawList();
    DrawBox(list, p.x, p.y + Em() * 0.22f, chip, chip, shares[i].color, 2);
    DrawCut(list, ImVec2(p.x + Em() * 1.3f, p.y), p.x + width - Em() * 10,
            context.theme[Role::kText], shares[i].label);
    const FaceScope mono(context, Face::kMono);
    const std::string value = NumberText(shares[i].value, format) + " " + format.header;
    DrawRight(list, p.x + width - Em() * 4.5f, p.y, context.theme[Role::kText], value);
    DrawRight(list, p.x + width, p.y, context.theme[Role::kText2],
              PercentText(100 * shares[i].value / sum, 1));
    ImGui::Dummy(ImVec2(width, ImGui::GetTextLineHeight()));
  }
  Rule(context);
  SectionTitle(context, "Suggestions");
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].value < 0.15 * sum) continue;
    TextIn(context, Role::kText, kParts[i].label);
    WrappedIn(context, Role::kText2, kParts[i].advice);
  }
}

// Shows what the host did for the input, one table at a time: operations of tf.data, waits for
// PyTorch's loader, copies to the device.
void InputPipelinePanel::DrawTables(const PanelContext& context, const AnalysisResult& result,
                                    uint64_t key, float height) {
  std::vector<TablePages::Page> pages;
  for (const char* id : {"host_ops", "loader_waits", "copies"}) {
    const ResultTable* table = result.Table(id);
    if (table == nullptr) continue;
    TablePages::Page page{table, key};
    page.options.noun = id == std::string_view("host_ops") ? "input ops" : "rows";
    page.options.name_column = "opName";
    page.options.first_columns = kInputFirst;
    page.options.shorten_names = true;
    page.options.height =
        height > 0 ? std::max(height - ImGui::GetFrameHeightWithSpacing() * 3, BaseEm() * 9) : 0;
    pages.push_back(page);
  }
  SectionTitle(context, "Input operations");
  tables_.Draw(context, pages, "None were recorded.");
}

void InputPipelinePanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                                    uint64_t key) {
  const InputPipeline* shown = result.As<InputPipeline>();
  if (shown == nullptr) return;
  const InputPipeline& input = *shown;
  const std::vector<Step>& steps = input.steps->steps;
  chart_.Update(context, steps, input.as_xprof, key);
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  const bool wide = avail.x > em * 52;
  if (wide) {
    ImGui::BeginChild("summary", ImVec2(std::clamp(avail.x * 0.27f, em * 23, em * 32), 0));
    DrawSummary(context, result, input);
    DrawHost(context, input);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.4f);
    ImGui::BeginChild("data", ImVec2(0, 0));
    const float height = ImGui::GetContentRegionAvail().y;
    if (!steps.empty()) {
      chart_.Draw(context, steps,
                  ImVec2(ImGui::GetContentRegionAvail().x, std::max(em * 11, height * 0.45f)));
      Rule(context);
    }
    const float left = ImGui::GetContentRegionAvail().y;
    DrawTables(context, result, key, left < em * 13 ? em * 16 : 0);
    ImGui::EndChild();
    return;
  }
  DrawSummary(context, result, input);
  DrawHost(context, input);
  if (!steps.empty()) {
    Rule(context);
    chart_.Draw(context, steps, ImVec2(ImGui::GetContentRegionAvail().x, em * 14));
  }
  Rule(context);
  DrawTables(context, result, key, em * 20);
}

}  // namespace

std::unique_ptr<Panel> MakeInputPipelinePanel() { return std::make_unique<InputPipelinePanel>(); }

}  // namespace stepscope
