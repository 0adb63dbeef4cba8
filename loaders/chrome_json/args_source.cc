#include "loaders/chrome_json/args_source.h"

#include <algorithm>
#include <charconv>

#include "loaders/chrome_json/json_cursor.h"
#include "loaders/chrome_json/number.h"
#include "loaders/chrome_json/typed_args.h"
#include "model/base/task.h"
#include "model/trace.h"

namespace stepscope::chrome {
namespace {

constexpr int kFlattenDepth = 16;
constexpr uint32_t kRowsPerTask = 65'536;

std::variant<int64_t, uint64_t, double, std::string> ValueOf(std::string_view token) {
  if (!token.empty() && (token.front() == '{' || token.front() == '[')) return Compact(token);
  if (!token.empty() && token.front() == '"') {
    std::string text;
    Unescape(token, &text);
    return text;
  }
  // 1.0 stays a real: only digits make a whole number.
  if (token.find_first_of(".eENnI") == std::string_view::npos) {
    if (const auto whole = ParseInt(token)) return *whole;
    uint64_t large = 0;
    const char* end = token.data() + token.size();
    if (std::from_chars(token.data(), end, large).ptr == end && !token.empty() && large != 0)
      return large;
  }
  if (const auto real = ParseReal(token)) return *real;
  return std::string(token);
}

std::string_view ArgsOf(std::string_view event) {
  std::string_view args;
  ForEachMember(event, [&](std::string_view key, std::string_view value) {
    if (key == "args") args = value;
    return true;
  });
  return args;
}

void AppendArgs(std::string_view event, std::vector<Stat>* out) {
  const std::string_view args = ArgsOf(event);
  if (args.empty()) return;
  if (args.front() != '{') {
    out->push_back({"args", ValueOf(args)});
    return;
  }
  Flatten(args, "", kFlattenDepth, [&](std::string_view key, std::string_view token) {
    out->push_back({std::string(key), ValueOf(token)});
  });
}

template <typename T>
struct Entries {
  std::vector<uint32_t> rows;
  std::vector<T> values;
};

// Columns of a range of rows, rows ascending.
struct Columns {
  struct Text {
    uint32_t row;
    std::string value;
  };
  std::vector<Entries<int64_t>> ints{static_cast<size_t>(IntStat::kCount)};
  std::vector<Entries<double>> reals{static_cast<size_t>(RealStat::kCount)};
  std::vector<Entries<StringId>> texts{static_cast<size_t>(StringStat::kCount)};
  StringPool strings;

  void Add(uint32_t row, const TypedArgs& args) {
    for (const auto& [stat, value] : args.ints) Put(&ints[static_cast<size_t>(stat)], row, value);
    for (const auto& [stat, value] : args.reals) Put(&reals[static_cast<size_t>(stat)], row, value);
    for (const auto& [stat, value] : args.texts)
      Put(&texts[static_cast<size_t>(stat)], row, strings.Intern(value));
  }

 private:
  template <typename T>
  static void Put(Entries<T>* column, uint32_t row, T value) {
    if (!column->rows.empty() && column->rows.back() == row) {  // a key twice: the last one counts
      column->values.back() = value;
      return;
    }
    column->rows.push_back(row);
    column->values.push_back(value);
  }
};

template <typename T, typename Map>
void Append(std::vector<Entries<T>>* from, std::vector<SparseColumn<T>>* to, const Map& map) {
  for (size_t i = 0; i < from->size(); ++i) {
    for (T& value : (*from)[i].values) value = map(value);
    (*to)[i].Append((*from)[i].rows, (*from)[i].values);
  }
}

}  // namespace

size_t ArgsSource::resident_bytes() const {
  size_t bytes = 0;
  for (const File& f : files_) bytes += f.text->size() + f.ends.size() * sizeof(f.ends[0]);
  return bytes;
}

std::string_view ArgsSource::EventText(const Trace& trace, EventRow row) const {
  const LaneId id = trace.set.LaneOf(row);
  if (id.value >= trace.set.lanes.size()) return {};
  const Lane& lane = trace.set.lanes[id.value];
  const uint64_t offset = lane.SourceOffset(row.value - lane.first_row);
  const uint32_t source = trace.set.tracks[lane.track.value].source;
  if (source >= files_.size()) return {};
  const TraceText& text = *files_[source].text;
  if (offset >= text.size()) return {};
  return ValueAt(text.data() + offset, text.data() + text.size());
}

Result<std::vector<Stat>> ArgsSource::Decode(const Trace& trace, EventRow row) const {
  std::vector<Stat> stats;
  const std::string_view event = EventText(trace, row);
  if (event.empty()) return stats;
  AppendArgs(event, &stats);
  const File& file = files_[trace.set.tracks[trace.set.TrackOf(row).value].source];
  const uint64_t offset = static_cast<uint64_t>(event.data() - file.text->data());
  const auto end =
      std::lower_bound(file.ends.begin(), file.ends.end(), std::pair(offset, uint64_t{0}));
  if (end != file.ends.end() && end->first == offset) {
    AppendArgs(ValueAt(file.text->data() + end->second, file.text->data() + file.text->size()),
               &stats);
  }
  ForEachMember(event, [&](std::string_view key, std::string_view value) {
    if (key == "cat" || key == "ph" || key == "id" || key == "bind_id") {
      stats.push_back({std::string(key), ValueOf(value), true});
    }
    return true;
  });
  return stats;
}

Result<std::shared_ptr<const StatTable>> ArgsSource::LoadTyped(const Trace& trace,
                                                               std::stop_token stop) const {
  struct Task {
    const Lane* lane;
    uint32_t begin, end;
  };
  std::vector<Task> tasks;
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t begin = 0; begin < lane.size(); begin += kRowsPerTask) {
      tasks.push_back({&lane, begin, std::min(lane.size(), begin + kRowsPerTask)});
    }
  }
  std::vector<std::unique_ptr<Columns>> parts(tasks.size());
  ParallelFor(tasks.size(), [&](size_t t) {
    const Task& task = tasks[t];
    const Lane& lane = *task.lane;
    const uint32_t source = trace.set.tracks[lane.track.value].source;
    if (stop.stop_requested() || source >= files_.size()) return;
    const TraceText& text = *files_[source].text;
    auto columns = std::make_unique<Columns>();
    TypedArgs args;
    for (uint32_t i = task.begin; i < task.end; ++i) {
      const uint64_t offset = lane.SourceOffset(i);
      if (offset >= text.size()) continue;
      const std::string_view event_args =
          ArgsOf(ValueAt(text.data() + offset, text.data() + text.size()));
      if (event_args.empty()) continue;
      const bool memory = trace.names().metas[lane.meta[i]].category == EventCategory::kMemoryEvent;
      ReadTypedArgs(event_args, memory, &args);
      columns->Add(lane.first_row + i, args);
    }
    parts[t] = std::move(columns);
  });
  if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  auto table = std::make_shared<StatTable>();
  for (std::unique_ptr<Columns>& part : parts) {
    if (part == nullptr) continue;
    std::vector<StringId> map(part->strings.size());
    for (uint32_t i = 0; i < map.size(); ++i)
      map[i] = table->strings->Intern(part->strings.View(StringId(i)));
    Append(&part->ints, &table->ints, [](int64_t v) { return v; });
    Append(&part->reals, &table->reals, [](double v) { return v; });
    Append(&part->texts, &table->texts, [&](StringId v) { return map[v.value]; });
    part.reset();
  }
  table->ShrinkToFit();
  return std::shared_ptr<const StatTable>(std::move(table));
}

}  // namespace stepscope::chrome
