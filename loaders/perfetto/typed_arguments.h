// The arguments that analyses know, as numbers of rows: those of nearly all packets are taken from
// their bytes, without names and values of the others.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/perfetto/annotation_source.h"
#include "loaders/perfetto/wire_scan.h"
#include "model/stats.h"
#include "model/string_pool.h"

namespace stepscope::perfetto {

using TypedValues =
    std::array<std::vector<std::pair<uint32_t, int64_t>>, static_cast<size_t>(IntStat::kCount)>;

// One thread. O(bytes of the packets).
class TypedArguments {
 public:
  // Both live longer.
  TypedArguments(const SourceFile& file, const StringPool& strings)
      : file_(file), strings_(strings) {}

  // Adds what the packet at `ref` says to the row.
  void Read(std::string_view packet, uint64_t ref, uint32_t row, TypedValues* values);

 private:
  // What an argument's name says: a number below IntStat::kCount, or one of these.
  enum Role : uint8_t { kAsk = 0xf0, kNone, kGrid, kBlock, kX, kY, kZ };
  struct Roles {
    std::vector<uint8_t> of_iid;  // kAsk where nobody asked
  };
  struct Argument {
    uint8_t role = kNone;
    bool whole = false, named = false;
    int64_t value = 0;
  };

  static uint8_t RoleOf(std::string_view name);
  uint8_t RoleOf(uint64_t iid);
  void Use(const Interned* interned);
  bool ReadPacket(std::string_view packet, uint64_t ref);
  bool ReadAnnotation(const Wire& message);
  bool ReadFields(const Wire& message, Argument* argument, bool outer);
  void Found(IntStat stat, int64_t value) { found_.emplace_back(stat, value); }

  const SourceFile& file_;
  const StringPool& strings_;
  const Interned* interned_ = nullptr;
  Roles* roles_ = nullptr;  // of interned_
  std::unordered_map<const Interned*, Roles> all_;
  std::vector<Wire> inner_;
  std::vector<std::pair<IntStat, int64_t>> found_;
};

}  // namespace stepscope::perfetto
