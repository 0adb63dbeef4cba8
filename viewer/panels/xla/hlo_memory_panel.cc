// HLO memory: what XLA planned for a program's memory: how full it is in program order, who is live
// at the peak or anywhere else, how long each buffer lives, and the peaks of all programs.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_programs.h"
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

int64_t IntIn(const ResultTable& table, size_t row, const char* column) {
  const int c = table.Column(column);
  const Cell cell = c < 0 ? Cell() : table.At(row, static_cast<size_t>(c));
  const auto* n = std::get_if<int64_t>(&cell);
  return n == nullptr ? -1 : *n;
}

// The instruction of a buffer's name, "fusion.3{1}".
std::string_view InstructionOf(std::string_view buffer) {
  return buffer.ends_with('}') ? buffer.substr(0, buffer.rfind('{')) : buffer;
}

// The buffers that are live at a position: those that are there the whole time, as the table
// at_peak has them, and those whose life contains it.
ResultTable LiveAt(const ResultTable& at_peak, const ResultTable& buffers, int64_t position) {
  std::vector<uint32_t> during;
  for (uint32_t r = 0; r < buffers.size(); ++r) {
    const int64_t first = IntIn(buffers, r, "begin_index"), last = IntIn(buffers, r, "end_index");
    if (first >= 0 && first <= position && position <= last) during.push_back(r);
  }
  ResultTable live("live", "Live at a position", {buffers.columns.begin(), buffers.columns.end()});
  const int group = at_peak.Column("group");
  for (size_t r = 0; r < at_peak.size(); ++r) {
    if (TextAt(at_peak, r, group) == "Temporary") continue;
    std::vector<Value> row;
    for (const ColumnDesc& column : live.columns) {
      const int from = at_peak.Column(column.id);
      row.push_back(from < 0 ? Value() : at_peak.columns[static_cast<size_t>(from)].values.Own(r));
    }
    live.AddRow(std::move(row));
  }
  live.Append(buffers.WithRows(during));
  live.links.clear();
  const auto size = static_cast<size_t>(std::max(buffers.Column("bytes"), 0));
  std::vector<uint32_t> order(live.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return NumberOf(live.At(a, size)) > NumberOf(live.At(b, size));
  });
  return live.WithRows(order);
}

class HloMemoryPanel final : public AnalysisPanel {
 public:
  HloMemoryPanel() : AnalysisPanel("hlo_memory", "Replaying the program's memory") {}
  void DrawResult(const PanelContext& context, const AnalysisResult& result, uint64_t key) override;

 protected:
  AnalysisParams Question(const PanelContext& context) override;

