#include "loaders/perfetto/annotation_source.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "loaders/perfetto/event_reader.h"
#include "loaders/workers.h"
#include "model/base/sort_runs.h"
#include "model/base/task.h"
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
    {"registers_per_thread", IntStat::kRegisters},
    {"shared memory", IntStat::kStaticShared},
    {"shared_mem_dynamic", IntStat::kDynamicShared},
    {"shared_mem_static", IntStat::kStaticShared},
    {"step_num", IntStat::kStepNum},
};

using Value = std::variant<int64_t, uint64_t, double, std::string_view>;

// Calls fn(name, value) for what annotations hold; names of those inside others are "outer.inner".
template <typename Fn>
class AnnotationReader {
 public:
  AnnotationReader(const Interned* interned, const StringPool& strings, Fn fn)
      : interned_(interned), strings_(strings), fn_(fn) {}

  void Read(const Field& message, const std::string& prefix, int depth) {
    xplane::FieldReader reader(message.begin, message.end);
    Field f;
    std::string_view name;
    std::optional<Value> value;
    std::vector<Field> inner;
    while (reader.Next(&f)) {
      if (f.number == 1) name = Known(f.value, true);
      if (f.number == 10 && f.wire == xplane::kLen) name = f.text();
      if ((f.number == 11 || f.number == 12) && f.wire == xplane::kLen) inner.push_back(f);
      SetValue(f, &value);
    }
    if (prefix.empty() && inner.empty()) {
      if (value) fn_(name, *value);
      return;
    }
    const std::string path = prefix + std::string(name);
    if (value) fn_(path, *value);
    for (size_t i = 0; i < inner.size() && depth < kMostDepth; ++i) {
      const bool list = inner[i].number == 12;
      Read(inner[i], path + (list ? "[" + std::to_string(i) + "]" : "."), depth + 1);
    }
  }

 private:
  std::string_view Known(uint64_t iid, bool name) const {
    if (interned_ == nullptr) return {};
    const StringId id = (name ? interned_->annotations : interned_->texts).Find(iid);
    return id.valid() ? strings_.View(id) : std::string_view();
  }

  void SetValue(const Field& f, std::optional<Value>* value) const {
    switch (f.number) {
      case 2:
        *value = std::string_view(f.value != 0 ? "true" : "false");
        break;
      case 3:
      case 7:
        *value = f.value;
        break;
      case 4:
        *value = f.Int();
        break;
      case 5:
        *value = f.Double();
        break;
      case 6:
      case 9:
        if (f.wire == xplane::kLen) *value = f.text();
        break;
      case 17:
        *value = Known(f.value, false);
        break;
      default:
        break;
    }
  }

  const Interned* interned_;
  const StringPool& strings_;
  Fn fn_;
};

// The three numbers of a grid.
template <typename Fn>
void ReadDim(const Field& message, const char* name, Fn fn) {
  xplane::FieldReader reader(message.begin, message.end);
  Field f;
  while (reader.Next(&f)) {
    if (f.number >= 1 && f.number <= 3 && f.wire == xplane::kVarint)
      fn(std::string(name) + "." + "xyz"[f.number - 1], Value(f.Int()));
  }
}

// What GPU profilers say of one piece of work, and of the kernel that it runs.
template <typename Fn>
class StageReader {
 public:
  StageReader(const Interned* interned, const StringPool& strings, Fn fn)
      : interned_(interned), strings_(strings), fn_(fn) {}

  void Read(const Field& message) {
    ForFields(message, [&](const Field& f) {
      if (f.number == 10) fn_("submission_id", Value(f.Int()));
      if (f.number == 19 && interned_ != nullptr) ReadKernel(f.value);
      if (f.number == 6 && f.wire == xplane::kLen) ReadExtra(f);
      if (f.number == 21 && f.wire == xplane::kLen) ReadLaunch(f);
    });
  }

 private:
  void ReadExtra(const Field& message) {
    std::string_view name, value;
    ForFields(message, [&](const Field& f) {
      if (f.wire == xplane::kLen && f.number == 1) name = f.text();
      if (f.wire == xplane::kLen && f.number == 2) value = f.text();
    });
    if (!name.empty()) fn_(name, Value(value));
  }

  void ReadLaunch(const Field& message) {
    ForFields(message, [&](const Field& f) {
      if (f.wire != xplane::kLen) return;
      if (f.number == 1 || f.number == 2) ReadDim(f, f.number == 1 ? "grid" : "block", fn_);
      if (f.number == 3) ReadArgument(f);
    });
  }

