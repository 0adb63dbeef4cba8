#include "loaders/perfetto/annotation_source.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <variant>

#include "loaders/common/first_error.h"
#include "loaders/common/row_values.h"
#include "loaders/perfetto/annotation_reader.h"
#include "loaders/perfetto/typed_arguments.h"
#include "model/base/job.h"
#include "model/base/sort_runs.h"
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

using RefRow = std::pair<uint64_t, uint32_t>;

// The reference of the end of the slice at `ref`, if that end has arguments; else ~0.
uint64_t EndOf(const EndArguments& ends, uint64_t ref) {
  const auto it = std::lower_bound(ends.begin(), ends.end(), std::pair(ref, uint64_t{0}));
  return it == ends.end() || it->first != ref ? ~uint64_t{0} : it->second;
}

class AnnotationSource final : public StatSource {
 public:
  explicit AnnotationSource(std::vector<SourceFile> files) : files_(std::move(files)) {}

  // Where begin and end of a slice have an argument of one name, the end's counts.
  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    std::vector<Stat> stats;
    const auto place = RefOfRow(trace, row);
    if (!place || place->source >= files_.size()) return stats;
    const SourceFile& file = files_[place->source];
    const uint64_t ref = place->ref;
    if (ref >= file.bytes->size()) return stats;
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
    RowValues values;
    for (uint32_t f = 0; f < files_.size(); ++f) {
      if (Status s = ReadFile(trace, f, stop, &values); !s.ok()) return s;
    }
    return TableOf(std::move(values), trace.set.rows, stop);
  }

  size_t resident_bytes() const override {
    size_t bytes = 0;
    for (const SourceFile& file : files_)
      bytes += file.bytes->source->bytes().size() + file.bytes->inflated.size();
    return bytes;
  }

 private:
  static constexpr uint64_t kLittleWindow = 4096;
  static constexpr size_t kChunk = 1 << 14;  // packets that a worker reads one after the other

  // References and rows of the file's events, and of ends with arguments, in order of the file.
  std::vector<RefRow> RefsOf(const Trace& trace, uint32_t index,
                             const std::stop_token& stop) const {
    std::vector<RefRow> refs;
    const uint64_t size = files_[index].bytes->size();
    ForRefs(trace, index, [&](uint64_t ref, uint32_t row) {
      if (ref < size) refs.emplace_back(ref, row);
    });
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
                   RowValues* values) const {
    PacketWindow window(file.bytes.get(), PacketStream::kBatchBytes);
    TypedArguments reader(file, trace.names().strings);
    for (const auto& [ref, row] : refs) {
      const Result<std::string_view> packet = window.At(ref);
      if (!packet.ok()) return packet.status();
      reader.Read(*packet, ref, row, values);
    }
    return {};
  }

  // Reads the file's typed arguments on all cores; values come in any order.
  Status ReadFile(const Trace& trace, uint32_t index, const std::stop_token& stop,
                  RowValues* values) const {
    const std::vector<RefRow> refs = RefsOf(trace, index, stop);
    Reused<RowValues> pool;
    FirstError error;
    std::mutex mutex;
    ParallelFor((refs.size() + kChunk - 1) / kChunk, [&](size_t chunk) {
      if (error.any() || stop.stop_requested()) return;
      std::unique_ptr<RowValues> own = pool.Take();
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
