// ModuleTree finds the PyTorch op and the modules around a call. A profile with stacks has an
// event for each module ("nn.Module: RMSNorm_3"). Views the trace, which must outlive it.
// Thread-safe. O(events) to build, O(depth log events) to ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/intervals/enclosing.h"
#include "model/trace.h"

namespace stepscope {

class ModuleTree {
 public:
  explicit ModuleTree(const Trace& trace);

  EventRow OpAround(EventRow row) const { return ops_.Around(row); }
  EventRow ModuleAround(EventRow row) const { return modules_.Around(row); }
  // The modules around a module and itself, outermost first: "Qwen3Model_0 / Qwen3DecoderLayer_3
  // / RMSNorm_7".
  std::string PathOf(EventRow module) const;
  // The outermost of them that has siblings of its class: "Qwen3DecoderLayer_3".
  std::string_view LayerOf(EventRow module) const;

 private:
  EventRow Outside(EventRow module) const;
  std::vector<EventRow> WayTo(EventRow module) const;  // outermost first
  void FindLayers(const std::vector<bool>& is_module);

  const Trace& trace_;
  Enclosing ops_, modules_;
  std::vector<bool> layer_;  // by meta
};

// "nn.Module: RMSNorm_7" is "RMSNorm_7"; the name of another event is empty.
std::string_view ModuleName(std::string_view event_name);
// "RMSNorm_7" is of the class "RMSNorm".
std::string_view ModuleClass(std::string_view module);

}  // namespace stepscope
