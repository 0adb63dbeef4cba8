// The values of a constant as XLA writes them. Pure.
#pragma once

#include <string>

#include "loaders/common/wire.h"

namespace stepscope::xla {

// `literal`: a LiteralProto. "512", "{1, 2}", "{...}" for more than 10 elements or for types that
// it does not know.
std::string LiteralText(const proto::Field& literal);

}  // namespace stepscope::xla
