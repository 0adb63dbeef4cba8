// loaders/xla/ decodes XLA's own messages: HloProto, which traces carry for each program.
//
// DecodeHlo reads the wire format by hand (loaders/common/wire.h): modules of a million
// instructions are common, and as much of a damaged one as can be read is kept. Damage is counted
// in HloModule::diagnostics. Pure. O(bytes); memory is at most about 60 times the bytes, for a
// module of nothing but empty instructions.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>

#include "model/base/status.h"
#include "model/xla/hlo_module.h"

namespace stepscope {

inline constexpr size_t kMaxHloModuleBytes = size_t{1} << 30;
inline constexpr size_t kMaxHloModuleInstructions = 4'000'000;  // later ones are left out

// `proto`: an HloProto, which the module keeps. kLimit for one of more than kMaxHloModuleBytes,
// kFormat where it has no module, kCancelled.
Result<std::shared_ptr<const xla::HloModule>> DecodeHlo(std::string proto,
                                                        const std::stop_token& stop);

}  // namespace stepscope
