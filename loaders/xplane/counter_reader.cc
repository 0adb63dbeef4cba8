#include "loaders/xplane/counter_reader.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "loaders/xplane/xplane.pb.h"

namespace stepscope::xplane {
namespace {

std::optional<double> Number(const pb::XStat& s) {
  switch (s.value_case()) {
    case pb::XStat::kDoubleValue:
      return s.double_value();
    case pb::XStat::kUint64Value:
      return static_cast<double>(s.uint64_value());
    case pb::XStat::kInt64Value:
      return static_cast<double>(s.int64_value());
    default:
      return std::nullopt;
  }
}

// Samples by (event name, stat); the stat tells series of one event apart.
using Samples = std::map<std::pair<uint32_t, int64_t>, std::vector<std::pair<Ps, double>>>;

void ReadEvent(WindowReader* reader, uint64_t at, Ps time, uint32_t meta, Samples* samples,
               Issues* issues) {
  SourceField event;
  if (!MessageAt(reader, at, &event)) return;
  SourceFieldReader fields(reader, event.begin, event.end);
  SourceField f;
  bool any = false;
  pb::XStat stat;
  while (fields.Next(&f)) {
    if (f.number != 4 || f.wire != kLen || f.size() > kMaxStatBytes) continue;
    const std::string_view bytes = reader->Fetch(f.begin, static_cast<size_t>(f.size()));
    (void)stat.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (const std::optional<double> value = Number(stat)) {
      (*samples)[{meta, stat.metadata_id()}].emplace_back(time, *value);
      any = true;
    }
  }
  if (!any) issues->Count(Issue::kBadCounter, at);
}

}  // namespace

Status ReadCounters(const ByteSource& source, const PlaneTables& tables, NameTable* names,
                    TrackData* data, Issues* issues) {
  WindowReader reader(source);
  Samples samples;
  for (const RawEvents* events : {&data->slices, &data->instants}) {
    for (size_t i = 0; i < events->start.size(); ++i) {
      const uint64_t at =
          events->wide_ref.empty() ? events->ref_base + events->ref[i] : events->wide_ref[i];
      ReadEvent(&reader, at, events->start[i], events->meta[i], &samples, issues);
    }
  }
  for (auto it = samples.begin(); it != samples.end(); ++it) {
    auto& [key, points] = *it;
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string name(names->DisplayName(MetaId(key.first)));
    const bool shared = (it != samples.begin() && std::prev(it)->first.first == key.first) ||
                        (std::next(it) != samples.end() && std::next(it)->first.first == key.first);
    const std::string* stat = tables.StatName(key.second);
    if ((shared || name.empty()) && stat != nullptr) name += (name.empty() ? "" : ": ") + *stat;
    CounterSeries series;
    series.name = names->strings.Intern(name);
    series.min = series.max = points.front().second;
    for (const auto& [time, value] : points) {
      series.time.push_back(time);
      series.value.push_back(value);
      series.min = std::min(series.min, value);
      series.max = std::max(series.max, value);
    }
    data->track.counters.push_back(std::move(series));
  }
  return reader.status();
}

}  // namespace stepscope::xplane
