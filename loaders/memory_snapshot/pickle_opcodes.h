// The opcodes of binary pickles, protocols 2 to 5.
#pragma once

#include <cstdint>
#include <utility>

#include "model/base/key_table.h"

namespace stepscope::pickle {

// Opcodes by their letters in Python's pickletools.
enum Op : uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kAppends = 'e',
  kDict = 'd',
  kEmptyDict = '}',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kList = 'l',
  kEmptyList = ']',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kBinFloat = 'G',
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kProto = 0x80,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes8 = 0x8e,
  kEmptySet = 0x8f,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kMemoize = 0x94,
  kFrame = 0x95,
  kByteArray8 = 0x96,
};

// The name of an opcode that is refused, because it would run code or needs more than the file.
// Null for all others.
inline const char* RefusedName(uint8_t op) {
  static constexpr std::pair<uint8_t, const char*> kNames[] = {
      {'c', "GLOBAL"}, {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},      {'b', "BUILD"},
      {'i', "INST"},   {'o', "OBJ"},           {0x81, "NEWOBJ"},     {0x92, "NEWOBJ_EX"},
      {0x82, "EXT"},   {0x83, "EXT"},          {0x84, "EXT"},        {'P', "PERSID"},
      {'Q', "PERSID"}, {0x97, "NEXT_BUFFER"},  {0x98, "NEXT_BUFFER"}};
  return FindValue(kNames, op, nullptr);
}

}  // namespace stepscope::pickle