  void ReadKernel(uint64_t iid) {
    const auto kernel = interned_->kernels.find(iid);
    if (kernel == interned_->kernels.end()) return;
    const auto say = [&](const char* name, StringId text) {
      if (text.value != 0) fn_(name, Value(strings_.View(text)));
    };
    say("kernel", kernel->second.name);
    say("demangled", kernel->second.readable);
    say("arch", kernel->second.arch);
    for (const StringId argument : kernel->second.arguments) {
      const std::string_view bytes = strings_.View(argument);
      Field message;
      message.begin = reinterpret_cast<xplane::Bytes>(bytes.data());
      message.end = message.begin + bytes.size();
      ReadArgument(message);
    }
  }

  std::string_view Known(const InternedNames Interned::*names, uint64_t iid) const {
    const StringId id = interned_ == nullptr ? StringId() : (interned_->*names).Find(iid);
    return id.valid() ? strings_.View(id) : std::string_view();
  }

  void ReadArgument(const Field& message) {
    std::string_view name;
    std::optional<Value> value;
    ForFields(message, [&](const Field& f) {
      const bool text = f.wire == xplane::kLen;
      if (f.number == 1) name = Known(&Interned::kernel_arguments, f.value);
      if (f.number == 2 && text) name = f.text();
      if (f.number == 3) value = f.Int();
      if (f.number == 4) value = f.value;
      if (f.number == 5) value = f.Double();
      if (f.number == 6 && text) value = f.text();
      if (f.number == 7) value = Known(&Interned::texts, f.value);
    });
    if (value && !name.empty()) fn_(name, *value);
  }

  const Interned* interned_;
  const StringPool& strings_;
  Fn fn_;
};

template <typename Fn>
void ReadArguments(std::string_view bytes, uint64_t ref, const SourceFile& file,
                   const StringPool& strings, Fn fn) {
  Packet packet;
  ReadPacketFields(bytes, &packet);
  const Interned* interned =
      file.history->At(packet.sequence, ref, ref < file.bytes->source->size());
  if (packet.stage.begin != nullptr) StageReader<Fn>(interned, strings, fn).Read(packet.stage);
  if (packet.event.begin == nullptr) return;
  AnnotationReader<Fn> annotations(interned, strings, fn);
  xplane::FieldReader reader(packet.event.begin, packet.event.end);
  Field f;
  while (reader.Next(&f)) {
    if (f.number == 4 && f.wire == xplane::kLen) annotations.Read(f, "", 0);
  }
}

Stat StatOf(std::string_view name, const Value& value) {
  Stat stat{std::string(name), std::string()};
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    stat.value = std::string(*text);
  } else if (const auto* i = std::get_if<int64_t>(&value)) {
    stat.value = *i;
  } else if (const auto* u = std::get_if<uint64_t>(&value)) {
    stat.value = *u;
  } else {
    stat.value = std::get<double>(value);
  }
  return stat;
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

std::optional<int64_t> WholeOf(const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&value)) return static_cast<int64_t>(*u);
  return std::nullopt;
}

using RowValue = std::pair<uint32_t, int64_t>;
using Values = std::array<std::vector<RowValue>, static_cast<size_t>(IntStat::kCount)>;
using RefRow = std::pair<uint64_t, uint32_t>;

// Where the end of the slice at `ref` lies if it has arguments; ~0 if not.
uint64_t EndOf(const EndArguments& ends, uint64_t ref) {
  const auto it = std::lower_bound(ends.begin(), ends.end(), std::pair(ref, uint64_t{0}));
  return it == ends.end() || it->first != ref ? ~uint64_t{0} : it->second;
}

// One value a row, the least: two names of one thing are rare.
void FillColumn(std::vector<RowValue> values, uint32_t rows, SparseColumn<int64_t>* column) {
  std::vector<uint32_t> at;
  std::vector<int64_t> numbers;
  const auto add = [&](uint32_t row, int64_t value) {
    at.push_back(row);
    numbers.push_back(value);
  };
  if (values.size() > rows / 8) {
    std::vector<int64_t> dense(rows);
    std::vector<bool> has(rows);
    for (const auto& [row, value] : values) {
      dense[row] = has[row] ? std::min(dense[row], value) : value;
      has[row] = true;
    }
    values = {};
    for (uint32_t row = 0; row < rows; ++row) {
      if (has[row]) add(row, dense[row]);
    }
  } else {
    std::sort(values.begin(), values.end());
    for (const auto& [row, value] : values) {
      if (at.empty() || at.back() != row) add(row, value);
    }
  }
  column->Append(at, numbers);
}

class AnnotationSource final : public StatSource {
 public:
  explicit AnnotationSource(std::vector<SourceFile> files) : files_(std::move(files)) {}

