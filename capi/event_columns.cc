#include "capi/event_columns.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capi/arrow_table.h"
#include "model/jobs/job.h"
#include "model/query/event_args.h"
#include "model/query/self_times.h"
#include "model/query/time_order.h"

namespace stepscope {
namespace {

constexpr size_t kBatchEvents = size_t{1} << 17;
constexpr size_t kArgsBatchEvents = size_t{1} << 13;
constexpr size_t kSamplesPerBatch = 64;

// The texts of numbers, such as the names of MetaIds. The column has each used text once.
class Dictionary {
 public:
  explicit Dictionary(size_t numbers) : index_(numbers, kUnused) {}
  void Use(uint32_t number) { index_[number] = kUsed; }
  // Builds the column from the used numbers, in their order. After that operator[] returns the
  // place of a number's text.
  template <typename TextOf>
  void Build(TextOf text_of) {
    std::unordered_map<std::string_view, int32_t> known;
    TextColumn texts;
    for (uint32_t n = 0; n < index_.size(); ++n) {
      if (index_[n] == kUnused) continue;
      const std::string_view text = text_of(n);
      const auto [at, added] = known.try_emplace(text, static_cast<int32_t>(known.size()));
      if (added) texts.Add(text);
      index_[n] = at->second;
    }
    column_ = std::make_shared<const ArrowColumn>(texts.Take());
  }
  int32_t operator[](uint32_t number) const { return index_[number]; }
  const std::shared_ptr<const ArrowColumn>& column() const { return column_; }

 private:
  static constexpr int32_t kUnused = -1, kUsed = -2;
  std::vector<int32_t> index_;
  std::shared_ptr<const ArrowColumn> column_;
};

// The events of a batch. First `name` has MetaIds and `track` lanes; Number() replaces them by
// places in the dictionaries.
struct Batch {
  size_t size = 0;
  std::shared_ptr<Ps[]> begin, dur, self;
  std::shared_ptr<int32_t[]> name, track, process, host;  // `name` has MetaIds, `track` lanes
  std::vector<EventRow> rows;                             // only for a column of arguments
  std::vector<uint8_t> metas, lanes;                      // flags: which are in use
};

size_t BatchEventsOf(const EventsQuestion& question) {
  if (question.batch_events != 0) return question.batch_events;
  return question.args ? kArgsBatchEvents : kBatchEvents;
}

// The times that separate batches. A batch has the events of all lanes between two limits: about
// `batch_events` of them, by a sample of the begins.
std::vector<Ps> LimitsOf(std::span<const LaneRange> ranges, size_t batch_events) {
  const size_t stride = std::max<size_t>(1, batch_events / kSamplesPerBatch);
  std::vector<Ps> samples;
  size_t rest = 0;
  for (const LaneRange& range : ranges) {
    size_t i = range.first + (stride - 1 - rest);
    for (; i < range.end; i += stride) samples.push_back(range.lane->start[i]);
    rest = (rest + range.end - range.first) % stride;
  }
  std::sort(samples.begin(), samples.end());
  std::vector<Ps> limits;
  for (size_t i = kSamplesPerBatch; i < samples.size(); i += kSamplesPerBatch) {
    if (limits.empty() || samples[i] > limits.back()) limits.push_back(samples[i]);
  }
  return limits;
}

// Cuts the lanes, one after the other, into batches of `events` events.
std::vector<std::vector<LaneRange>> CutLanes(std::span<const LaneRange> ranges, size_t events) {
  std::vector<std::vector<LaneRange>> batches(1);
  size_t room = events;
  for (LaneRange rest : ranges) {
    while (rest.first < rest.end) {
      const auto count = static_cast<uint32_t>(std::min<size_t>(room, rest.end - rest.first));
      batches.back().push_back({rest.lane, rest.first, rest.first + count});
      rest.first += count;
      room -= count;
      if (room > 0) continue;
      batches.emplace_back();
      room = events;
    }
  }
  return batches;
}

class EventBatches {
 public:
  explicit EventBatches(const EventsQuestion& question)
      : question_(question),
        set_(question.trace->set),
        ranges_(LanesBeginningIn(*question.trace, *question.scope)),
        limits_(LimitsOf(ranges_, BatchEventsOf(question))),
        parts_(question.by_track ? CutLanes(ranges_, BatchEventsOf(question)) : PartsInTime()),
        batches_(parts_.size()),
        names_(set_.names->metas.size() + 1),
        tracks_(set_.lanes.size()),
        processes_(set_.lanes.size()),
        hosts_(set_.lanes.size()) {}

  Result<std::shared_ptr<const ArrowTable>> Run() {
    ParallelFor(batches_.size(), [&](size_t b) { Collect(b); });
    BuildDictionaries();
    ParallelFor(batches_.size(), [&](size_t b) { Number(&batches_[b]); });
    auto table = std::make_shared<ArrowTable>();
    table->fields = Fields();
    for (Batch& batch : batches_) {
      if (batch.size == 0 && batches_.size() > 1) continue;
      table->batches.push_back(Export(batch));
      if (!question_.args) continue;
      Result<ArrowColumn> args = ArgsOf(batch.rows);
      if (!args.ok()) return args.status();
      table->batches.back().columns.push_back(std::move(args).value());
    }
    return std::shared_ptr<const ArrowTable>(std::move(table));
  }

