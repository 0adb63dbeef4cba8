#include "sql/lists.h"

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "model/analysis/steps/steps.h"
#include "model/analysis/xla/hlo_programs.h"

namespace stepscope {
namespace {

SqlCell IntOf(uint64_t n) { return static_cast<int64_t>(n); }

// A list with a function of the row for each column.
class ColumnList final : public SqlList {
 public:
  using Column = std::function<SqlCell(size_t row)>;
  ColumnList(size_t size, std::vector<Column> columns)
      : size_(size), columns_(std::move(columns)) {}
  size_t size() const override { return size_; }
  SqlCell Cell(size_t row, int column) const override {
    return columns_[static_cast<size_t>(column)](row);
  }

 private:
  size_t size_;
  std::vector<Column> columns_;
};

using ListPtr = std::unique_ptr<const SqlList>;

// A list with a row for each item, and a function of the item, or of its index, for each column.
// The items must outlive the list.
template <typename Item, typename... Columns>
ListPtr ListOfItems(const std::vector<Item>& items, Columns... columns) {
  return std::make_unique<ColumnList>(
      items.size(), std::vector<ColumnList::Column>{[&items, columns](size_t row) -> SqlCell {
        if constexpr (std::is_invocable_v<Columns, const Item&>) {
          return columns(items[row]);
        } else {
          return columns(row);
        }
      }...});
}

SqlCell RowNumber(size_t row) { return IntOf(row); }

ListPtr TrackList(const Trace& trace) {
  return ListOfItems(
      trace.set.tracks, RowNumber,
      [](const Track& t) { return t.plane.valid() ? IntOf(t.plane.value) : SqlCell(); },
      [&trace](const Track& t) { return trace.names().strings.View(t.name); },
      [](const Track& t) { return t.id; }, [](const Track& t) { return IntOf(t.events); },
      [](const Track& t) { return t.busy; });
}

std::string_view DeviceKind(PlaneKind kind) {
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

ListPtr ProcessList(const Trace& trace) {
  return ListOfItems(
      trace.planes, RowNumber, [&trace](const Plane& p) { return trace.HostName(p.host); },
      [&trace](const Plane& p) { return trace.names().strings.View(p.name); },
      [](const Plane& p) { return std::string_view(p.display_name); },
      [](const Plane& p) { return DeviceKind(p.kind); },
      [](const Plane& p) {
        return p.device_ordinal >= 0 ? SqlCell(int64_t{p.device_ordinal}) : SqlCell();
      });
}

ListPtr StepList(const Trace& trace, const std::vector<Step>& steps) {
  return ListOfItems(
      steps, RowNumber, [](const Step& s) { return s.number; },
      [](const Step& s) { return std::string_view(s.label); },
      [&trace](const Step& s) { return trace.HostName(s.host); },
      [](const Step& s) { return s.span.begin; }, [](const Step& s) { return s.span.length(); },
      [](const Step& s) { return int64_t{s.counts()}; });
}

ListPtr FlowList(const Trace& trace) {
  const auto event = [](EventRow id) { return id.valid() ? IntOf(id.value) : SqlCell(); };
  return ListOfItems(
      trace.flows, [](const Flow& f) { return IntOf(f.id); },
      [&trace](const Flow& f) { return trace.names().strings.View(f.category); },
      [event](const Flow& f) { return event(f.from); },
      [event](const Flow& f) { return event(f.to); });
}

ListPtr ProgramList(const std::vector<xla::ProgramEntry>& programs) {
  std::vector<std::string> ids;
  for (const xla::ProgramEntry& entry : programs) ids.push_back(std::to_string(entry.id));
  return ListOfItems(
      programs, [ids = std::move(ids)](size_t row) { return std::string_view(ids[row]); },
      [](const xla::ProgramEntry& e) { return std::string_view(e.name); },
      [](const xla::ProgramEntry& e) { return IntOf(e.bytes); });
}

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
      return TrackList(trace);
    case SqlTableId::kProcesses:
      return ProcessList(trace);
    case SqlTableId::kSteps:
      return StepList(trace, context.Get<StepDatabase>().steps);
    case SqlTableId::kCounters:
      return std::make_unique<CounterList>(trace);
    case SqlTableId::kFlows:
      return FlowList(trace);
    default:
      return ProgramList(context.Get<HloPrograms>().list());
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
