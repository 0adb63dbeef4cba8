// Decodes HloInstructionProto. One thread.
#pragma once

#include <string_view>
#include <vector>

#include "loaders/xla/shape_decoder.h"

namespace stepscope::xla {

class InstructionDecoder {
 public:
  // `payloads`: those of the module, which newer instructions refer to.
  InstructionDecoder(HloModuleBuilder* builder, const std::vector<std::string_view>* payloads)
      : builder_(*builder), shapes_(builder), payloads_(*payloads) {}

  // Adds it to the current computation. False where it has garbage; what came before it counts.
  bool Add(const proto::Field& instruction);

 private:
  void Common(const proto::Field& f, InstructionDraft* draft);
  void Detail(const proto::Field& f, InstructionDetails* details);

  HloModuleBuilder& builder_;
  ShapeDecoder shapes_;
  InstructionDraft draft_;  // of the instruction that is decoded
  const std::vector<std::string_view>& payloads_;
};

}  // namespace stepscope::xla
