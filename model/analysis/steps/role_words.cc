#include "model/analysis/steps/role_words.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

constexpr std::array kRows = {
    RoleWords{HostRole::kGarbage, "the host to collect garbage", "garbage"},
    RoleWords{HostRole::kSave, "checkpoints to be saved", "checkpoint"},
    RoleWords{HostRole::kPause, "the host, which waits itself", "host-op.pause"},
    RoleWords{HostRole::kPeer, "another process", "host-op.peer"},
    RoleWords{HostRole::kBarrier, "other ranks at a barrier", "barrier"},
    RoleWords{HostRole::kEvent, nullptr, "event-wait"},
};

}  // namespace

const RoleWords* WordsOfRole(HostRole role) {
  const auto row = std::find_if(kRows.begin(), kRows.end(),
                                [&](const RoleWords& words) { return words.role == role; });
  return row == kRows.end() ? nullptr : &*row;
}

}  // namespace stepscope
