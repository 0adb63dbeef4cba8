#include "model/xla/opcode.h"

#include <unordered_map>

namespace stepscope::xla {

using opcode_table::kRows;

Opcode FindOpcode(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, Opcode> map;
    for (size_t i = 0; i < kRows.size(); ++i) map.emplace(kRows[i].name, static_cast<Opcode>(i));
    return map;
  }();
  const auto it = kByName.find(name);
  return it == kByName.end() ? kUnknownOpcode : it->second;
}

ElementwiseKind ElementwiseOf(Opcode opcode) {
  const size_t i = static_cast<size_t>(opcode);
  return i < kRows.size() ? kRows[i].elementwise : ElementwiseKind::kNone;
}

}  // namespace stepscope::xla
