// This folder holds the panels of XLA's programs; each follows the pages of viewer/panels/
// hlo_pages.h. Start here.
//
// HloCard says what is known of the chosen op, the same in all of these panels: its numbers, which
// the analysis `hlo_stats` has, its source and text, and links to its events and to the other
// panels. UI thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/analysis/tables/result_table.h"
#include "viewer/panels/hlo_pages.h"

namespace stepscope {

// The facts that a program has of an instruction; an op that ran has the same in its row.
struct HloFacts {
  std::string category, provenance, source, stack, expression;
};

class HloCard {
 public:
  // Fills the rest of the window. `own`: the id of the panel, which needs no link to itself.
  // `facts` stand in where the instruction has no events.
  void Draw(const PanelContext& context, const HloRef& op, std::string_view own,
            const HloFacts& facts = {});

 private:
  struct Row {
    const ResultTable* ops = nullptr;  // null: it has no events, or they are being read
    size_t row = 0;
  };
  Row Find(const PanelContext& context, const HloRef& op);
  void DrawNumbers(const PanelContext& context, const Row& row) const;
  void DrawTexts(const PanelContext& context, const Row& row, const HloFacts& facts);
  static void DrawLinks(const PanelContext& context, const HloRef& op, std::string_view own,
                        const Row& row);

  std::map<std::pair<std::string, std::string>, size_t> rows_;  // by program id and name
  double busy_us_ = 0;                                          // self times of all ops
  uint64_t serial_ = 0;                                         // of the result that they are of
};

// "1.31 TFLOP/s" of GFLOP/s, "2.48 TiB/s" of GiB/s; "" of 0.
std::string FlopRateText(double gflops);
std::string ByteRateText(double gib_per_s);
// Time from µs, with its unit.
std::string MicrosText(double us);

// "A100: 312 TFLOP/s, 1.42 TiB/s": the device and its peaks; "" where they are not known.
std::string PeaksText(const AnalysisResult& result);

// Goes to the longest event of the row on the timeline. O(events of the row).
void RevealLongest(const PanelContext& context, const RowLink& link);

}  // namespace stepscope
