#include "model/capabilities.h"

namespace stepscope {

constinit const TraceFormat kBuiltInMemory = {"trace", {}};

}  // namespace stepscope
