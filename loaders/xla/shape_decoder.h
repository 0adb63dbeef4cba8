// Decodes ShapeProto. Pure; O(bytes).
#pragma once

#include "loaders/common/wire.h"
#include "model/xla/shape.h"

namespace stepscope::xla {

inline constexpr int kMaxShapeDepth = 64;  // of tuples in tuples; deeper members are left out

Shape DecodeShape(const proto::Field& shape);

}  // namespace stepscope::xla
