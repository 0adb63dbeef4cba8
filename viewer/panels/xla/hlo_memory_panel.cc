// HLO memory: what XLA planned for a program's memory: how full it is in program order, who is live
// at the peak or anywhere else, how long each buffer lives, and the peaks of all programs.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/pages/hlo_memory.h"
#include "model/xla/buffer_heap.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/xla/heap_chart.h"
#include "viewer/panels/xla/hlo_card.h"
#include "viewer/widgets/draw_text.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {
namespace {

struct List {
  const char *label, *table, *noun, *name;
};
constexpr List kLists[] = {{"At the peak", "at_peak", "buffers", "instruction"},
                           {"All buffers", "buffers", "buffers", "instruction"},
                           {"Allocations", "allocations", "allocations", "largest"},
                           {"Programs", "programs", "memories", "program"}};
constexpr size_t kPeakList = 0, kBufferList = 1, kProgramList = 3;
constexpr const char* kBuffersFirst[] = {"instruction", "bytes",       "group",    "shape",
                                         "opcode",      "begin_index", "end_index"};
constexpr const char* kBuffersHidden[] = {"program", "memory_space", "buffer", "offset"};

class HloMemoryPanel final : public AnalysisPanel {
 public:
  HloMemoryPanel() : AnalysisPanel("hlo_memory", "Replaying the program's memory") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 protected:
  AnalysisParams Question(const PanelContext& context) override;

 private:
  void TakePage(const PanelContext& context);
  void Update(const HloMemory& memory, uint64_t key);
  void FindWanted(const AnalysisResult& result, const HloMemory& memory);
  void Choose(const HloMemory& memory, std::string_view instruction);
  void ChooseRow(size_t row);
  void FindHolder(const HloRef& op, const xla::HloModule& module);
  void DrawSelectors(const PanelContext& context, const HloMemory& memory);
  void DrawSide(const PanelContext& context, const AnalysisResult& result, const HloMemory& memory);
  void DrawNumbers(const PanelContext& context, const AnalysisResult& result) const;
  void DrawChart(const PanelContext& context, const HloMemory& memory, float height);
  void DrawLists(const PanelContext& context, const AnalysisResult& result);
  const ResultTable* Shown(const AnalysisResult& result) const;
  const HloBuffer* ChosenBuffer(const HloMemory& memory) const;
  size_t ViewIndex() const { return position_ >= 0 ? std::size(kLists) : list_; }
  ResultTableView& View() { return views_[ViewIndex()]; }

