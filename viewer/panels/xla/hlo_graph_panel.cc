// HLO graph: what is around an instruction of a program, drawn, and the program's text; both lead
// to each other, and the chosen instruction to its events, source and buffers.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_programs.h"
#include "model/base/ascii.h"
#include "model/jobs/latest_job.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/xla/graph_view.h"
#include "viewer/panels/xla/hlo_card.h"
#include "viewer/panels/xla/hlo_program_view.h"
#include "viewer/panels/xla/program_text_view.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr int kRadius = 2, kMostRadius = 12;
constexpr double kSpinnerDelay = 0.15;  // seconds
constexpr size_t kMostProposals = 12;   // names below the box that goes to an instruction
constexpr size_t kMostNeighbours = 40;  // operands, or users, beside the graph

struct Opened {
  std::shared_ptr<const HloProgramView> program;
  std::string why_not;
};

// The facts shown of the chosen instruction, made once: a tuple may have a hundred thousand
// operands.
struct ChosenOp {
  struct Neighbour {
    uint32_t instruction;
    std::string shape;
  };
  uint32_t instruction = xla::kNone;
  HloFacts facts;
  std::vector<Neighbour> operands, users;  // at most kMostNeighbours of each
  size_t all_operands = 0, all_users = 0;
};

class HloGraphPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;
  bool animating() const override { return waiting_ || text_.busy() || scene_job_.busy(); }

 private:
  void TakePage(const PanelContext& context);
  bool Open(const PanelContext& context);  // false while there is nothing to draw
  void Enter(uint32_t instruction);
  void UpdateScene(const PanelContext& context);
  void GoTo(const PanelContext& context, uint32_t instruction) const;
  void DrawBar(const PanelContext& context);
  void DrawSearch(const PanelContext& context);
  void DrawSide(const PanelContext& context);
  void DrawProgramChoice(const PanelContext& context) const;
  void DrawNeighbours(const PanelContext& context, const char* title,
                      const std::vector<ChosenOp::Neighbour>& shown, size_t all) const;
  void UpdateChosen();
  void DrawGraph(const PanelContext& context);
  void DrawText(const PanelContext& context);

  // The choice of the user.
  ProfileId profile_;
  std::string program_name_, wanted_;  // of the page; empty: the program with the most time
  bool show_text_ = false;
  int radius_ = kRadius;
  std::vector<uint32_t> expanded_;
  // The answer, as far as it is known.
  AnalysisParams asked_;
  std::shared_ptr<AnalysisContext> analysis_;
  LatestJob<Opened> open_job_;
  Opened opened_;
  LatestJob<std::shared_ptr<const HloGraphScene>> scene_job_;
  std::shared_ptr<const HloGraphScene> scene_;
  uint64_t scene_key_ = 0;
  bool scene_wanted_ = false;
  uint32_t centre_ = xla::kNone, chosen_ = xla::kNone;
  ChosenOp about_;  // chosen_
  std::string note_;
  std::string proposed_for_;
  std::vector<uint32_t> proposals_;  // instructions whose names have that text
  std::vector<HloRef> visited_;
  size_t visit_ = 0;  // in visited_
  bool waiting_ = false;
  double since_ = 0;
  std::array<char, 128> name_{};
  GraphView graph_;
  ProgramTextView text_;
  HloCard card_;
  PageRequest page_;
};

// "PROGRAM/INSTRUCTION", or "text/PROGRAM/INSTRUCTION": a program's id or name.
void HloGraphPanel::TakePage(const PanelContext& context) {
  auto page = page_.Take(context, "hlo_graph");
  if (!page) return;
  show_text_ = PanelOf(*page) == "text" && page->find('/') != std::string::npos;
  if (show_text_) page = std::string(PageOf(*page));
  program_name_ = PanelOf(*page);
  wanted_ = PageOf(*page);
  centre_ = xla::kNone;
}