  // What the end of a slice says goes before what its begin says.
  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    std::vector<Stat> stats;
    const LaneId id = trace.set.LaneOf(row);
    if (id.value >= trace.set.lanes.size()) return stats;
    const Lane& lane = trace.set.lanes[id.value];
    const uint32_t source = trace.set.tracks[lane.track.value].source;
    const uint64_t ref = lane.SourceOffset(row.value - lane.first_row);
    if (source >= files_.size() || ref >= files_[source].bytes->size()) return stats;
    const SourceFile& file = files_[source];
    PacketWindow window(file.bytes.get(), kLittleWindow);
    for (const uint64_t at : {ref, EndOf(*file.end_arguments, ref)}) {
      if (at == ~uint64_t{0}) continue;
      const Result<std::string_view> packet = window.At(at);
      if (!packet.ok()) return packet.status();
      const size_t begins = stats.size();
      ReadArguments(
          *packet, at, file, trace.names().strings, [&](std::string_view name, const Value& value) {
            const auto same = std::find_if(stats.begin(), stats.begin() + static_cast<long>(begins),
                                           [&](const Stat& s) { return s.name == name; });
            if (same != stats.begin() + static_cast<long>(begins)) {
              *same = StatOf(name, value);
            } else {
              stats.push_back(StatOf(name, value));
            }
          });
    }
    return stats;
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override {
    Values values;
    for (uint32_t f = 0; f < files_.size(); ++f) {
      if (Status s = ReadFile(trace, f, stop, &values); !s.ok()) return s;
    }
    auto table = std::make_shared<StatTable>();
    ParallelFor(values.size(), [&](size_t s) {
      if (!values[s].empty() && !stop.stop_requested())
        FillColumn(std::move(values[s]), trace.set.rows, &table->ints[s]);
    });
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
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
  static constexpr uint64_t kLittleWindow = 4096;
  static constexpr size_t kChunk = 1 << 14;  // packets that a worker reads one behind the other

  // The packets of the file's events, and of ends with arguments, in order of the file.
  std::vector<RefRow> RefsOf(const Trace& trace, uint32_t index,
                             const std::stop_token& stop) const {
    std::vector<RefRow> refs;
    for (const Lane& lane : trace.set.lanes) {
      if (trace.set.tracks[lane.track.value].source != index) continue;
      for (uint32_t i = 0; i < lane.size(); ++i) {
        const uint64_t ref = lane.SourceOffset(i);
        if (ref < files_[index].bytes->size()) refs.emplace_back(ref, lane.first_row + i);
      }
    }
    SortRuns(refs.begin(), refs.end(), std::less<RefRow>(), stop);
    const EndArguments& ends = *files_[index].end_arguments;
    const auto begins = static_cast<std::ptrdiff_t>(refs.size());
    auto end = ends.begin();
    for (std::ptrdiff_t i = 0; i < begins && end != ends.end(); ++i) {
      const RefRow begin = refs[static_cast<size_t>(i)];
      while (end != ends.end() && end->first < begin.first) ++end;
      if (end != ends.end() && end->first == begin.first)
        refs.emplace_back(end->second, begin.second);
    }
    std::sort(refs.begin() + begins, refs.end());
    std::inplace_merge(refs.begin(), refs.begin() + begins, refs.end());
    return refs;
  }

  Status ReadChunk(const Trace& trace, const SourceFile& file, std::span<const RefRow> refs,
                   Values* values) const {
    PacketWindow window(file.bytes.get(), PacketStream::kBatchBytes);
    for (const auto& [ref, row] : refs) {
      const Result<std::string_view> packet = window.At(ref);
      if (!packet.ok()) return packet.status();
      ReadArguments(*packet, ref, file, trace.names().strings,
                    [&, to = row](std::string_view name, const Value& value) {
                      const auto whole = WholeOf(value);
                      const auto known = whole ? KnownStat(name) : std::nullopt;
                      if (known) (*values)[static_cast<size_t>(*known)].emplace_back(to, *whole);
                    });
    }
    return {};
  }

  // In parallel; the order of the values is any.
  Status ReadFile(const Trace& trace, uint32_t index, const std::stop_token& stop,
                  Values* values) const {
    const std::vector<RefRow> refs = RefsOf(trace, index, stop);
    Pool<Values> pool;
    FirstError error;
    std::mutex mutex;
    ParallelFor((refs.size() + kChunk - 1) / kChunk, [&](size_t chunk) {
      if (error.any() || stop.stop_requested()) return;
      std::unique_ptr<Values> own = pool.Take();
      const size_t begin = chunk * kChunk, n = std::min(kChunk, refs.size() - begin);
      error.Set(ReadChunk(trace, files_[index], std::span(refs).subspan(begin, n), own.get()));
      const std::lock_guard lock(mutex);
      for (size_t s = 0; s < values->size(); ++s) {
        (*values)[s].insert((*values)[s].end(), (*own)[s].begin(), (*own)[s].end());
        (*own)[s].clear();
      }
      pool.Give(std::move(own));
    });
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    return error.Take();
  }

  std::vector<SourceFile> files_;
};

}  // namespace

std::shared_ptr<const StatSource> MakeAnnotationSource(std::vector<SourceFile> files) {
  return std::make_shared<AnnotationSource>(std::move(files));
}

}  // namespace stepscope::perfetto