  ProfileId profile_;    // that the choice is of
  std::string program_;  // as AnalysisParams have it; empty: that with the most time
  int64_t space_ = 0;
  std::string wanted_;  // the instruction whose buffers a command asks for
  std::string note_;    // why there are none
  HloRef lent_;         // it has none: its value is in the buffer of holder_
  std::string holder_;  // empty: nobody knows whose
  int to_choose_ = -1;  // a row of all buffers, once the list is drawn
  HeapData data_;
  HeapChart chart_;
  std::vector<HloBuffer> live_;  // at position_
  ResultTable live_table_;
  int64_t position_ = -1;  // that the list is of; -1: it is another list
  size_t list_ = kPeakList;
  ResultTableView views_[std::size(kLists) + 1];
  HloCard card_;
  PageRequest page_;
  uint64_t key_ = 0, live_key_ = 0;
};

// "PROGRAM/SPACE/INSTRUCTION": a program's id or name; without a space that of the instruction.
void HloMemoryPanel::TakePage(const PanelContext& context) {
  const auto page = page_.Take(context, "hlo_memory");
  if (!page) return;
  const std::string rest(PageOf(*page));
  const std::string_view space = PanelOf(rest);
  program_ = PanelOf(*page);
  wanted_ = PageOf(rest);
  space_ = 0;
  lent_ = {};
  holder_.clear();
  note_.clear();
  std::from_chars(space.data(), space.data() + space.size(), space_);
}

AnalysisParams HloMemoryPanel::Question(const PanelContext& context) {
  if (context.profile->id != profile_) {  // the choice was one of another profile's programs
    profile_ = context.profile->id;
    program_.clear(), wanted_.clear(), holder_.clear(), note_.clear();
    lent_ = {};
    space_ = 0;
  }
  TakePage(context);
  AnalysisParams params = ParamsOf(context);
  params.hlo.program = program_;
  params.hlo.memory_space = space_;
  return params;
}

void HloMemoryPanel::Update(const HloMemory& memory, uint64_t key) {
  if (key == key_) return;
  key_ = key;
  data_ = MakeHeapData(memory);
  position_ = -1;
}

// Chooses a row in the list of all buffers.
void HloMemoryPanel::ChooseRow(size_t row) {
  list_ = kBufferList;
  position_ = -1;
  to_choose_ = static_cast<int>(row);
}

// Chooses the largest buffer of the instruction.
void HloMemoryPanel::Choose(const HloMemory& memory, std::string_view instruction) {
  const auto& buffers = memory.buffers;
  const auto it = std::find_if(buffers.begin(), buffers.end(), [&](const HloBuffer& buffer) {
    return buffer.name == instruction || buffer.instruction() == instruction;
  });
  if (it == buffers.end()) return;
  ChooseRow(static_cast<size_t>(it - buffers.begin()));
  wanted_.clear();
  views_[kBufferList].SetFilter({});
}

// Looks in the other memories of the program where this one has no buffer of the instruction.
void HloMemoryPanel::FindWanted(const AnalysisResult& result, const HloMemory& memory) {
  if (wanted_.empty()) return;
  const std::string instruction = wanted_;
  Choose(memory, instruction);
  if (wanted_.empty()) return;
  wanted_.clear();
  if (const ResultTable* shown = Shown(result)) View().Select(*shown, -1);
  const xla::HloModule& module = *memory.module;
  for (const xla::LogicalBuffer& buffer : module.buffers.buffers) {
    if (buffer.instruction == xla::kNone || buffer.memory_space == space_ ||
        module.instructions[buffer.instruction].name != instruction)
      continue;
    space_ = buffer.memory_space;
    wanted_ = instruction;  // in the answer about that memory
    return;
  }
  FindHolder({memory.program_id, instruction}, module);
}

// Says why the op has no buffer, and asks for that of the instruction that holds its value.
void HloMemoryPanel::FindHolder(const HloRef& op, const xla::HloModule& module) {
  if (lent_.valid()) return;  // the holder's buffer is not listed either
  lent_ = op;
  const uint32_t holder = xla::BufferHolderOf(module, module.Find(op.instruction));
  if (holder != xla::kNone) wanted_ = holder_ = module.instructions[holder].name;
  note_ = fmt::format("{} has no buffer of its own: {} holds its value.", op.instruction,
                      holder_.empty() ? "another instruction" : holder_);
}

void HloMemoryPanel::DrawSelectors(const PanelContext& context, const HloMemory& memory) {
  const FaceScope small(context, Face::kUi);
  const SharedText& program = memory.place.program;
  // A list of the texts of `label`, each once; a click chooses the first memory that has it.
  const auto choose = [&](const char* id, const SharedText HloPlaceSums::*label, auto wanted) {
    const std::string_view shown = memory.place.*label;
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo(id, ItemLabel(shown).c_str(), ImGuiComboFlags_HeightLarge)) return;
    std::string_view last;
    for (const HloPlaceSums& place : memory.programs) {
      const std::string_view name = place.*label;
      if (!wanted(place) || name == last) continue;
      last = name;
      ImGui::PushID(&place);
      if (ImGui::Selectable(ItemLabel(name).c_str(), name == shown))
        program_ = place.program.str(), space_ = place.space;
      ImGui::PopID();
    }
    ImGui::EndCombo();
  };
  choose("##program", &HloPlaceSums::program, [](const HloPlaceSums&) { return true; });
  ImGui::SetItemTooltip("Program %s", program.str().c_str());
  choose("##memory", &HloPlaceSums::memory,
         [&](const HloPlaceSums& place) { return place.program == program; });
  ImGui::SetItemTooltip("Memory");
}

void HloMemoryPanel::DrawNumbers(const PanelContext& context, const AnalysisResult& result) const {
  for (const Property& p : result.properties) {
    if (p.id == "program" || p.id == "memory" || p.id == "peak_position") continue;
    KeyValue(context, p.label, FormatValue(p.value, p.unit), BaseEm() * 10.5f, true);
    if (!p.how.empty()) ImGui::SetItemTooltip("%s", p.how.c_str());
  }
}

const ResultTable* HloMemoryPanel::Shown(const AnalysisResult& result) const {
  return position_ >= 0 ? &live_table_ : result.Table(kLists[list_].table);
}

// Null if none is chosen, or if the list has no buffers.
const HloBuffer* HloMemoryPanel::ChosenBuffer(const HloMemory& memory) const {
  if (position_ < 0 && list_ > kBufferList) return nullptr;
  const std::vector<HloBuffer>& rows = position_ >= 0       ? live_
                                       : list_ == kPeakList ? memory.at_peak
                                                            : memory.buffers;
  const auto row = static_cast<size_t>(views_[ViewIndex()].current());  // -1: none
  return row < rows.size() ? &rows[row] : nullptr;
}