bool HloGraphPanel::Open(const PanelContext& context) {
  AnalysisParams params = ParamsOf(context);
  params.hlo.program = program_name_;
  const std::shared_ptr<AnalysisContext>& analysis = context.profile->analysis;
  if (analysis != analysis_ || params != asked_) {
    // Another part of the profile: the same instruction with other times.
    const bool same = analysis == analysis_ && params.hlo == asked_.hlo && centre_ != xla::kNone;
    if (same && opened_.program) wanted_ = opened_.program->At(centre_).name;
    analysis_ = analysis;
    asked_ = params;
    opened_ = {};
    about_ = {};
    proposed_for_.clear();
    scene_ = nullptr;
    scene_job_.Stop();
    centre_ = chosen_ = xla::kNone;
    since_ = ImGui::GetTime();
    open_job_.Start(context.jobs, [analysis, params](Progress&) {
      Opened opened;
      opened.program = OpenProgramView(*analysis, params, &opened.why_not);
      return opened;
    });
  }
  if (auto opened = open_job_.Take()) opened_ = *std::move(opened);
  waiting_ = open_job_.active();
  if (waiting_) {
    if (ImGui::GetTime() - since_ > kSpinnerDelay) DrawSpinner(context, "Reading the program");
    return false;
  }
  if (!opened_.program) {
    DrawEmpty(context, opened_.why_not.empty() ? "There is not enough memory for this program."
                                               : opened_.why_not);
    return false;
  }
  return true;
}

// Makes the instruction the centre, and remembers the way to it.
void HloGraphPanel::Enter(uint32_t instruction) {
  centre_ = chosen_ = instruction;
  expanded_.clear();
  scene_wanted_ = true;
  text_.GoTo(instruction);
  const HloRef ref = opened_.program->RefOf(instruction);
  if (visit_ < visited_.size() && visited_[visit_] == ref) return;
  if (visit_ + 1 < visited_.size() && visited_[visit_ + 1] == ref) {
    ++visit_;
    return;
  }
  if (visit_ > 0 && visited_[visit_ - 1] == ref) {
    --visit_;
    return;
  }
  visited_.resize(std::min(visited_.size(), visit_ + 1));
  visited_.push_back(ref);
  visit_ = visited_.size() - 1;
}

void HloGraphPanel::UpdateScene(const PanelContext& context) {
  if (centre_ == xla::kNone) {
    const uint32_t found =
        wanted_.empty() ? opened_.program->Longest() : opened_.program->module->Find(wanted_);
    note_ = found == xla::kNone && !wanted_.empty()
                ? fmt::format("{} has no instruction '{}'.", opened_.program->name, wanted_)
                : std::string();
    const uint32_t centre = found != xla::kNone ? found : opened_.program->Longest();
    if (centre == xla::kNone) return;
    Enter(centre);
  }
  if (auto scene = scene_job_.Take()) {
    scene_ = *std::move(scene);
    ++scene_key_;
  }
  if (!scene_wanted_) return;
  scene_wanted_ = false;
  scene_job_.Start(context.jobs, [program = opened_.program, centre = centre_, radius = radius_,
                                  expanded = expanded_](Progress&) {
    return std::make_shared<const HloGraphScene>(
        MakeGraphScene(*program, centre, radius, expanded));
  });
}

void HloGraphPanel::GoTo(const PanelContext& context, uint32_t instruction) const {
  const HloRef ref = opened_.program->RefOf(instruction);
  ShowHloPage(context, show_text_ ? HloTextPage(ref) : HloGraphPage(ref));
}

