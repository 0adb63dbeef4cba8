// Decodes HloInstructionProto. One thread.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "loaders/common/wire.h"
#include "model/xla/hlo_module_builder.h"

namespace stepscope::xla {

class InstructionDecoder {
 public:
  // `payloads`: backend configurations of the module, to which newer instructions refer by number.
  InstructionDecoder(HloModuleBuilder* builder, const std::vector<std::string_view>* payloads)
      : builder_(*builder), payloads_(*payloads) {}

  // Adds the instruction to the current computation. False where it has garbage: what came before
  // that counts.
  bool Add(const proto::Field& instruction);

 private:
  void ReadCommon(const proto::Field& f);
  void ReadDetail(const proto::Field& f);
  uint32_t ShapeIndex(const proto::Field& shape);

  HloModuleBuilder& builder_;
  const std::vector<std::string_view>& payloads_;
  InstructionDraft draft_;                                 // of the instruction that is decoded
  std::unordered_map<std::string_view, uint32_t> shapes_;  // by message: shapes repeat
};

}  // namespace stepscope::xla
