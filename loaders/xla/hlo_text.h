// Parts of a program as XLA writes them. Pure; O(bytes).
#pragma once

#include <string>

#include "loaders/common/wire.h"
#include "model/xla/shape.h"

namespace stepscope::xla {

inline constexpr int kMaxShapeDepth = 64;  // of tuples in tuples; deeper members are left out

Shape DecodeShape(const proto::Field& shape);

// An OpSharding: "{replicated}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}".
std::string ShardingText(const proto::Field& sharding);
// FrontendAttributes: "{is_spmd_generated="true"}", by key; empty if there are none.
std::string FrontendAttributesText(const proto::Field& attributes);
// An HloInputOutputAliasProto: "{ {0}: (1, {}, may-alias) }"; empty if it has no entries.
std::string AliasText(const proto::Field& alias);
// A LiteralProto, which is a constant's values: "512", "{1, 2}"; "{...}" for more than 10 values or
// an unknown type.
std::string LiteralText(const proto::Field& literal);

}  // namespace stepscope::xla