// A box in which names are typed; what begins or contains the text is proposed.
void HloGraphPanel::DrawSearch(const PanelContext& context) {
  ImGui::SetNextItemWidth(Em() * 12);
  const bool enter = ImGui::InputTextWithHint("##name", "Go to instruction", name_.data(),
                                              name_.size(), ImGuiInputTextFlags_EnterReturnsTrue);
  const bool active = ImGui::IsItemActive();
  const ImVec2 below(ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + 2);
  if (name_[0] == 0 || (!active && !enter && !ImGui::IsPopupOpen("##proposals"))) return;
  const auto& instructions = opened_.program->module->instructions;
  if (proposed_for_ != name_.data()) {
    proposed_for_ = name_.data();
    proposals_.clear();
    const std::string lower = Lower(proposed_for_);
    for (uint32_t i = 0; i < instructions.size() && proposals_.size() < kMostProposals; ++i)
      if (ContainsLower(instructions[i].name, lower)) proposals_.push_back(i);
  }
  if (enter && !proposals_.empty()) {
    const uint32_t exact = opened_.program->module->Find(name_.data());
    GoTo(context, exact != xla::kNone ? exact : proposals_.front());
    name_[0] = 0;
    return;
  }
  ImGui::SetNextWindowPos(below);
  constexpr ImGuiWindowFlags kFlags =
      ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_Tooltip | ImGuiWindowFlags_NoTitleBar |
      ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_AlwaysAutoResize |
      ImGuiWindowFlags_NoSavedSettings;
  if (ImGui::Begin("##proposals", nullptr, kFlags)) {
    for (const uint32_t i : proposals_) TextIn(context, Role::kText, instructions[i].name);
    if (proposals_.empty()) TextIn(context, Role::kText2, "no such instruction");
    if (!proposals_.empty()) TextIn(context, Role::kText3, "Enter: the first");
  }
  ImGui::End();
}

void HloGraphPanel::DrawBar(const PanelContext& context) {
  const FaceScope small(context, Face::kUi);
  const auto visit = [&](const char* id, ImGuiDir direction, bool can, size_t to,
                         const char* what) {
    ImGui::BeginDisabled(!can);
    if (ImGui::ArrowButton(id, direction)) {
      const HloRef& ref = visited_[to];
      ShowHloPage(context, show_text_ ? HloTextPage(ref) : HloGraphPage(ref));
    }
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("%s", what);
    ImGui::SameLine(0, Em() * 0.3f);
  };
  visit("##back", ImGuiDir_Left, visit_ > 0, visit_ - 1, "Back to the instruction before");
  visit("##forward", ImGuiDir_Right, visit_ + 1 < visited_.size(), visit_ + 1,
        "Forward to the instruction after");
  if (ChoiceButton(context, "Graph", !show_text_)) show_text_ = false, graph_.Fit();
  ImGui::SameLine(0, Em() * 0.3f);
  if (ChoiceButton(context, "Text", show_text_)) {
    show_text_ = true;
    if (chosen_ != xla::kNone) text_.GoTo(chosen_);
  }
  ImGui::SameLine(0, Em());
  DrawSearch(context);
  if (show_text_) return;
  ImGui::SameLine(0, Em());
  const auto change = [&](const char* label, int by, const char* what) {
    const int to = std::clamp(radius_ + by, 1, kMostRadius);
    ImGui::BeginDisabled(to == radius_);
    if (ImGui::Button(label)) radius_ = to, scene_wanted_ = true;
    ImGui::EndDisabled();
    ImGui::SetItemTooltip("%s", what);
    ImGui::SameLine(0, Em() * 0.3f);
  };
  change("-", -1, "Shows what is fewer steps away from the instruction in the middle");
  TextIn(context, Role::kText2, fmt::format("{} steps", radius_));
  ImGui::SameLine(0, Em() * 0.3f);
  change("+", 1, "Shows what is more steps away from the instruction in the middle");
  if (ImGui::Button("Fit")) graph_.Fit();
  ImGui::SetItemTooltip("Brings all of it into view, or the middle where it is too large");
}