 private:
  void TakePage(const PanelContext& context);
  void Update(const AnalysisResult& result, uint64_t key);
  void FindWanted(const PanelContext& context, const AnalysisResult& result);
  void Choose(const AnalysisResult& result, std::string_view instruction);
  void FindHolder(const HloRef& op, const xla::HloModule& module);
  void DrawSelectors(const PanelContext& context, const AnalysisResult& result);
  void DrawSide(const PanelContext& context, const AnalysisResult& result);
  void DrawNumbers(const PanelContext& context, const AnalysisResult& result) const;
  void DrawChart(const PanelContext& context, const AnalysisResult& result, float height);
  void DrawLists(const PanelContext& context, const AnalysisResult& result);
  const ResultTable* Shown(const AnalysisResult& result) const;
  std::string_view ChosenBuffer(const AnalysisResult& result) const;
  HloRef ChosenOp(const PanelContext& context, const AnalysisResult& result) const;
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
  ResultTable live_;       // at position_
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

void HloMemoryPanel::Update(const AnalysisResult& result, uint64_t key) {
  if (key == key_) return;
  key_ = key;
  data_ = MakeHeapData(result);
  position_ = -1;
}

// Chooses the largest buffer of the instruction in the list of all buffers.
void HloMemoryPanel::Choose(const AnalysisResult& result, std::string_view instruction) {
  const ResultTable* buffers = result.Table("buffers");
  if (buffers == nullptr) return;
  const int name = buffers->Column("instruction");
  for (size_t r = 0; r < buffers->size(); ++r) {
    const std::string_view buffer = TextAt(*buffers, r, name);
    if (buffer != instruction && InstructionOf(buffer) != instruction) continue;
    list_ = kBufferList;
    position_ = -1;
    wanted_.clear();
    views_[kBufferList].SetFilter({});
    to_choose_ = static_cast<int>(r);
    return;
  }
}

// Looks in the other memories of the program where this one has no buffer of the instruction. The
// program is decoded by now.
void HloMemoryPanel::FindWanted(const PanelContext& context, const AnalysisResult& result) {
  if (wanted_.empty()) return;
  const std::string instruction = wanted_;
  Choose(result, instruction);
  if (wanted_.empty()) return;
  wanted_.clear();
  if (const ResultTable* shown = Shown(result)) View().Select(*shown, -1);
  if (context.profile == nullptr || !context.profile->analysis) return;
  const HloPrograms& programs = context.profile->analysis->Get<HloPrograms>();
  const uint32_t program = programs.FindByName(TextOf(result, "program"));
  if (program == HloPrograms::kNone) return;
  const auto module = programs.Module(program);
  if (!module) return;
  for (const xla::LogicalBuffer& buffer : module->buffers.buffers) {
    if (buffer.instruction == xla::kNone || buffer.memory_space == space_ ||
        module->instructions[buffer.instruction].name != instruction)
      continue;
    space_ = buffer.memory_space;
    wanted_ = instruction;  // in the answer about that memory
    return;
  }
  FindHolder({programs.list()[program].id, instruction}, *module);
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

void HloMemoryPanel::DrawSelectors(const PanelContext& context, const AnalysisResult& result) {
  const ResultTable* programs = result.Table("programs");
  const std::string program = TextOf(result, "program"), memory = TextOf(result, "memory");
  const FaceScope small(context, Face::kUi);
  const auto text = [&](size_t row, const char* column) {
    return std::string(TextAt(*programs, row, programs->Column(column)));
  };
  const auto choose = [&](const char* id, const std::string& shown, auto wanted, auto label,
                          auto take) {
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo(id, ItemLabel(shown).c_str(), ImGuiComboFlags_HeightLarge)) return;
    std::string last;
    for (size_t r = 0; programs != nullptr && r < programs->size(); ++r) {
      const std::string name = label(r);
      if (!wanted(r) || name == last) continue;
      last = name;
      ImGui::PushID(static_cast<int>(r));
      if (ImGui::Selectable(ItemLabel(name).c_str(), name == shown)) take(r);
      ImGui::PopID();
    }
    ImGui::EndCombo();
  };
  choose(
      "##program", program, [](size_t) { return true; },
      [&](size_t r) { return text(r, "program"); },
      [&](size_t r) {
        program_ = text(r, "program"), space_ = IntIn(*programs, r, "memory_space");
      });
  ImGui::SetItemTooltip("Program %s", program.c_str());
  choose(
      "##memory", memory, [&](size_t r) { return text(r, "program") == program; },
      [&](size_t r) { return text(r, "memory"); },
      [&](size_t r) { program_ = program, space_ = IntIn(*programs, r, "memory_space"); });
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
  return position_ >= 0 ? &live_ : result.Table(kLists[list_].table);
}

std::string_view HloMemoryPanel::ChosenBuffer(const AnalysisResult& result) const {
  const ResultTable* table = Shown(result);
  const int row = views_[ViewIndex()].current();
  const bool buffers = position_ >= 0 || list_ <= kBufferList;
  if (table == nullptr || !buffers || row < 0 || static_cast<size_t>(row) >= table->size())
    return {};
  return TextAt(*table, static_cast<size_t>(row), table->Column("instruction"));
}

HloRef HloMemoryPanel::ChosenOp(const PanelContext& context, const AnalysisResult& result) const {
  const std::string_view buffer = ChosenBuffer(result);
  if (buffer.empty() || context.profile == nullptr || !context.profile->analysis) return {};
  const HloPrograms& programs = context.profile->analysis->Get<HloPrograms>();
  const uint32_t program = programs.FindByName(TextOf(result, "program"));
  if (program == HloPrograms::kNone) return {};
  return {programs.list()[program].id, std::string(InstructionOf(buffer))};
}

void HloMemoryPanel::DrawSide(const PanelContext& context, const AnalysisResult& result) {
  DrawSelectors(context, result);
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  if (!note_.empty()) WrappedIn(context, Role::kWarning, note_);
  const HloRef op = ChosenOp(context, result);
  if (lent_.valid() && op.valid() && op.instruction != holder_) {  // another one was chosen
    lent_ = {};
    note_.clear();
  }
  if (lent_.valid()) return card_.Draw(context, lent_, "hlo_memory");
  if (!op.valid()) {
    DrawNumbers(context, result);
    return;
  }
  const ResultTable& table = *Shown(result);
  const auto row = static_cast<size_t>(View().current());
  HloFacts facts;
  facts.category = TextAt(table, row, table.Column("opcode"));
  facts.provenance = TextAt(table, row, table.Column("op_name"));
  facts.source = TextAt(table, row, table.Column("source"));
  card_.Draw(context, op, "hlo_memory", facts);
}

void HloMemoryPanel::DrawChart(const PanelContext& context, const AnalysisResult& result,
                               float height) {
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
  marks.buffer = ChosenBuffer(result);
  const ResultTable* table = Shown(result);
  if (const ResultTable* buffers = result.Table("buffers"); !marks.buffer.empty()) {
    const auto row = static_cast<size_t>(View().current());
    const int64_t id = IntIn(*table, row, "buffer");
    for (size_t r = 0; buffers != nullptr && r < buffers->size(); ++r) {
      if (IntIn(*buffers, r, "buffer") != id) continue;
      marks.first = IntIn(*buffers, r, "begin_index"), marks.last = IntIn(*buffers, r, "end_index");
      break;
    }
  }
  const ImVec2 size(ImGui::GetContentRegionAvail().x, height - (ImGui::GetCursorPosY() - top));
  const HeapChart::Clicked clicked = chart_.Draw(context, data_, key_, marks, size);
  if (!clicked.buffer.empty()) {
    const ResultTable* buffers = result.Table("buffers");
    for (size_t r = 0; buffers != nullptr && r < buffers->size(); ++r) {
      if (TextAt(*buffers, r, buffers->Column("instruction")) != clicked.buffer) continue;
      list_ = kBufferList, position_ = -1;
      to_choose_ = static_cast<int>(r);
      break;
    }
  }
  const ResultTable *peak = result.Table("at_peak"), *buffers = result.Table("buffers");
  if (clicked.position >= 0 && peak != nullptr && buffers != nullptr) {
    position_ = clicked.position;
    live_ = LiveAt(*peak, *buffers, position_);
    ++live_key_;
  }
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
  Update(result, key);
  FindWanted(context, result);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = BaseEm();
  if (room.x > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(room.x * 0.24f, em * 15, em * 30), 0));
    DrawSide(context, result);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
    ImGui::BeginChild("data");
  } else {
    ImGui::BeginChild("data");
    DrawSelectors(context, result);
  }
  const float height = ImGui::GetContentRegionAvail().y;
  DrawChart(context, result, std::clamp(height * 0.5f, em * 10, em * 34));
  DrawLists(context, result);
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeHloMemoryPanel() { return std::make_unique<HloMemoryPanel>(); }

}  // namespace stepscope
