#include "sql/lists.h"

#include <algorithm>
#include <string>

#include "model/analysis/steps/steps.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {
namespace {

SqlCell IntOf(uint64_t n) { return static_cast<int64_t>(n); }

class TrackList final : public SqlList {
 public:
  explicit TrackList(const Trace& trace) : trace_(trace) {}
  size_t size() const override { return trace_.set.tracks.size(); }
  SqlCell Cell(size_t row, int column) const override {
    const Track& track = trace_.set.tracks[row];
    switch (column) {
      case 0:
        return IntOf(row);
      case 1:
        return track.plane.valid() ? IntOf(track.plane.value) : SqlCell();
      case 2:
        return trace_.names().strings.View(track.name);
      case 3:
        return track.id;
      case 4:
        return IntOf(track.events);
      default:
        return track.busy;
    }
  }

 private:
  const Trace& trace_;
};

std::string_view KindOf(PlaneKind kind) {
  switch (kind) {
    case PlaneKind::kGpu:
      return "gpu";
    case PlaneKind::kTpu:
    case PlaneKind::kTpuSparseCore:
    case PlaneKind::kTpuChip:
      return "tpu";
    case PlaneKind::kHostThreads:
    case PlaneKind::kHostOther:
      return "host";
    default:
      return "other";
  }
}

class ProcessList final : public SqlList {
 public:
  explicit ProcessList(const Trace& trace) : trace_(trace) {}
  size_t size() const override { return trace_.planes.size(); }
  SqlCell Cell(size_t row, int column) const override {
    const Plane& plane = trace_.planes[row];
    switch (column) {
      case 0:
        return IntOf(row);
      case 1:
        return trace_.HostName(plane.host);
      case 2:
        return trace_.names().strings.View(plane.name);
      case 3:
        return std::string_view(plane.display_name);
      case 4:
        return KindOf(plane.kind);
      default:
        return plane.device_ordinal >= 0 ? SqlCell(int64_t{plane.device_ordinal}) : SqlCell();
    }
  }

 private:
  const Trace& trace_;
};

class StepList final : public SqlList {
 public:
  StepList(const Trace& trace, const StepDatabase& steps) : trace_(trace), steps_(steps.steps) {}
  size_t size() const override { return steps_.size(); }
  SqlCell Cell(size_t row, int column) const override {
    const Step& step = steps_[row];
    switch (column) {
      case 0:
        return IntOf(row);
      case 1:
        return step.number;
      case 2:
        return std::string_view(step.label);
      case 3:
        return trace_.HostName(step.host);
      case 4:
        return step.span.begin;
      case 5:
        return step.span.length();
      default:
        return int64_t{step.counts()};
    }
  }

 private:
  const Trace& trace_;
  const std::vector<Step>& steps_;
};

class CounterList final : public SqlList {
 public:
  explicit CounterList(const Trace& trace) : trace_(trace) {
    for (uint32_t t = 0; t < trace.set.tracks.size(); ++t) {
      for (const CounterSeries& series : trace.set.tracks[t].counters) {
        series_.push_back({size_, t, &series});
        size_ += std::min(series.time.size(), series.value.size());
      }
    }
  }
  size_t size() const override { return size_; }
  SqlCell Cell(size_t row, int column) const override {
    const auto after =
        std::upper_bound(series_.begin(), series_.end(), row,
                         [](size_t at, const Part& part) { return at < part.first; });
    const Part& part = *(after - 1);
    const size_t i = row - part.first;
    switch (column) {
      case 0:
        return IntOf(part.track);
      case 1:
        return trace_.names().strings.View(part.series->name);
      case 2:
        return part.series->time[i];
      default:
        return part.series->value[i];
    }
  }

 private:
  struct Part {
    size_t first;
    uint32_t track;
    const CounterSeries* series;
  };
  const Trace& trace_;
  std::vector<Part> series_;
  size_t size_ = 0;
};

class FlowList final : public SqlList {
 public:
  explicit FlowList(const Trace& trace) : trace_(trace) {}
  size_t size() const override { return trace_.flows.size(); }
  SqlCell Cell(size_t row, int column) const override {
    const Flow& flow = trace_.flows[row];
    const auto event = [](EventRow id) { return id.valid() ? IntOf(id.value) : SqlCell(); };
    switch (column) {
      case 0:
        return IntOf(flow.id);
      case 1:
        return trace_.names().strings.View(flow.category);
      case 2:
        return event(flow.from);
      default:
        return event(flow.to);
    }
  }

 private:
  const Trace& trace_;
};

class ProgramList final : public SqlList {
 public:
  explicit ProgramList(const HloPrograms& programs) : list_(programs.list()) {
    for (const xla::ProgramEntry& entry : list_) ids_.push_back(std::to_string(entry.id));
  }
  size_t size() const override { return list_.size(); }
  SqlCell Cell(size_t row, int column) const override {
    if (column == 0) return std::string_view(ids_[row]);
    if (column == 1) return std::string_view(list_[row].name);
    return IntOf(list_[row].bytes);
  }

 private:
  const std::vector<xla::ProgramEntry>& list_;
  std::vector<std::string> ids_;
};

class ResultList final : public SqlList {
 public:
  explicit ResultList(const ResultTable& table) : table_(table) {}
  size_t size() const override { return table_.size(); }
  SqlCell Cell(size_t row, int column) const override {
    const stepscope::Cell cell = table_.At(row, static_cast<size_t>(column));
    if (const auto* text = std::get_if<std::string_view>(&cell)) return *text;
    if (const auto* number = std::get_if<int64_t>(&cell)) return *number;
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    if (const auto* flag = std::get_if<bool>(&cell)) return int64_t{*flag};
    return {};
  }

 private:
  const ResultTable& table_;
};

}  // namespace

std::unique_ptr<const SqlList> MakeList(SqlTableId table, AnalysisContext& context) {
  const Trace& trace = context.trace();
  switch (table) {
    case SqlTableId::kTracks:
      return std::make_unique<TrackList>(trace);
    case SqlTableId::kProcesses:
      return std::make_unique<ProcessList>(trace);
    case SqlTableId::kSteps:
      return std::make_unique<StepList>(trace, context.Get<StepDatabase>());
    case SqlTableId::kCounters:
      return std::make_unique<CounterList>(trace);
    case SqlTableId::kFlows:
      return std::make_unique<FlowList>(trace);
    default:
      return std::make_unique<ProgramList>(context.Get<HloPrograms>());
  }
}

std::unique_ptr<const SqlList> ListOf(const ResultTable& table) {
  return std::make_unique<ResultList>(table);
}

std::span<const std::pair<int64_t, uint32_t>> IntegerIndex::Equal(int64_t value) const {
  const auto less = [](const auto& row, int64_t v) { return row.first < v; };
  const auto first = std::lower_bound(rows.begin(), rows.end(), value, less);
  auto last = first;
  while (last != rows.end() && last->first == value) ++last;
  return {rows.data() + (first - rows.begin()), static_cast<size_t>(last - first)};
}

IntegerIndex IndexIntegers(const SqlList& list, int column) {
  IntegerIndex index;
  for (size_t row = 0; row < list.size(); ++row) {
    const SqlCell cell = list.Cell(row, column);
    if (std::holds_alternative<std::monostate>(cell)) continue;
    const auto* value = std::get_if<int64_t>(&cell);
    if (value == nullptr) return {};
    index.rows.emplace_back(*value, static_cast<uint32_t>(row));
  }
  std::sort(index.rows.begin(), index.rows.end());
  index.usable = true;
  return index;
}

}  // namespace stepscope
