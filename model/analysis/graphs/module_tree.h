// ModuleTree: which PyTorch op and which modules are around a call, by the events that a profile
// with stacks has of them ("nn.Module: RMSNorm_3"). Views the trace, which must outlive it.
// Thread-safe. O(events) to build.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/enclosing.h"
#include "model/trace.h"

namespace stepscope {

class ModuleTree {
 public:
  explicit ModuleTree(const Trace& trace);

  EventRow OpAround(EventRow row) const { return ops_.Around(row); }
  EventRow ModuleAround(EventRow row) const { return modules_.Around(row); }
  // Outermost first: "Qwen3Model_0 / Qwen3DecoderLayer_3 / RMSNorm_7".
  std::string PathOf(EventRow module) const;
  // The outermost module on the way to it that has siblings of its class: "Qwen3DecoderLayer_3".
  std::string_view LayerOf(EventRow module) const;

 private:
  EventRow Outside(EventRow module) const;
  std::vector<EventRow> WayTo(EventRow module) const;  // outermost first
  void FindLayers(const std::vector<bool>& is_module);

  const Trace& trace_;
  Enclosing ops_, modules_;
  std::vector<bool> layer_;  // by meta
};

// "RMSNorm_7" of "nn.Module: RMSNorm_7"; empty if it is none.
std::string_view ModuleName(std::string_view event_name);
// "RMSNorm" of "RMSNorm_7".
std::string_view ModuleClass(std::string_view module);

}  // namespace stepscope