void HloMemoryPanel::DrawSide(const PanelContext& context, const AnalysisResult& result,
                              const HloMemory& memory) {
  DrawSelectors(context, memory);
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  if (!note_.empty()) WrappedIn(context, Role::kWarning, note_);
  const HloBuffer* buffer = ChosenBuffer(memory);
  if (lent_.valid() && buffer != nullptr && buffer->instruction() != holder_) {
    lent_ = {};  // another one was chosen
    note_.clear();
  }
  if (lent_.valid()) return card_.Draw(context, lent_, "hlo_memory");
  if (buffer == nullptr) return DrawNumbers(context, result);
  HloFacts facts;
  facts.category = buffer->opcode.str();
  facts.provenance = buffer->op_name.str();
  facts.source = buffer->source.str();
  card_.Draw(context, {memory.program_id, std::string(buffer->instruction())}, "hlo_memory", facts);
}

void HloMemoryPanel::DrawChart(const PanelContext& context, const HloMemory& memory, float height) {
  const float top = ImGui::GetCursorPosY();
  {
    const FaceScope small(context, Face::kUi);
    if (ChoiceButton(context, "How full", !chart_.boxes)) chart_.boxes = false;
    ImGui::SameLine(0, Em() * 0.3f);
    if (ChoiceButton(context, "Places and lifetimes", chart_.boxes)) chart_.boxes = true;
    ImGui::SameLine(0, Em());
    ImGui::AlignTextToFramePadding();
    std::string note = "in program order";
    if (chart_.boxes && data_.boxes_left_out > 0)
      note = fmt::format("the {} buffers of the largest area, of {}", HeapData::kMostBoxes,
                         HeapData::kMostBoxes + data_.boxes_left_out);
    TextIn(context, Role::kText2, note);
  }
  if (data_.size() == 0) {
    WrappedIn(context, Role::kText2,
              "No temporary buffer is in this memory: what it holds is there the whole time.");
    return;
  }
  HeapChart::Marks marks;
  marks.position = position_;
  const auto& buffers = memory.buffers;
  if (const HloBuffer* chosen = ChosenBuffer(memory)) {
    marks.buffer = chosen->name;
    const auto own = std::find_if(buffers.begin(), buffers.end(),
                                  [&](const HloBuffer& b) { return b.id == chosen->id; });
    if (own != buffers.end())
      marks.first = own->first.value_or(-1), marks.last = own->last.value_or(-1);
  }
  const ImVec2 size(ImGui::GetContentRegionAvail().x, height - (ImGui::GetCursorPosY() - top));
  const HeapChart::Clicked clicked = chart_.Draw(context, data_, key_, marks, size);
  const auto at = std::find_if(buffers.begin(), buffers.end(),
                               [&](const HloBuffer& b) { return b.name == clicked.buffer; });
  if (!clicked.buffer.empty() && at != buffers.end())
    ChooseRow(static_cast<size_t>(at - buffers.begin()));
  if (clicked.position < 0) return;
  position_ = clicked.position;
  live_ = memory.LiveAt(position_);
  live_table_ = HloBufferSchema("live", "Live at a position").Make(live_);
  ++live_key_;
}

void HloMemoryPanel::DrawLists(const PanelContext& context, const AnalysisResult& result) {
  {
    const FaceScope small(context, Face::kUi);
    for (size_t i = 0; i < std::size(kLists); ++i) {
      if (i > 0) ImGui::SameLine(0, Em() * 0.3f);
      if (ChoiceButton(context, kLists[i].label, position_ < 0 && i == list_))
        list_ = i, position_ = -1;
    }
    if (position_ >= 0) {
      ImGui::SameLine(0, Em() * 0.3f);
      ChoiceButton(context, fmt::format("Live at {}", position_).c_str(), true);
    }
  }
  const ResultTable* table = Shown(result);
  if (table == nullptr) return;
  const List& list = kLists[position_ >= 0 ? kBufferList : list_];
  View().Draw(context, *table, position_ >= 0 ? live_key_ | uint64_t{1} << 63 : key_,
              {.id = list.table,
               .noun = list.noun,
               .name_column = list.name,
               .first_columns = kBuffersFirst,
               .hidden_columns = kBuffersHidden,
               .total_row = list_ != kProgramList || position_ >= 0});
  if (to_choose_ >= 0 && position_ < 0 && list_ == kBufferList) View().Select(*table, to_choose_);
  to_choose_ = -1;
}

void HloMemoryPanel::DrawResult(const PanelContext& context, const AnalysisResult& result,
                                uint64_t key) {
  const HloMemory* memory = result.As<HloMemory>();
  if (memory == nullptr) return;
  Update(*memory, key);
  FindWanted(result, *memory);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  if (room.x > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(room.x * 0.24f, em * 15, em * 30), 0));
    DrawSide(context, result, *memory);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
    ImGui::BeginChild("data");
  } else {
    ImGui::BeginChild("data");
    DrawSelectors(context, *memory);
  }
  const float height = ImGui::GetContentRegionAvail().y;
  DrawChart(context, *memory, std::clamp(height * 0.5f, em * 10, em * 34));
  DrawLists(context, result);
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeHloMemoryPanel() { return std::make_unique<HloMemoryPanel>(); }

}  // namespace stepscope
