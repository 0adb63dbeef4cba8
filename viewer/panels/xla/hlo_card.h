// This folder holds the panels of XLA's programs; each follows the pages of viewer/panels/
// hlo_pages.h. Start here.
//
// HloCard says what is known of the chosen op, the same in all of these panels: its numbers, which
// HloOpTable has, its source and text, and links to its events and to the other panels. UI thread
// only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/analysis/xla/hlo_ops.h"
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
  void Draw(const PanelContext& context, const HloRef& ref, std::string_view own,
            const HloFacts& facts = {});

 private:
  // The op of a table; null if it has no events, or while they are read.
  struct Found {
    const HloOpTable* ops = nullptr;
    const HloOp* op = nullptr;
  };
  Found Find(const PanelContext& context, const HloRef& ref);
  static void DrawNumbers(const PanelContext& context, const HloOpTable& ops, const HloOp& op);
  static void DrawTexts(const PanelContext& context, const HloOp* op, const HloFacts& facts);
  static void DrawLinks(const PanelContext& context, const HloRef& ref, std::string_view own,
                        const HloOp* op);

  // By program id and name: the ops of the result `serial_`.
  std::map<std::pair<uint64_t, std::string_view>, const HloOp*> ops_;
  uint64_t serial_ = 0;
};

// "1.31 TFLOP/s" of GFLOP/s, "2.48 TiB/s" of GiB/s; "" of 0.
std::string FlopRateText(double gflops);
std::string ByteRateText(double gib_per_s);
// Time from µs, with its unit.
std::string MicrosText(double us);

// "A100: 312 TFLOP/s, 1.42 TiB/s": the device and its peaks; "" where they are not known.
std::string PeaksText(const DevicePeaks& peaks);

inline HloRef RefOf(const HloOp& op) { return {op.program_id, op.name}; }

}  // namespace stepscope
