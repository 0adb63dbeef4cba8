// Annotations of instructions and modules as XLA writes them, with their braces. Pure; O(bytes).
#pragma once

#include <string>

#include "loaders/common/wire.h"

namespace stepscope::xla {

// An OpSharding: "{replicated}", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}".
std::string ShardingText(const proto::Field& sharding);
// FrontendAttributes: "{is_spmd_generated="true"}", by key; empty if there are none.
std::string FrontendAttributesText(const proto::Field& attributes);
// An HloInputOutputAliasProto: "{ {0}: (1, {}, may-alias) }"; empty if it has no entries.
std::string AliasText(const proto::Field& alias);

}  // namespace stepscope::xla
