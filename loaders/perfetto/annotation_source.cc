#include "loaders/perfetto/annotation_source.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <variant>

#include "loaders/perfetto/annotation_reader.h"
#include "loaders/perfetto/typed_arguments.h"
#include "loaders/workers.h"
#include "model/base/sort_runs.h"
#include "model/base/task.h"
#include "model/trace.h"

namespace stepscope::perfetto {
namespace {

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

using RowValue = std::pair<uint32_t, int64_t>;
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
    TypedValues values;
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
                   TypedValues* values) const {
    PacketWindow window(file.bytes.get(), PacketStream::kBatchBytes);
    TypedArguments reader(file, trace.names().strings);
    for (const auto& [ref, row] : refs) {
      const Result<std::string_view> packet = window.At(ref);
      if (!packet.ok()) return packet.status();
      reader.Read(*packet, ref, row, values);
    }
    return {};
  }

  // In parallel; the order of the values is any.
  Status ReadFile(const Trace& trace, uint32_t index, const std::stop_token& stop,
                  TypedValues* values) const {
    const std::vector<RefRow> refs = RefsOf(trace, index, stop);
    Pool<TypedValues> pool;
    FirstError error;
    std::mutex mutex;
    ParallelFor((refs.size() + kChunk - 1) / kChunk, [&](size_t chunk) {
      if (error.any() || stop.stop_requested()) return;
      std::unique_ptr<TypedValues> own = pool.Take();
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
