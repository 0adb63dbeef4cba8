// ProgramTextView: a program's text with a search. Only the lines in sight are made, so a program
// may have any number of them; a job looks for what is searched. UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/jobs/latest_job.h"
#include "viewer/core/panel.h"
#include "viewer/panels/xla/hlo_program_view.h"

namespace stepscope {

class ProgramTextView {
 public:
  struct Action {
    uint32_t choose = xla::kNone, centre = xla::kNone;  // instructions
  };
  // Fills the rest of the window. The line of the chosen instruction is marked.
  Action Draw(const PanelContext& context, const std::shared_ptr<const HloProgramView>& program,
              uint32_t chosen);
  void GoTo(uint32_t instruction) { go_to_ = instruction; }
  bool busy() const { return search_.busy(); }

 private:
  void Take(const PanelContext& context, const std::shared_ptr<const HloProgramView>& program);
  void DrawToolbar(const PanelContext& context,
                   const std::shared_ptr<const HloProgramView>& program);
  void Search(const PanelContext& context, const std::shared_ptr<const HloProgramView>& program);
  void Step(int direction);
  struct Line {
    std::string text;
    size_t equals = 0, opcode = 0, rest = 0;  // where its parts begin; all 0: no instruction
  };
  const Line& LineOf(size_t line);
  void DrawLine(const PanelContext& context, size_t line, float x, bool marked);

  std::shared_ptr<const HloProgramView> program_;
  std::array<char, 256> query_{};
  std::string asked_;  // what found_ is of
  std::vector<uint32_t> found_;
  size_t at_ = 0;  // in found_
  LatestJob<std::vector<uint32_t>> search_;
  std::unordered_map<size_t, Line> lines_;  // those that were in sight lately
  uint32_t go_to_ = xla::kNone;
  int64_t scroll_to_ = -1;  // a line
  float width_ = 0;         // of the widest line seen
};

}  // namespace stepscope
