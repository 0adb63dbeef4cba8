// HloProgram: builds an HloProto for a test and encodes it without protobuf.
//
//   HloProgram p("jit_f");
//   p.Computation("main");
//   const int64_t x = p.Add("x", "parameter", "f32[8,4]");
//   p.Add("y", "tanh", "f32[8,4]", {x});
//   const std::string bytes = p.Bytes();
//
// Ids count from 1 in order of Add; computations have ids from 100. The last computation is the
// entry, and the last instruction of a computation its root, unless they are set.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/xla/hlo_module.h"

namespace stepscope::test {

// A ShapeProto from "f32[8,4]", "bf16[2]{0:S(1)}" (only S counts) or "(f32[2], s32[])".
std::string EncodeShape(std::string_view text);

class HloProgram {
 public:
  explicit HloProgram(std::string_view name) : name_(name) {}

  int64_t Computation(std::string_view name);
  // `more`: further fields of the HloInstructionProto, written with wire.h.
  int64_t Add(std::string_view name, std::string_view opcode, std::string_view shape,
              std::vector<int64_t> operands = {}, std::vector<int64_t> called = {},
              std::string_view more = {});
  HloProgram& Root(int64_t instruction);
  HloProgram& Schedule(int64_t computation, std::vector<int64_t> instructions);
  // A field of the HloModuleProto, or of the BufferAssignmentProto.
  HloProgram& Raw(std::string_view bytes);
  HloProgram& Buffers(std::string_view bytes);

  std::string Bytes() const;  // an HloProto
  // The decoded module; the bytes must be well formed.
  std::shared_ptr<const xla::HloModule> Module() const;

 private:
  struct Part {
    std::string name, instructions;
    int64_t id = 0, root = 0;
  };
  std::string name_, module_, buffers_;
  std::vector<Part> computations_;
  int64_t next_ = 1;
};

// Fields of an instruction: a list of integers, a text, a message.
std::string IntsField(uint32_t field, std::initializer_list<int64_t> values);
std::string TextField(uint32_t field, std::string_view text);
std::string WindowField(std::initializer_list<std::initializer_list<int64_t>> dimensions);

}  // namespace stepscope::test
