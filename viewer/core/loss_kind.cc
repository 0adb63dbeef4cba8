#include "viewer/core/loss_kind.h"

namespace stepscope {

Kind LossKind(std::string_view id) {
  if (id == "device") return Kind::kDeviceCompute;
  if (id == "input") return Kind::kInput;
  if (id == "launch") return Kind::kKernelLaunch;
  if (id == "compile") return Kind::kCompilation;
  if (id == "copies") return Kind::kOutput;
  if (id == "collectives" || id == "collective_wait") return Kind::kCollective;
  if (id == "host" || id == "between_steps") return Kind::kHostCompute;
  if (id == "sync") return Kind::kDeviceToDevice;
  return Kind::kOther;
}

}  // namespace stepscope
