#include "loaders/chrome_json/args_source.h"

#include <algorithm>
#include <charconv>

#include "loaders/chrome_json/typed_args.h"
#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"
#include "loaders/common/row_values.h"
#include "loaders/common/workers.h"
#include "model/base/task.h"
#include "model/trace.h"

namespace stepscope::chrome {

using namespace json;

namespace {

constexpr int kFlattenDepth = 16;
constexpr uint64_t kStretch = uint64_t{4} << 20;  // bytes of text that are read at once

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
  size_t size() const { return rows.size(); }
};

// The texts of tokens, each of which is decoded once: shapes and types repeat.
class TokenTexts {
 public:
  StringId Of(std::string_view token, StringPool* texts) {
    const StringId known = tokens_.Intern(token);
    if (known.value == ids_.size()) ids_.push_back(texts->Intern(TextOfToken(token)));
    return ids_[known.value];
  }

 private:
  StringPool tokens_;
  std::vector<StringId> ids_{StringId(0)};  // by the token's id
};

// The typed values of some rows by column, rows ascending.
struct Columns {
  std::vector<Entries<int64_t>> ints{static_cast<size_t>(IntStat::kCount)};
  std::vector<Entries<double>> reals{static_cast<size_t>(RealStat::kCount)};
  std::vector<Entries<StringId>> texts{static_cast<size_t>(StringStat::kCount)};
  StringPool strings;
  std::vector<StringId> global;  // what `strings` are in the table

