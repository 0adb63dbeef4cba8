// Reads the arguments that analyses know into columns. For nearly all packets they are taken from
// the bytes directly; other arguments are stepped over without looking up their names.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/common/row_values.h"
#include "loaders/perfetto/source_file.h"
#include "loaders/perfetto/wire_scan.h"
#include "model/stats.h"
#include "model/string_pool.h"

namespace stepscope::perfetto {

// One thread. Remembers what names mean, so one object serves many packets. O(bytes of the
// packets).
class TypedArguments {
 public:
  // Both must outlive this.
  TypedArguments(const SourceFile& file, const StringPool& strings)
      : file_(file), strings_(strings) {}

  // Adds what the packet at `ref` says to the row.
  void Read(std::string_view packet, uint64_t ref, uint32_t row, RowValues* values);

 private:
  // The meaning of an argument's name: a number below IntStat::kCount, or one of these.
  enum Role : uint8_t { kAsk = 0xf0, kNone, kGrid, kBlock, kX, kY, kZ };
  struct Roles {
    std::vector<uint8_t> of_iid;  // by number of the name; kAsk: not looked up yet
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
