#include "loaders/perfetto/annotation_source.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "loaders/perfetto/event_reader.h"
#include "model/trace.h"

namespace stepscope::perfetto {
namespace {

constexpr int kMostDepth = 16;

// Names of arguments that analyses know, as PyTorch and ROCm's profilers write them. Sorted.
constexpr std::pair<std::string_view, IntStat> kKnown[] = {
    {"External id", IntStat::kExternalId},
    {"bytes", IntStat::kBytes},
    {"copy_bytes", IntStat::kBytes},
    {"corr_id", IntStat::kCorrelationId},
    {"correlation", IntStat::kCorrelationId},
    {"device", IntStat::kDeviceId},
    {"dynamic shared memory", IntStat::kDynamicShared},
    {"registers per thread", IntStat::kRegisters},
    {"shared memory", IntStat::kStaticShared},
    {"step_num", IntStat::kStepNum},
};

class AnnotationReader {
 public:
  AnnotationReader(const Interned* interned, const StringPool& strings, std::vector<Stat>* out)
      : interned_(interned), strings_(strings), out_(*out) {}

  void Read(const Field& message, const std::string& prefix, int depth) {
    xplane::FieldReader reader(message.begin, message.end);
    Field f;
    Stat stat{prefix, std::string()};
    bool has = false;
    std::vector<Field> inner;
    while (reader.Next(&f)) {
      if (f.number == 1) stat.name = prefix + Known(f.value, true);
      if (f.number == 10 && f.wire == xplane::kLen) stat.name = prefix + std::string(f.text());
      if ((f.number == 11 || f.number == 12) && f.wire == xplane::kLen) inner.push_back(f);
      has = Value(f, &stat) || has;
    }
    if (has) out_.push_back(stat);
    for (size_t i = 0; i < inner.size() && depth < kMostDepth; ++i) {
      const bool list = inner[i].number == 12;
      Read(inner[i], stat.name + (list ? "[" + std::to_string(i) + "]" : "."), depth + 1);
    }
  }

 private:
  std::string Known(uint64_t iid, bool name) const {
    if (interned_ == nullptr) return {};
    const StringId id = (name ? interned_->annotations : interned_->texts).Find(iid);
    return id.valid() ? std::string(strings_.View(id)) : std::string();
  }

  bool Value(const Field& f, Stat* stat) const {
    switch (f.number) {
      case 2:
        stat->value = std::string(f.value != 0 ? "true" : "false");
        return true;
      case 3:
      case 7:
        stat->value = f.value;
        return true;
      case 4:
        stat->value = f.Int();
        return true;
      case 5:
        stat->value = f.Double();
        return true;
      case 6:
      case 9:
        if (f.wire != xplane::kLen) return false;
        stat->value = std::string(f.text());
        return true;
      case 17:
        stat->value = Known(f.value, false);
        return true;
      default:
        return false;
    }
  }

