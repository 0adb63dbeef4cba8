// HloTable: for each HLO program and instruction the framework's op that it comes from. The loader
// of XSpaces fills it from the plane /host:metadata. Owns its strings. Immutable once in a Trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace stepscope {

struct HloInstruction {
  std::string op_name;   // OpMetadata.op_name
  std::string op_type;   // OpMetadata.op_type
  std::string opcode;    // "fusion"
  std::string category;  // fusion kind or opcode
  std::string source_file;
  int32_t source_line = 0;
};

struct HloProgram {
  std::string module_name;
  std::unordered_map<std::string, HloInstruction> instructions;  // by instruction name
};

struct HloTable {
  std::unordered_map<uint64_t, HloProgram> programs;  // by program id
  // Null if the program or the instruction is unknown. O(1).
  const HloInstruction* Find(uint64_t program_id, std::string_view instruction) const;
};

}  // namespace stepscope
