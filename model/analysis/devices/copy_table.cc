// Copies by device, direction and kind of host memory.
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "model/analysis/devices/device_tables.h"
#include "model/analysis/devices/run_reader.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/tables/in_unit.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

enum class HostMemory : uint8_t { kUnknown, kPageable, kPinned, kCount };
constexpr size_t kDirections = 4, kMemories = static_cast<size_t>(HostMemory::kCount);
constexpr std::array<const char*, kDirections> kDirectionNames = {
    "Other", "Host to device", "Device to host", "Device to device"};
constexpr std::array<const char*, kMemories> kMemoryNames = {"", "pageable", "pinned"};

constexpr int64_t kNoSize = std::numeric_limits<int64_t>::min();  // no copy has this size

HostMemory MemoryIn(std::string_view text) {
  if (ContainsIgnoreCase(text, "pageable")) return HostMemory::kPageable;
  return ContainsIgnoreCase(text, "pinned") ? HostMemory::kPinned : HostMemory::kUnknown;
}

bool IsCopy(const EventMeta& meta, std::string_view name) {
  return meta.category == EventCategory::kMemcpy || DirectionOf(name) != CopyDirection::kNone ||
         StartsWithIgnoreCase(name, "memcpy");
}

struct CopySum {
  Ps time = 0, timed = 0;  // `timed`: time of copies whose size is known
  int64_t bytes = 0, known = 0;
  std::vector<EventRow> rows;
};

struct CopyKind {
  bool copy;
  uint8_t direction;
  HostMemory memory;
};

std::vector<CopyKind> KindsByMeta(const NameTable& names) {
  std::vector<CopyKind> kinds;
  for (const EventMeta& meta : names.metas) {
    const std::string_view name = names.strings.View(meta.name);
    kinds.push_back({IsCopy(meta, name), static_cast<uint8_t>(DirectionOf(name)), MemoryIn(name)});
  }
  return kinds;
}

class CopyCollector {
 public:
  CopyCollector(const StatTable& stats, const std::vector<CopyKind>& kinds)
      : stats_(stats),
        bytes_(stats_.Int(IntStat::kBytes)),
        details_(stats_.Text(StringStat::kMemcpyDetails)),
        kinds_(kinds) {}

  void Add(const DeviceEvent& e) {
    const CopyKind& kind = kinds_[e.meta];
    if (!kind.copy) return;
    const StringId text = details_.Get(e.row, StringId(0));
    const std::string_view details =
        text.value != 0 ? stats_.strings->View(text) : std::string_view();
    const HostMemory memory = kind.memory == HostMemory::kUnknown ? MemoryIn(details) : kind.memory;
    CopySum& sum = sums_[kind.direction * kMemories + static_cast<size_t>(memory)];
    sum.time += e.length();
    sum.rows.emplace_back(e.row);
    const int64_t recorded = bytes_.Get(e.row, kNoSize);
    const std::optional<int64_t> size =
        recorded != kNoSize ? std::optional(recorded) : SizeInCopyDetails(details);
    if (size) sum.bytes += *size, sum.timed += e.length(), ++sum.known;
  }
  std::array<CopySum, kDirections * kMemories> Take() { return std::exchange(sums_, {}); }

 private:
  const StatTable& stats_;
  RunReader<int64_t> bytes_;
  RunReader<StringId> details_;
  const std::vector<CopyKind>& kinds_;  // by MetaId
  std::array<CopySum, kDirections * kMemories> sums_;
};

std::vector<ColumnDesc> CopyColumns() {
  using V = ValueType;
  return {{"host", "Host", Unit::kNone, V::kString, ""},
          {"device", "Device", Unit::kNone, V::kString, ""},
          {"direction", "Direction", Unit::kNone, V::kString, "by the event's name"},
          {"memory", "Host memory", Unit::kNone, V::kString,
           "pinned or pageable, where the recording tells"},
          {"count", "Count", Unit::kCount, V::kInt, ""},
          {"bytes", "Bytes", Unit::kBytes, V::kInt, "of the copies whose size is recorded"},
          {"timeMs", "Time", Unit::kMs, V::kReal, "sum of durations"},
          {"gbPerS", "GB/s", Unit::kNone, V::kReal,
           "bytes / time of the copies whose size is recorded; 10^9 bytes"}};
}

}  // namespace

std::optional<int64_t> SizeInCopyDetails(std::string_view details) {
  constexpr std::string_view kKey = "size:";
  const size_t at = details.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t size = 0;
  const char* begin = details.data() + at + kKey.size();
  const auto [end, error] = std::from_chars(begin, details.data() + details.size(), size);
  if (error != std::errc() || end == begin) return std::nullopt;
  return size;
}

ResultTable CopyTable(AnalysisContext& context, const DeviceEvents& events) {
  ResultTable t{"copies", "Copies", CopyColumns()};
  const StatTable& stats = context.stats();
  const std::vector<CopyKind> kinds = KindsByMeta(context.trace().names());
  AppendDevices(events, &t, [&](PlaneId device, ResultTable* of_device) {
    CopyCollector collector(stats, kinds);
    events.ForEach(device, [&](const DeviceEvent& e) { collector.Add(e); });
    auto sums = collector.Take();
    for (size_t i = 0; i < sums.size(); ++i) {
      CopySum& s = sums[(i + kMemories) % sums.size()];  // unknown directions last
      if (s.rows.empty()) continue;
      const size_t kind = (i + kMemories) % sums.size();
      const double seconds = static_cast<double>(s.timed) / static_cast<double>(kPsPerS);
      of_device->AddRow(
          {events.HostOf(device), events.NameOf(device),
           SharedText(kDirectionNames[kind / kMemories]),
           SharedText(kMemoryNames[kind % kMemories]), static_cast<int64_t>(s.rows.size()),
           s.known > 0 ? Value(s.bytes) : Value(), InMs(s.time),
           s.known > 0 ? Value(static_cast<double>(s.bytes) / 1e9 / seconds) : Value()});
      of_device->links.push_back(LinkTo(EventRows(std::move(s.rows))));
    }
  });
  return t;
}

}  // namespace stepscope
