#include "viewer/panels/xla/hlo_card.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "viewer/core/analysis_cache.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/row_events.h"

namespace stepscope {
namespace {

std::string WithShare(const std::string& text, double percent) {
  return percent > 0 ? fmt::format("{}, {:.1f} %", text, percent) : text;
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

std::string PeaksText(const AnalysisResult& result) {
  const std::string flops = FlopRateText(NumberIn(result, "peak_flop_rate"));
  const std::string bytes = ByteRateText(NumberIn(result, "peak_hbm_bw"));
  if (flops.empty() && bytes.empty()) return {};
  return fmt::format("{}: {}{}{}", TextOf(result, "device_type"), flops,
                     flops.empty() || bytes.empty() ? "" : ", ", bytes);
}

void RevealLongest(const PanelContext& context, const RowLink& link) {
  const Profile* profile = context.profile;
  if (profile == nullptr || link.set >= profile->sets()) return;
  const TrackSet& set = profile->Set(link.set);
  EventRow longest;
  for (const EventRow row : link.rows) {
    if (row.value >= set.rows) continue;
    if (!longest.valid() || set.Duration(row) > set.Duration(longest)) longest = row;
  }
  if (longest.valid())
    context.commands.Push("select.reveal", {.event = {profile->id, link.set, longest}});
}

HloCard::Row HloCard::Find(const PanelContext& context, const HloRef& op) {
  if (context.profile == nullptr || !context.profile->analysis) return {};
  const AnalysisResult* result =
      context.analyses.Get(*context.profile, "hlo_stats", ParamsOf(context));
  const ResultTable* ops = result != nullptr ? result->Table("hlo_stats") : nullptr;
  if (ops == nullptr) return {};
  if (result->serial != serial_) {
    serial_ = result->serial;
    rows_.clear();
    busy_us_ = 0;
    const int program = ops->Column("program_id"), name = ops->Column("hlo_op_name");
    for (size_t r = 0; r < ops->size(); ++r) {
      rows_.try_emplace({std::string(TextAt(*ops, r, program)), std::string(TextAt(*ops, r, name))},
                        r);
      busy_us_ += NumberAt(*ops, r, "total_self_time");
    }
  }
  const auto it = rows_.find({std::to_string(op.program), op.instruction});
  return it == rows_.end() ? Row() : Row{ops, it->second};
}

void HloCard::DrawLinks(const PanelContext& context, const HloRef& op, std::string_view own,
                        const Row& row) {
  const FaceScope small(context, Face::kUi);
  LinkLine line(context);
  if (row.ops != nullptr && row.row < row.ops->links.size()) {
    const RowLink& link = row.ops->links[row.row];
    if (line.Add("Events", "Shows its events on the timeline; N and Shift+N go through them")) {
      CommandArgs args;
      AddEvents(context.profile->id, link, &args);
      ShowEvents(context.commands, std::move(args));
    }
    if (line.Add("Slowest", "Goes to its longest event")) RevealLongest(context, link);
    if (own != "hlo_stats" && line.Add("Op", "Its row among all ops"))
      ShowHloPage(context, HloOpPage(op));
  }
  if (context.profile == nullptr || !HasHloProgram(*context.profile, op.program)) return;
  if (own != "hlo_graph" && line.Add("Graph", "Its operands and users"))
    ShowHloPage(context, HloGraphPage(op));
  if (line.Add("Text", "Its line in the program's text")) ShowHloPage(context, HloTextPage(op));
  if (own != "hlo_memory" && line.Add("Memory", "Its buffers, and what is live beside them"))
    ShowHloPage(context, HloMemoryPage(op));
}

void HloCard::DrawNumbers(const PanelContext& context, const Row& row) const {
  const auto number = [&](const char* column) { return NumberAt(*row.ops, row.row, column); };
  const float x = BaseEm() * 6.2f;
  const auto add = [&](const char* label, const std::string& value, const char* how) {
    if (value.empty()) return;
    KeyValue(context, label, value, x, true);
    if (how[0] != 0) ImGui::SetItemTooltip("%s", how);
  };
  const double self = number("total_self_time");
  add("Self time", WithShare(MicrosText(self), busy_us_ > 0 ? 100 * self / busy_us_ : 0),
      "Of all its executions; the share is of the time of all ops, without idle time");
  add("Executions", fmt::format("{:.0f}", number("occurrences")), "");
  add("Average", MicrosText(number("avg_self_time")), "Self time of one execution");
  add("Compute", WithShare(FlopRateText(number("normalized_flop_rate")), number("flop_percent")),
      "Operations / time; the share is of the device's peak for its type");
  add("Memory", WithShare(ByteRateText(number("measured_memory_bw")), number("hbm_percent")),
      "Bytes read and written / time; the share is of the main memory's peak");
  if (number("operational_intensity") > 0)
    add("Intensity", fmt::format("{:.3g} FLOP/byte", number("operational_intensity")), "");
  const std::string_view bound = TextAt(*row.ops, row.row, "bound_by");
  if (bound != "Unknown")
    add("Bound by", std::string(bound), "The peak of which it uses the largest share");
}

void HloCard::DrawTexts(const PanelContext& context, const Row& row, const HloFacts& facts) {
  const auto text = [&](const char* column, const std::string& otherwise) {
    const std::string_view cell =
        row.ops == nullptr ? std::string_view() : TextAt(*row.ops, row.row, column);
    return cell.empty() ? std::string_view(otherwise) : cell;
  };
  const std::string_view source = text("source_info", facts.source);
  if (!source.empty()) {
    ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
    const FaceScope small(context, Face::kUi);
    TextIn(context, Role::kText2, "Source");
    if (LinkText(context, "source", source)) ShowHloPage(context, HloSourcePage(source));
    const std::string_view stack = text("source_stack", facts.stack);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayShort))
      WrappedTooltip(std::string(source) + "\nA click lists all ops of this line." +
                     (stack.empty() ? "" : "\n\nStack, innermost first:\n" + std::string(stack)));
    CopyMenu(context, stack.empty() ? source : stack);
  }
  Paragraph(context, "Framework op", text("tf_op_name", facts.provenance), false);
  Paragraph(context, "Expression", text("hlo_op_expression", facts.expression), true);
}

void HloCard::Draw(const PanelContext& context, const HloRef& op, std::string_view own,
                   const HloFacts& facts) {
  const Row row = Find(context, op);
  ImGui::PushID("card");
  Title(context, op.instruction);
  const std::string_view category =
      row.ops == nullptr ? std::string_view(facts.category) : TextAt(*row.ops, row.row, "category");
  {
    const FaceScope small(context, Face::kUi);
    WrappedIn(context, Role::kText2,
              category.empty() ? fmt::format("program {}", op.program)
                               : fmt::format("{}, program {}", category, op.program));
  }
  DrawLinks(context, op, own, row);
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  if (row.ops != nullptr) DrawNumbers(context, row);
  DrawTexts(context, row, facts);
  ImGui::PopID();
}

}  // namespace stepscope