  const Interned* interned_;
  const StringPool& strings_;
  std::vector<Stat>& out_;
};

// The three numbers of a grid.
void ReadDim(const Field& message, const char* name, std::vector<Stat>* out) {
  xplane::FieldReader reader(message.begin, message.end);
  Field f;
  while (reader.Next(&f)) {
    if (f.number >= 1 && f.number <= 3 && f.wire == xplane::kVarint)
      out->push_back({std::string(name) + "." + "xyz"[f.number - 1], f.Int()});
  }
}

void ReadStage(const Field& message, std::vector<Stat>* out) {
  xplane::FieldReader reader(message.begin, message.end);
  Field f;
  while (reader.Next(&f)) {
    if (f.number == 10) out->push_back({"submission_id", f.Int()});
    if (f.wire != xplane::kLen || (f.number != 6 && f.number != 21)) continue;
    xplane::FieldReader inner(f.begin, f.end);
    Field part;
    Stat extra{"", std::string()};
    while (inner.Next(&part)) {
      if (part.wire != xplane::kLen) continue;
      if (f.number == 21 && part.number <= 2)
        ReadDim(part, part.number == 1 ? "grid" : "block", out);
      if (f.number == 6 && part.number == 1) extra.name = part.text();
      if (f.number == 6 && part.number == 2) extra.value = std::string(part.text());
    }
    if (!extra.name.empty()) out->push_back(extra);
  }
}

void ReadArguments(std::string_view bytes, uint64_t ref, const SourceFile& file,
                   const StringPool& strings, std::vector<Stat>* out) {
  Packet packet;
  ReadPacketFields(bytes, &packet);
  const Interned* interned =
      file.history->At(packet.sequence, ref, ref < file.bytes->source->size());
  if (packet.stage.begin != nullptr) ReadStage(packet.stage, out);
  if (packet.event.begin == nullptr) return;
  AnnotationReader annotations(interned, strings, out);
  xplane::FieldReader reader(packet.event.begin, packet.event.end);
  Field f;
  while (reader.Next(&f)) {
    if (f.number == 4 && f.wire == xplane::kLen) annotations.Read(f, "", 0);
  }
}

std::optional<IntStat> KnownStat(std::string_view name) {
  const auto* it =
      std::lower_bound(std::begin(kKnown), std::end(kKnown), name,
                       [](const auto& row, std::string_view n) { return row.first < n; });
  if (it != std::end(kKnown) && it->first == name) return it->second;
  constexpr std::pair<std::string_view, IntStat> kDims[] = {
      {"grid.x", IntStat::kGridX},   {"grid.y", IntStat::kGridY},   {"grid.z", IntStat::kGridZ},
      {"block.x", IntStat::kBlockX}, {"block.y", IntStat::kBlockY}, {"block.z", IntStat::kBlockZ}};
  for (const auto& [dim, stat] : kDims) {
    if (dim == name) return stat;
  }
  return std::nullopt;
}

using Values =
    std::array<std::vector<std::pair<uint32_t, int64_t>>, static_cast<size_t>(IntStat::kCount)>;

std::optional<int64_t> WholeOf(const Stat& stat) {
  if (const auto* i = std::get_if<int64_t>(&stat.value)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&stat.value)) return static_cast<int64_t>(*u);
  return std::nullopt;
}

class AnnotationSource final : public StatSource {
 public:
  explicit AnnotationSource(std::vector<SourceFile> files) : files_(std::move(files)) {}

  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    std::vector<Stat> stats;
    const LaneId id = trace.set.LaneOf(row);
    if (id.value >= trace.set.lanes.size()) return stats;
    const Lane& lane = trace.set.lanes[id.value];
    const uint32_t source = trace.set.tracks[lane.track.value].source;
    const uint64_t ref = lane.SourceOffset(row.value - lane.first_row);
    if (source >= files_.size() || ref >= files_[source].bytes->size()) return stats;
    const Result<std::string> packet = ReadPacket(*files_[source].bytes, ref);
    if (!packet.ok()) return packet.status();
    ReadArguments(*packet, ref, files_[source], trace.names().strings, &stats);
    return stats;
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override {
    Values values;
    for (uint32_t f = 0; f < files_.size(); ++f) {
      if (Status s = ReadFile(trace, f, stop, &values); !s.ok()) return s;
    }
    auto table = std::make_shared<StatTable>();
    for (size_t s = 0; s < values.size(); ++s) {
      std::sort(values[s].begin(), values[s].end());
      std::vector<uint32_t> rows;
      std::vector<int64_t> numbers;
      for (const auto& [row, value] : values[s]) {
        if (!rows.empty() && rows.back() == row) continue;  // two names of one thing
        rows.push_back(row);
        numbers.push_back(value);
      }
      values[s] = {};
      table->ints[s].Append(rows, numbers);
    }
    table->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(table));
  }

  size_t resident_bytes() const override {
    size_t bytes = 0;
    for (const SourceFile& file : files_)
      bytes += file.bytes->source->bytes().size() + file.bytes->inflated.size();
    return bytes;
  }

 private:
  // Goes through the packets beside the events that they made, both in order.
  Status ReadFile(const Trace& trace, uint32_t index, const std::stop_token& stop,
                  Values* values) const {
    const SourceFile& file = files_[index];
    std::unordered_map<uint64_t, uint32_t> rows;  // by reference
    for (const Lane& lane : trace.set.lanes) {
      if (trace.set.tracks[lane.track.value].source != index) continue;
      for (uint32_t i = 0; i < lane.size(); ++i) {
        if (lane.SourceOffset(i) != ~uint64_t{0})
          rows.emplace(lane.SourceOffset(i), lane.first_row + i);
      }
    }
    PacketStream stream(file.bytes.get(), 0, false);
    std::string_view packet;
    std::vector<Stat> stats;
    uint64_t ref = 0, packets = 0;
    while (stream.Next(&packet, &ref)) {
      if (++packets % 4096 == 0 && stop.stop_requested()) break;
      const auto row = rows.find(ref);
      if (row == rows.end()) continue;
      stats.clear();
      ReadArguments(packet, ref, file, trace.names().strings, &stats);
      for (const Stat& stat : stats) {
        const auto known = KnownStat(stat.name);
        const auto value = WholeOf(stat);
        if (known && value)
          (*values)[static_cast<size_t>(*known)].emplace_back(row->second, *value);
      }
    }
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    return stream.status();
  }

  std::vector<SourceFile> files_;
};

}  // namespace

std::shared_ptr<const StatSource> MakeAnnotationSource(std::vector<SourceFile> files) {
  return std::make_shared<AnnotationSource>(std::move(files));
}

}  // namespace stepscope::perfetto