void HloGraphPanel::DrawProgramChoice(const PanelContext& context) const {
  const HloProgramView& program = *opened_.program;
  const FaceScope small(context, Face::kUi);
  ImGui::SetNextItemWidth(-1);
  const HloPrograms& programs = context.profile->analysis->Get<HloPrograms>();
  if (ImGui::BeginCombo("##program", ItemLabel(program.name).c_str(),
                        ImGuiComboFlags_HeightLarge)) {
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(programs.list().size()));
    while (clipper.Step()) {
      for (int p = clipper.DisplayStart; p < clipper.DisplayEnd; ++p) {
        const auto index = static_cast<uint32_t>(p);
        ImGui::PushID(p);
        const bool on = programs.list()[index].id == program.id;
        if (ImGui::Selectable(ItemLabel(programs.NameOf(index)).c_str(), on)) {
          const HloRef none{programs.list()[index].id, ""};
          ShowHloPage(context, show_text_ ? HloTextPage(none) : HloGraphPage(none));
        }
        ImGui::PopID();
      }
    }
    ImGui::EndCombo();
  }
  ImGui::SetItemTooltip("Program %s", program.name.c_str());
}

void HloGraphPanel::UpdateChosen() {
  if (about_.instruction == chosen_) return;
  const HloProgramView& program = *opened_.program;
  about_ = {};
  about_.instruction = chosen_;
  about_.facts = program.FactsOf(chosen_);
  const auto take = [&](const std::vector<uint32_t>& from, std::vector<ChosenOp::Neighbour>* to) {
    constexpr size_t kMostLetters = 200;
    for (size_t k = 0; k < std::min(from.size(), kMostNeighbours); ++k) {
      const std::string shape = ToText(program.module->ShapeOf(program.At(from[k])));
      to->push_back({from[k], shape.substr(0, kMostLetters)});
    }
    return from.size();
  };
  about_.all_operands = take(OperandsThroughTuples(*program.module, chosen_), &about_.operands);
  about_.all_users =
      take(UsersThroughTuples(*program.module, program.users, chosen_), &about_.users);
}

void HloGraphPanel::DrawNeighbours(const PanelContext& context, const char* title,
                                   const std::vector<ChosenOp::Neighbour>& shown,
                                   size_t all) const {
  if (shown.empty()) return;
  ImGui::Dummy(ImVec2(0, BaseEm() * 0.2f));
  const FaceScope small(context, Face::kUi);
  TextIn(context, Role::kText2, fmt::format("{} ({})", title, all));
  ImGui::PushID(title);
  for (size_t k = 0; k < shown.size(); ++k) {
    ImGui::PushID(static_cast<int>(k));
    if (LinkText(context, "link", opened_.program->At(shown[k].instruction).name))
      GoTo(context, shown[k].instruction);
    const float room = ImGui::GetContentRegionAvail().x - ImGui::GetItemRectSize().x - Em();
    if (room > Em() * 4) {
      ImGui::SameLine(0, Em() * 0.6f);
      const ImVec2 p = ImGui::GetCursorScreenPos();
      DrawCut(ImGui::GetWindowDrawList(), p, p.x + room, context.theme[Role::kText3],
              shown[k].shape);
      ImGui::Dummy(ImVec2(1, ImGui::GetTextLineHeight()));
    }
    ImGui::PopID();
  }
  if (all > shown.size())
    TextIn(context, Role::kText3, fmt::format("and {} more", all - shown.size()));
  ImGui::PopID();
}

