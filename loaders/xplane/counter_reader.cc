#include "loaders/xplane/counter_reader.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/xplane/scan/xstat.h"
#include "model/base/sort_runs.h"

namespace stepscope::xplane {
namespace {

constexpr size_t kStopEveryItems = 4096;  // events, stats or series

// The metadata of a stat. Its id counts within a message of the plane.
struct StatKey {
  const PlaneTables* tables;
  int64_t id;
  std::pair<uint64_t, int64_t> order() const { return {tables->begin, id}; }
};

// A sample of the series of one event name and stat.
struct Sample {
  uint32_t meta;
  StatKey stat;
  Ps time;
  double value;
  auto series() const { return std::pair(meta, stat.order()); }
};

// Gives one key to each stat name: the key in the message that has it first.
class StatKeys {
 public:
  explicit StatKeys(const PlaneParts& plane) : plane_(plane) {}
  StatKey At(uint64_t offset, int64_t id) {
    const StatKey key{&TablesAt(plane_, offset), id};
    if (plane_.size() == 1) return key;
    const std::string* name = key.tables->StatName(id);
    return name == nullptr ? key : first_.try_emplace(*name, key).first->second;
  }

 private:
  const PlaneParts& plane_;
  std::unordered_map<std::string, StatKey> first_;
};

void ReadEvent(WindowReader* reader, uint64_t at, Ps time, uint32_t meta, StatKeys* keys,
               std::vector<Sample>* samples, XspaceDiagnostics* diagnostics,
               const std::stop_token& stop) {
  SourceField event;
  if (!MessageAt(reader, at, &event)) return;
  SourceFieldReader fields(reader, event.begin, event.end);
  SourceField f;
  bool any = false;
  for (size_t n = 1; fields.Next(&f); ++n) {
    if (n % kStopEveryItems == 0 && stop.stop_requested()) return;
    if (f.number != 4 || f.wire != proto::kLen || f.size() > kMaxStatBytes) continue;
    const std::string_view bytes = reader->Fetch(f.begin, static_cast<size_t>(f.size()));
    const XStat stat = ReadXStat(bytes);
    if (const std::optional<double> value = NumberOf(stat)) {
      samples->push_back({meta, keys->At(at, stat.id), time, *value});
      any = true;
    }
  }
  if (!any) diagnostics->Count(XspaceDiagnostic::kBadCounter, at);
}

// `several`: the event has other series, so the stat's name is needed to tell them apart.
std::string SeriesName(const Sample& sample, bool several, const NameTable& names) {
  std::string name(names.DisplayName(MetaId(sample.meta)));
  const std::string* stat = sample.stat.tables->StatName(sample.stat.id);
  if ((several || name.empty()) && stat != nullptr) name += (name.empty() ? "" : ": ") + *stat;
  return name;
}

CounterSeries MakeSeries(StringId name, std::span<const Sample> samples) {
  CounterSeries series;
  series.name = name;
  series.min = series.max = samples.front().value;
  series.time.reserve(samples.size());
  series.value.reserve(samples.size());
  for (const Sample& sample : samples) {
    series.time.push_back(sample.time);
    series.value.push_back(sample.value);
    series.min = std::min(series.min, sample.value);
    series.max = std::max(series.max, sample.value);
  }
  return series;
}

}  // namespace

Status ReadCounters(const ByteSource& source, const PlaneParts& plane, NameTable* names,
                    TrackData* data, XspaceDiagnostics* diagnostics, const std::stop_token& stop) {
  WindowReader reader(source);
  StatKeys keys(plane);
  std::vector<Sample> samples;
  for (const RawEvents* events : {&data->slices, &data->instants}) {
    for (size_t i = 0; i < events->start.size(); ++i) {
      if (i % kStopEveryItems == 0 && stop.stop_requested())
        return {ErrorCode::kCancelled, "cancelled"};
      const uint64_t at =
          events->wide_ref.empty() ? events->ref_base + events->ref[i] : events->wide_ref[i];
      ReadEvent(&reader, at, events->start[i], events->meta[i], &keys, &samples, diagnostics, stop);
    }
  }
  const auto before = [](const Sample& a, const Sample& b) {
    return std::tuple(a.series(), a.time) < std::tuple(b.series(), b.time);
  };
  SortRuns(samples.begin(), samples.end(), before, stop);
  const std::span<const Sample> all(samples);
  for (size_t first = 0, number = 0; first < all.size(); ++number) {
    if (number % kStopEveryItems == 0 && stop.stop_requested())
      return {ErrorCode::kCancelled, "cancelled"};
    size_t last = first + 1;
    while (last < all.size() && all[last].series() == all[first].series()) ++last;
    const bool several = (first > 0 && all[first - 1].meta == all[first].meta) ||
                         (last < all.size() && all[last].meta == all[first].meta);
    const StringId name = names->strings.Intern(SeriesName(all[first], several, *names));
    data->track.counters.push_back(MakeSeries(name, all.subspan(first, last - first)));
    first = last;
  }
  return reader.status();
}

}  // namespace stepscope::xplane