 private:
  const Trace& trace() const { return *question_.trace; }
  bool HasHosts() const { return trace().hosts.size() > 1; }

  std::vector<std::vector<LaneRange>> PartsInTime() const {
    std::vector<std::vector<LaneRange>> parts(limits_.size() + 1);
    ParallelFor(parts.size(), [&](size_t b) { parts[b] = PartsOf(b); });
    return parts;
  }

  // The parts of the lanes that begin between two limits.
  std::vector<LaneRange> PartsOf(size_t b) const {
    std::vector<LaneRange> parts;
    for (const LaneRange& range : ranges_) {
      const auto starts = range.lane->start.begin();
      const auto place = [&](Ps limit) {
        return static_cast<uint32_t>(
            std::lower_bound(starts + range.first, starts + range.end, limit) - starts);
      };
      const uint32_t first = b == 0 ? range.first : place(limits_[b - 1]);
      const uint32_t end = b == limits_.size() ? range.end : place(limits_[b]);
      if (first < end) parts.push_back({range.lane, first, end});
    }
    return parts;
  }

  size_t CountOf(const std::vector<LaneRange>& parts) const {
    size_t count = 0;
    for (const LaneRange& range : parts) {
      if (question_.rows == nullptr) {
        count += range.end - range.first;
      } else {
        question_.rows->ForEach(range.lane->first_row + range.first,
                                range.lane->first_row + range.end, [&](uint32_t) { ++count; });
      }
    }
    return count;
  }

  static void Allocate(size_t size, Batch* batch) {
    const auto times = [size] { return std::make_shared_for_overwrite<Ps[]>(size); };
    batch->begin = times();
    batch->dur = times();
    batch->self = times();
    batch->name = std::make_shared_for_overwrite<int32_t[]>(size);
    batch->track = std::make_shared_for_overwrite<int32_t[]>(size);
  }

  void Collect(size_t b) {
    Batch& batch = batches_[b];
    const std::vector<LaneRange>& parts = parts_[b];
    Allocate(CountOf(parts), &batch);
    batch.metas.assign(set_.names->metas.size() + 1, 0);
    batch.lanes.assign(set_.lanes.size(), 0);
    std::vector<SelfTimes> self;
    std::vector<uint32_t> part_of(set_.lanes.size());
    for (const LaneRange& part : parts) {
      part_of[NumberOf(*part.lane)] = static_cast<uint32_t>(self.size());
      self.emplace_back(set_, *part.lane, part.first);
    }
    const auto put = [&](const Lane& lane, uint32_t index) {
      if (question_.rows == nullptr || question_.rows->Has(lane.first_row + index))
        Put(lane, index, self[part_of[NumberOf(lane)]].Of(index), &batch);
      return true;
    };
    if (!question_.by_track) return ForEachInTimeOrder(parts, put);
    for (const LaneRange& part : parts) {
      for (uint32_t i = part.first; i < part.end; ++i) put(*part.lane, i);
    }
  }

  uint32_t NumberOf(const Lane& lane) const {
    return static_cast<uint32_t>(&lane - set_.lanes.data());
  }

  void Put(const Lane& lane, uint32_t index, Ps self, Batch* batch) const {
    const uint32_t number = NumberOf(lane);
    const auto none = static_cast<uint32_t>(set_.names->metas.size());
    const uint32_t meta = std::min(lane.meta[index], none);
    const size_t at = batch->size++;
    batch->begin[at] = lane.start[index];
    batch->dur[at] = lane.dur[index];
    batch->self[at] = self;
    batch->name[at] = static_cast<int32_t>(meta);
    batch->track[at] = static_cast<int32_t>(number);
    batch->metas[meta] = 1;
    batch->lanes[number] = 1;
    if (question_.args) batch->rows.push_back(EventRow(lane.first_row + index));
  }

  const Plane* PlaneOf(uint32_t number) const {
    const PlaneId plane = set_.tracks[set_.lanes[number].track.value].plane;
    return plane.value < trace().planes.size() ? &trace().planes[plane.value] : nullptr;
  }

