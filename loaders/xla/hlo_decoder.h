// loaders/xla/ decodes XLA's own messages: HloProto, which traces carry for each program.
//
// DecodeHlo reads the wire format by hand (loaders/common/wire.h): modules of a million
// instructions are common, and of a damaged one as much as can be read is kept. Damage is counted
// in HloModule::diagnostics. Pure. O(bytes); memory is at most about 60 times the bytes, for a
// module of nothing but empty instructions.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "loaders/xla/limits.h"
#include "model/base/status.h"
#include "model/xla/hlo_module.h"

namespace stepscope {

// `proto`: an HloProto, which the module keeps. kLimit for one of more than kMaxHloModuleBytes,
// kFormat where it has no module, kCancelled.
Result<std::shared_ptr<const xla::HloModule>> DecodeHlo(std::string proto,
                                                        const std::stop_token& stop);

}  // namespace stepscope
