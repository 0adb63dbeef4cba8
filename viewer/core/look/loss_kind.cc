#include "viewer/core/look/loss_kind.h"

namespace stepscope {

Kind LossKind(std::string_view id) {
  if (id == "device") return Kind::kDeviceCompute;
  if (id == "on_device") return Kind::kDeviceToDevice;
  if (id == "input") return Kind::kInput;
  if (id == "launch") return Kind::kKernelLaunch;
  if (id == "compile") return Kind::kCompilation;
  if (id == "copies") return Kind::kOutput;
  if (id == "collectives" || id == "collective_wait") return Kind::kCollective;
  if (id == "host") return Kind::kHostCompute;
  // The colours of kinds that are no losses: neighbours in a bar must be told apart.
  if (id == "sync") return Kind::kSync;
  if (id == "queued") return Kind::kQueued;
  if (id == "between_steps") return Kind::kFree;
  return Kind::kOther;
}

}  // namespace stepscope