  void BuildDictionaries() {
    for (const Batch& batch : batches_) {
      for (uint32_t m = 0; m < batch.metas.size(); ++m) {
        if (batch.metas[m]) names_.Use(m);
      }
      for (uint32_t n = 0; n < batch.lanes.size(); ++n) {
        if (batch.lanes[n] == 0) continue;
        tracks_.Use(n);
        processes_.Use(n);
        hosts_.Use(n);
      }
    }
    const StringPool& strings = set_.names->strings;
    names_.Build([&](uint32_t m) { return set_.names->Name(MetaId(m)); });
    tracks_.Build(
        [&](uint32_t n) { return strings.View(set_.tracks[set_.lanes[n].track.value].name); });
    processes_.Build([&](uint32_t n) {
      const Plane* plane = PlaneOf(n);
      return plane != nullptr ? strings.View(plane->name) : std::string_view();
    });
    hosts_.Build([&](uint32_t n) {
      const Plane* plane = PlaneOf(n);
      return plane != nullptr ? trace().HostName(plane->host) : std::string_view();
    });
  }

  void Number(Batch* batch) const {
    batch->process = std::make_shared_for_overwrite<int32_t[]>(batch->size);
    if (HasHosts()) batch->host = std::make_shared_for_overwrite<int32_t[]>(batch->size);
    for (size_t i = 0; i < batch->size; ++i) {
      const auto lane = static_cast<uint32_t>(batch->track[i]);
      batch->name[i] = names_[static_cast<uint32_t>(batch->name[i])];
      batch->track[i] = tracks_[lane];
      batch->process[i] = processes_[lane];
      if (batch->host) batch->host[i] = hosts_[lane];
    }
  }

  std::vector<ArrowField> Fields() const {
    const std::vector<std::pair<std::string, std::string>> ps = {{"unit", "ps"}};
    std::vector<ArrowField> fields = {
        {"begin_ps", "l", false, ps}, {"dur_ps", "l", false, ps}, {"self_ps", "l", false, ps}};
    const auto text = [&](const char* name) {
      ArrowField field{name, "i"};
      field.dictionary = std::make_shared<const ArrowField>(ArrowField{{}, "U"});
      fields.push_back(std::move(field));
    };
    text("name");
    text("track");
    text("process");
    if (HasHosts()) text("host");
    if (question_.args) fields.push_back(ArgsField());
    return fields;
  }

  static ArrowField ArgsField() {
    ArrowField entries{"entries", "+s"};
    entries.children = {{"key", "U"}, {"value", "U"}};
    ArrowField map{"args", "+m"};
    map.children.push_back(std::move(entries));
    return map;
  }

  ArrowBatch Export(const Batch& batch) const {
    const auto rows = static_cast<int64_t>(batch.size);
    const auto column = [rows](const auto& values) {
      return ArrowColumn{rows, 0, {nullptr, ArrowBuffer(values, values.get())}};
    };
    const auto text = [&](const auto& values, const Dictionary& dictionary) {
      ArrowColumn made = column(values);
      made.dictionary = dictionary.column();
      return made;
    };
    ArrowBatch out{rows, {column(batch.begin), column(batch.dur), column(batch.self)}};
    out.columns.push_back(text(batch.name, names_));
    out.columns.push_back(text(batch.track, tracks_));
    out.columns.push_back(text(batch.process, processes_));
    if (HasHosts()) out.columns.push_back(text(batch.host, hosts_));
    return out;
  }

  Result<ArrowColumn> ArgsOf(const std::vector<EventRow>& rows) const {
    std::vector<Result<std::vector<Stat>>> read(rows.size(), std::vector<Stat>());
    constexpr size_t kAtOnce = 64;
    ParallelFor((rows.size() + kAtOnce - 1) / kAtOnce, [&](size_t task) {
      ArgsReader reader(trace());
      for (size_t i = task * kAtOnce; i < std::min(rows.size(), (task + 1) * kAtOnce); ++i)
        read[i] = reader.Read(rows[i]);
    });
    std::vector<int32_t> offsets{0};
    TextColumn keys, values;
    for (const Result<std::vector<Stat>>& args : read) {
      if (!args.ok()) return args.status();
      for (const Stat& stat : *args) {
        keys.Add(stat.name);
        values.Add(ToText(stat));
      }
      const int64_t end = offsets.back() + static_cast<int64_t>(args->size());
      if (end > std::numeric_limits<int32_t>::max())
        return Status(ErrorCode::kLimit, "more arguments than a table holds; ask for fewer events");
      offsets.push_back(static_cast<int32_t>(end));
    }
    ArrowColumn entries{offsets.back(), 0, {nullptr}, {keys.Take(), values.Take()}};
    return ArrowColumn{static_cast<int64_t>(rows.size()),
                       0,
                       {nullptr, BufferOf(std::move(offsets))},
                       {std::move(entries)}};
  }

  const EventsQuestion& question_;
  const TrackSet& set_;
  const std::vector<LaneRange> ranges_;
  const std::vector<Ps> limits_;
  const std::vector<std::vector<LaneRange>> parts_;  // a list of lane parts for each batch
  std::vector<Batch> batches_;
  Dictionary names_;                       // by MetaId; the last is for events without one
  Dictionary tracks_, processes_, hosts_;  // by LaneId
};

}  // namespace

Result<std::shared_ptr<const ArrowTable>> EventTable(const EventsQuestion& question) {
  return EventBatches(question).Run();
}

}  // namespace stepscope