  void Add(uint32_t row, const TypedArgs& args, TokenTexts* decoded) {
    for (const auto& [stat, value] : args.ints) Put(&ints[static_cast<size_t>(stat)], row, value);
    for (const auto& [stat, value] : args.reals) Put(&reals[static_cast<size_t>(stat)], row, value);
    for (const auto& [stat, token] : args.tokens)
      Put(&texts[static_cast<size_t>(stat)], row, decoded->Of(token, &strings));
    if (!args.allocator.empty()) {
      Put(&texts[static_cast<size_t>(StringStat::kAllocatorName)], row,
          strings.Intern(args.allocator));
    }
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

// Where the event of a row begins in its file.
struct Place {
  uint64_t offset;
  uint32_t row;
  bool memory;  // a [memory] instant
};

// A stretch of one file and the rows whose events begin there, ascending. The file is read by
// stretches: in order of rows, each thread of the program would go through the whole file.
struct Stretch {
  uint32_t file;
  uint64_t begin, end;
  std::vector<Place> places;
};

std::vector<Stretch> Stretches(const Trace& trace, const std::vector<ArgsSource::File>& files) {
  std::vector<size_t> first(files.size());
  std::vector<Stretch> all;
  for (uint32_t f = 0; f < files.size(); ++f) {
    first[f] = all.size();
    for (uint64_t begin = 0; begin < files[f].text.size(); begin += kStretch)
      all.push_back({f, begin, begin + kStretch, {}});
  }
  for (const Lane& lane : trace.set.lanes) {
    const uint32_t source = trace.set.tracks[lane.track.value].source;
    if (source >= files.size()) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const uint64_t offset = lane.SourceOffset(i);
      if (offset >= files[source].text.size()) continue;
      const bool memory = trace.names().metas[lane.meta[i]].category == EventCategory::kMemoryEvent;
      all[first[source] + offset / kStretch].places.push_back({offset, lane.first_row + i, memory});
    }
  }
  std::erase_if(all, [](const Stretch& s) { return s.places.empty(); });
  return all;
}

Status ReadStretch(const Stretch& stretch, const ArgsText& text, Columns* columns) {
  ArgsText::Stretch bytes(&text, stretch.begin, stretch.end);
  if (!bytes.status().ok()) return bytes.status();
  TypedArgs typed;
  TokenTexts decoded;
  for (const Place& place : stretch.places) {
    if (ReadArgsOfEvent(bytes.From(place.offset), place.memory, &typed)) {
      columns->Add(place.row, typed, &decoded);
      continue;
    }
    const Result<std::string_view> event = bytes.Value(place.offset);
    if (!event.ok()) return event.status();
    const std::string_view args = ArgsOf(*event);
    if (args.empty()) continue;
    ReadTypedArgs(args, place.memory, &typed);
    columns->Add(place.row, typed, &decoded);
  }
  return Status::Ok();
}

// Puts the values of one column of all stretches in order of rows. Each row is in one stretch.
template <typename T, typename Column, typename Map>
void Gather(const std::vector<std::unique_ptr<Columns>>& parts, uint32_t rows, const Column& column,
            const Map& map, SparseColumn<T>* out) {
  size_t count = 0;
  for (const auto& part : parts) count += column(*part).size();
  if (count == 0) return;
  std::vector<T> values(rows);
  std::vector<bool> present(rows);
  for (const auto& part : parts) {
    const Entries<T>& from = column(*part);
    for (size_t i = 0; i < from.size(); ++i) {
      values[from.rows[i]] = map(*part, from.values[i]);
      present[from.rows[i]] = true;
    }
  }
  Entries<T> sorted;
  sorted.rows.reserve(count);
  sorted.values.reserve(count);
  for (uint32_t row = 0; row < rows; ++row) {
    if (!present[row]) continue;
    sorted.rows.push_back(row);
    sorted.values.push_back(values[row]);
  }
  out->Append(sorted.rows, sorted.values);
}

void GatherAll(const std::vector<std::unique_ptr<Columns>>& parts, uint32_t rows,
               StatTable* table) {
  const auto same = [](const Columns&, auto value) { return value; };
  const auto text = [](const Columns& part, StringId id) { return part.global[id.value]; };
  const size_t ints = table->ints.size(), reals = table->reals.size();
  ParallelFor(ints + reals + table->texts.size(), [&](size_t task) {
    if (task < ints) {
      const auto column = [&](const Columns& c) -> const auto& { return c.ints[task]; };
      Gather(parts, rows, column, same, &table->ints[task]);
    } else if (task < ints + reals) {
      const auto column = [&](const Columns& c) -> const auto& { return c.reals[task - ints]; };
      Gather(parts, rows, column, same, &table->reals[task - ints]);
    } else {
      const size_t i = task - ints - reals;
      const auto column = [&](const Columns& c) -> const auto& { return c.texts[i]; };
      Gather(parts, rows, column, text, &table->texts[i]);
    }
  });
}

// TensorFlow and JAX mark the events that begin a step with a level (_r), but leave it out of a
// trace.json. Only these events have a step_num, so it marks them where there are no levels.
void MarkRoots(StatTable* table) {
  auto& levels = table->ints[static_cast<size_t>(IntStat::kRootLevel)];
  if (!levels.empty()) return;
  std::vector<uint32_t> rows;
  table->Int(IntStat::kStepNum).ForAll([&](uint32_t row, int64_t) { rows.push_back(row); });
  const std::vector<int64_t> ones(rows.size(), 1);
  levels.Append(rows, ones);
}

}  // namespace

size_t ArgsSource::resident_bytes() const {
  size_t bytes = 0;
  for (const File& f : files_) bytes += f.text.resident_bytes() + f.ends.size() * sizeof(f.ends[0]);
  return bytes;
}

Result<std::vector<Stat>> ArgsSource::Decode(const Trace& trace, EventRow row) const {
  std::vector<Stat> stats;
  const auto place = RefOfRow(trace, row);
  if (!place || place->source >= files_.size()) return stats;
  const File& file = files_[place->source];
  const uint64_t offset = place->ref;
  std::string buffer, end_buffer;
  const Result<std::string_view> event = file.text.Value(offset, &buffer);
  if (!event.ok()) return event.status();
  AppendArgs(*event, &stats);
  const auto end =
      std::lower_bound(file.ends.begin(), file.ends.end(), std::pair(offset, uint64_t{0}));
  if (end != file.ends.end() && end->first == offset) {
    const Result<std::string_view> closing = file.text.Value(end->second, &end_buffer);
    if (!closing.ok()) return closing.status();
    AppendArgs(*closing, &stats);
  }
  ForEachMember(*event, [&](std::string_view key, std::string_view value) {
    if (key == "cat" || key == "ph" || key == "id" || key == "bind_id") {
      stats.push_back({std::string(key), ValueOf(value), true});
    }
    return true;
  });
  return stats;
}

Result<std::shared_ptr<const StatTable>> ArgsSource::LoadTyped(const Trace& trace,
                                                               std::stop_token stop) const {
  const std::vector<Stretch> stretches = Stretches(trace, files_);
  std::vector<std::unique_ptr<Columns>> parts(stretches.size());
  FirstError error;  // such as a file that was overwritten
  ParallelFor(stretches.size(), [&](size_t i) {
    parts[i] = std::make_unique<Columns>();
    if (stop.stop_requested()) return;
    error.Set(ReadStretch(stretches[i], files_[stretches[i].file].text, parts[i].get()));
  });
  if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  if (error.any()) return error.Take();
  auto table = std::make_shared<StatTable>();
  for (const std::unique_ptr<Columns>& part : parts) {
    for (uint32_t i = 0; i < part->strings.size(); ++i)
      part->global.push_back(table->strings->Intern(part->strings.View(StringId(i))));
  }
  GatherAll(parts, trace.set.rows, table.get());
  MarkRoots(table.get());
  table->ShrinkToFit();
  std::shared_ptr<const StatTable> done = std::move(table);
  return done;
}

}  // namespace stepscope::chrome
