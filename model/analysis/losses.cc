#include "model/analysis/losses.h"

namespace stepscope {

const LossDesc& DescOf(LossClass c) {
  static constexpr LossDesc kDescs[kLossClasses + 1] = {
      {"compute", "Compute", "a kernel runs that is no copy and no collective; on a CPU an op"},
      {"h2d", "Copies to the device", "a copy to the device runs and no kernel hides it"},
      {"d2h", "Copies to the host", "a copy to the host runs and no kernel hides it"},
      {"d2d", "Copies on devices", "a copy or fill on devices runs and no kernel hides it"},
      {"collective_wait", "Waiting for participants",
       "a collective runs that nothing hides, and its last participant has not started"},
      {"collective", "Collectives", "a collective runs that nothing hides, all take part"},
      {"input", "Waiting for input", "idle while the host waits for or prepares input"},
      {"sync", "Synchronisation",
       "idle while the host is inside a blocking call: a synchronisation, or a copy from or to "
       "pageable memory"},
      {"compile", "Compilation",
       "idle while the host compiles, tunes or loads a module: also a launch of over 1 ms"},
      {"launch", "Kernel launch",
       "idle while the host is inside a launch call or its executor dispatches short ops, and "
       "between kernels that are queued"},
      {"host", "Host work", "idle while the host runs ops or Python inside the step"},
      {"between_steps", "Between steps",
       "idle while the host runs ops or Python outside all steps"},
      {"unknown", "Not explained",
       "idle, and nothing is recorded of the host thread that feeds it"},
      {"", "", ""}};
  return kDescs[c < LossClass::kCount ? static_cast<size_t>(c) : kLossClasses];
}

}  // namespace stepscope
