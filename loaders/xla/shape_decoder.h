// Decodes ShapeProto. Shapes repeat, so each is decoded once. One thread.
#pragma once

#include <string_view>
#include <unordered_map>

#include "loaders/common/wire.h"
#include "model/xla/hlo_module_builder.h"

namespace stepscope::xla {

class ShapeDecoder {
 public:
  explicit ShapeDecoder(HloModuleBuilder* builder) : builder_(*builder) {}
  // The index of the shape. `bytes` must live as long as this. O(bytes).
  uint32_t Add(std::string_view bytes);

 private:
  HloModuleBuilder& builder_;
  std::unordered_map<std::string_view, uint32_t> known_;
};

Shape DecodeShape(proto::Bytes begin, proto::Bytes end);

}  // namespace stepscope::xla