void HloGraphPanel::DrawSide(const PanelContext& context) {
  DrawProgramChoice(context);
  if (!note_.empty()) WrappedIn(context, Role::kWarning, note_);
  if (chosen_ == xla::kNone) return;
  const HloProgramView& program = *opened_.program;
  const xla::HloModule& module = *program.module;
  const xla::Instruction& instruction = program.At(chosen_);
  {
    const FaceScope small(context, Face::kUi);
    const xla::Computation& computation = module.computations[instruction.computation];
    const uint32_t caller = program.CallerOf(chosen_);
    TextIn(context, Role::kText2, "in");
    ImGui::SameLine(0, Em() * 0.4f);
    if (caller != xla::kNone) {
      if (LinkText(context, "caller", computation.name)) GoTo(context, caller);
      ImGui::SetItemTooltip(
          "%s",
          fmt::format("Goes to {}, which calls this computation", program.At(caller).name).c_str());
    } else {
      TextIn(context, Role::kText2, computation.name);
    }
    const xla::Computation* called = module.FirstCalled(instruction);
    const xla::Instruction* root = called == nullptr ? nullptr : module.RootOf(*called);
    if (root != nullptr) {
      TextIn(context, Role::kText2, "calls");
      ImGui::SameLine(0, Em() * 0.4f);
      if (LinkText(context, "called", called->name)) GoTo(context, module.IndexOf(*root));
      ImGui::SetItemTooltip("Goes to the root of the computation that it calls");
    }
  }
  UpdateChosen();
  card_.Draw(context, program.RefOf(chosen_), "hlo_graph", about_.facts);
  DrawNeighbours(context, "Operands", about_.operands, about_.all_operands);
  DrawNeighbours(context, "Users", about_.users, about_.all_users);
}

void HloGraphPanel::DrawGraph(const PanelContext& context) {
  if (!scene_) return;
  if (scene_->left_out > 0) {
    const FaceScope small(context, Face::kUi);
    TextIn(context, Role::kWarning,
           fmt::format("The {} nearest instructions; {} more are in reach of the radius",
                       HloGraphScene::kMostNodes, scene_->left_out));
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 size(std::max(room.x, BaseEm() * 4), std::max(room.y, BaseEm() * 4));
  const GraphView::Action action =
      graph_.Draw(context, *opened_.program, *scene_, scene_key_, chosen_, size);
  if (action.choose != xla::kNone) chosen_ = action.choose;
  if (action.centre != xla::kNone && action.centre != centre_) GoTo(context, action.centre);
  if (action.expand != xla::kNone) {
    expanded_.push_back(action.expand);
    graph_.KeepInPlace(action.expand);
    scene_wanted_ = true;
  }
}

void HloGraphPanel::DrawText(const PanelContext& context) {
  const ProgramTextView::Action action = text_.Draw(context, opened_.program, chosen_);
  if (action.choose != xla::kNone) chosen_ = action.choose;
  if (action.centre != xla::kNone)
    ShowHloPage(context, HloGraphPage(opened_.program->RefOf(action.centre)));
}

void HloGraphPanel::Draw(const PanelContext& context) {
  waiting_ = false;
  if (context.profile == nullptr || !context.profile->trace) {
    DrawEmpty(context,
              "No profile is open. File > Open file opens one, or drop one on the window.");
    return;
  }
  if (!context.profile->analysis) {
    DrawEmpty(context, WhyNotAnalysed(*context.profile));
    return;
  }
  if (context.profile->id != profile_) {  // the choice was one of another profile's programs
    profile_ = context.profile->id;
    program_name_.clear(), wanted_.clear(), visited_.clear();
    visit_ = 0;
  }
  TakePage(context);
  if (!Open(context)) return;
  UpdateScene(context);
  const float em = BaseEm(), width = ImGui::GetContentRegionAvail().x;
  if (width > em * 46) {
    ImGui::BeginChild("side", ImVec2(std::clamp(width * 0.24f, em * 15, em * 30), 0));
    DrawSide(context);
    ImGui::EndChild();
    ImGui::SameLine(0, em * 1.2f);
  }
  ImGui::BeginChild("graph");
  DrawBar(context);
  if (show_text_) {
    DrawText(context);
  } else {
    DrawGraph(context);
  }
  ImGui::EndChild();
}

}  // namespace

std::unique_ptr<Panel> MakeHloGraphPanel() { return std::make_unique<HloGraphPanel>(); }

}  // namespace stepscope
