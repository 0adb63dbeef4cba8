#include "viewer/panels/xla/hlo_card.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "model/analysis/pages/hlo_op_pages.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"
#include "viewer/core/analysis_cache.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/row_events.h"

namespace stepscope {
namespace {

std::string WithShare(const std::string& text, double percent) {
  return percent > 0 ? text + ", " + PercentText(percent, 1) : text;
}

// Links in a line that wraps.
class LinkLine {
 public:
  explicit LinkLine(const PanelContext& context)
      : context_(context),
        right_(ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x) {}
  bool Add(const char* label, const char* tooltip) {
    const float gap = BaseEm() * 0.9f;
    if (!first_ && ImGui::GetItemRectMax().x + gap + TextWidth(label) < right_)
      ImGui::SameLine(0, gap);
    first_ = false;
    const bool clicked = LinkText(context_, label, label);
    ImGui::SetItemTooltip("%s", tooltip);
    return clicked;
  }

 private:
  const PanelContext& context_;
  const float right_;  // screen
  bool first_ = true;
};

void Title(const PanelContext& context, std::string_view name) {
  const FaceScope bold(context, Face::kBold, TypeSize::kTitle);
  const ImVec2 p = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const bool cut =
      DrawCut(ImGui::GetWindowDrawList(), p, p.x + width, context.theme[Role::kText], name);
  ImGui::Dummy(ImVec2(width, ImGui::GetTextLineHeight()));
  if (cut && ImGui::IsItemHovered()) WrappedTooltip(name);
}

void CopyMenu(const PanelContext& context, std::string_view text) {
  if (!ImGui::BeginPopupContextItem("##copy")) return;
  if (ImGui::MenuItem("Copy")) context.commands.Push("copy.text", {.text = std::string(text)});
  ImGui::EndPopup();
}

// A text under its label, with a menu that copies it.
void Paragraph(const PanelContext& context, const char* label, std::string_view text, bool mono) {
  if (text.empty()) return;
  ImGui::PushID(label);
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  const FaceScope small(context, Face::kUi);
  TextIn(context, Role::kText2, label);
  ImGui::BeginGroup();
  {
    const FaceScope face(context, mono ? Face::kMono : Face::kUi, TypeSize::kSlice);
    constexpr size_t kMost = 1500;  // letters; longer ones are texts of whole computations
    WrappedIn(context, Role::kText, text.substr(0, kMost));
    if (text.size() > kMost)
      TextIn(context, Role::kText3, "\u2026 the text of the program has all");
  }
  ImGui::EndGroup();
  CopyMenu(context, text);
  ImGui::PopID();
}

// Goes to the longest of the events on the timeline. O(events).
void RevealLongest(const PanelContext& context, const EventRows& rows) {
  const Profile* profile = context.profile;
  if (profile == nullptr) return;
  const TrackSet& set = profile->Set(0);
  EventRow longest;
  for (const EventRow row : rows) {
    if (row.value >= set.rows) continue;
    if (!longest.valid() || set.Duration(row) > set.Duration(longest)) longest = row;
  }
  if (longest.valid()) context.commands.Push("select.reveal", {.event = {profile->id, 0, longest}});
}

}  // namespace

std::string FlopRateText(double gflops) {
  if (gflops <= 0 || !std::isfinite(gflops)) return {};
  if (gflops >= 1000) return fmt::format("{:.4g} TFLOP/s", gflops / 1000);
  return fmt::format("{:.3g} GFLOP/s", gflops);
}

std::string ByteRateText(double gib_per_s) {
  if (gib_per_s <= 0 || !std::isfinite(gib_per_s)) return {};
  if (gib_per_s >= 1024) return fmt::format("{:.3g} TiB/s", gib_per_s / 1024);
  return fmt::format("{:.3g} GiB/s", gib_per_s);
}

std::string MicrosText(double us) {
  const double ps = us * static_cast<double>(kPsPerUs);
  return std::isfinite(ps) && std::fabs(ps) < 9e18
             ? WithoutZeros(FormatDuration(static_cast<Ps>(std::llround(ps)), 4))
             : std::string();
}

std::string PeaksText(const DevicePeaks& peaks) {
  const std::string flops = FlopRateText(peaks.flops), bytes = ByteRateText(peaks.hbm);
  if (flops.empty() && bytes.empty()) return {};
  return fmt::format("{}: {}{}{}", peaks.device, flops, flops.empty() || bytes.empty() ? "" : ", ",
                     bytes);
}

HloCard::Found HloCard::Find(const PanelContext& context, const HloRef& ref) {
  if (context.profile == nullptr || !context.profile->analysis) return {};
  const AnalysisResult* result =
      context.analyses.Get(*context.profile, "hlo_stats", ParamsOf(context));
  const HloOpTable* table = result != nullptr ? result->As<HloOpTable>() : nullptr;
  if (table == nullptr) return {};
  if (result->serial != serial_) {
    serial_ = result->serial;
    ops_.clear();
    for (const HloOp& op : table->ops) ops_.try_emplace({op.program_id, op.name}, &op);
  }
  const auto it = ops_.find({ref.program, ref.instruction});
  return it == ops_.end() ? Found() : Found{table, it->second};
}

void HloCard::DrawLinks(const PanelContext& context, const HloRef& ref, std::string_view own,
                        const HloOp* op) {
  const FaceScope small(context, Face::kUi);
  LinkLine line(context);
  if (op != nullptr) {
    if (line.Add("Events", "Shows its events on the timeline; N and Shift+N go through them")) {
      CommandArgs args;
      AddEvents(context.profile->id, LinkTo(*op), &args);
      ShowEvents(context.commands, std::move(args));
    }
    if (line.Add("Slowest", "Goes to its longest event")) RevealLongest(context, op->rows);
    if (own != "hlo_stats" && line.Add("Op", "Its row among all ops"))
      ShowHloPage(context, HloOpPage(ref));
  }
  if (context.profile == nullptr || !HasHloProgram(*context.profile, ref.program)) return;
  if (own != "hlo_graph" && line.Add("Graph", "Its operands and users"))
    ShowHloPage(context, HloGraphPage(ref));
  if (line.Add("Text", "Its line in the program's text")) ShowHloPage(context, HloTextPage(ref));
  if (own != "hlo_memory" && line.Add("Memory", "Its buffers, and what is live beside them"))
    ShowHloPage(context, HloMemoryPage(ref));
}

void HloCard::DrawNumbers(const PanelContext& context, const HloOpTable& ops, const HloOp& op) {
  const HloRates rates = RatesOf(op, ops.peaks, op.peak_flops, ops.kind);
  const float x = BaseEm() * 6.2f;
  const auto add = [&](const char* label, const std::string& value, const char* how) {
    if (value.empty()) return;
    KeyValue(context, label, value, x, true);
    if (how[0] != 0) ImGui::SetItemTooltip("%s", how);
  };
  const double self = InUs(op.self), busy = InUs(ops.busy);
  add("Self time", WithShare(MicrosText(self), 100 * Quotient(self, busy)),
      "Of all its executions; the share is of the time of all ops, without idle time");
  add("Executions", fmt::format("{}", op.occurrences), "");
  add("Average", MicrosText(Quotient(self, static_cast<double>(op.occurrences))),
      "Self time of one execution");
  add("Compute", WithShare(FlopRateText(rates.flops), 100 * rates.compute_share),
      "Operations / time; the share is of the device's peak for its type");
  add("Memory", WithShare(ByteRateText(rates.bytes), 100 * rates.hbm_share),
      "Bytes read and written / time; the share is of the main memory's peak");
  if (rates.intensity > 0) add("Intensity", fmt::format("{:.3g} FLOP/byte", rates.intensity), "");
  if (rates.bound_by != "Unknown") {
    add("Bound by", std::string(rates.bound_by), "The peak of which it uses the largest share");
  }
}

void HloCard::DrawTexts(const PanelContext& context, const HloOp* op, const HloFacts& facts) {
  const auto text = [&](std::string HloOp::*of_op, const std::string& otherwise) {
    return std::string_view(op != nullptr && !(op->*of_op).empty() ? op->*of_op : otherwise);
  };
  const std::string_view source = text(&HloOp::source, facts.source);
  if (!source.empty()) {
    ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
    const FaceScope small(context, Face::kUi);
    TextIn(context, Role::kText2, "Source");
    if (LinkText(context, "source", source)) ShowHloPage(context, HloSourcePage(source));
    const std::string_view stack = text(&HloOp::stack, facts.stack);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort))
      WrappedTooltip(std::string(source) + "\nA click lists all ops of this line." +
                     (stack.empty() ? "" : "\n\nStack, innermost first:\n" + std::string(stack)));
    CopyMenu(context, stack.empty() ? source : stack);
  }
  Paragraph(context, "Framework op", text(&HloOp::provenance, facts.provenance), false);
  Paragraph(context, "Expression", text(&HloOp::expression, facts.expression), true);
}

void HloCard::Draw(const PanelContext& context, const HloRef& ref, std::string_view own,
                   const HloFacts& facts) {
  const auto [ops, op] = Find(context, ref);
  ImGui::PushID("card");
  Title(context, ref.instruction);
  const std::string& category = op == nullptr ? facts.category : op->category;
  {
    const FaceScope small(context, Face::kUi);
    WrappedIn(context, Role::kText2,
              category.empty() ? fmt::format("program {}", ref.program)
                               : fmt::format("{}, program {}", category, ref.program));
  }
  DrawLinks(context, ref, own, op);
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  if (op != nullptr) DrawNumbers(context, *ops, *op);
  DrawTexts(context, op, facts);
  ImGui::PopID();
}

}  // namespace stepscope
