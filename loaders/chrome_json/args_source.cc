#include "loaders/chrome_json/args_source.h"

#include <algorithm>
#include <charconv>

#include "loaders/chrome_json/event_forms.h"
#include "loaders/chrome_json/event_places.h"
#include "loaders/chrome_json/typed_args.h"
#include "loaders/chrome_json/typed_columns.h"
#include "loaders/common/first_error.h"
#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"
#include "loaders/common/row_values.h"
#include "model/base/job.h"
#include "model/trace.h"

namespace stepscope::chrome {

using namespace json;

namespace {

constexpr int kFlattenDepth = 16;

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

// A thread uses these for one stretch after the other.
struct Reader {
  ArgsText::Stretch bytes;
  EventForms forms;
  TokenTexts texts;
  const TypedColumns* last = nullptr;  // of the stretch before
};

Status ReadStretch(const EventPlaces::Stretch& stretch, const ArgsText& text,
                   const NameTable& names, Reader* reader, TypedColumns* columns) {
  ArgsText::Stretch& bytes = reader->bytes;
  if (Status s = bytes.Read(&text, stretch.begin, stretch.end); !s.ok()) return s;
  TypedArgs typed;
  for (const EventPlaces::Place& place : stretch.places) {
    const uint64_t offset = stretch.begin + place.offset;
    const bool memory = names.metas[place.meta].category == EventCategory::kMemoryEvent;
    if (reader->forms.Read(bytes.From(offset), place.meta, memory, &typed)) {
      columns->Add(place.row, typed);
      continue;
    }
    const Result<std::string_view> event = bytes.Value(offset);
    if (!event.ok()) return event.status();
    const std::string_view args = ArgsOf(*event);
    if (args.empty()) continue;
    ReadTypedArgs(args, memory, &typed);
    columns->Add(place.row, typed);
  }
  return Status::Ok();
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
  std::vector<uint64_t> sizes;
  for (const File& file : files_) sizes.push_back(file.text.size());
  const EventPlaces places(trace, sizes);
  const std::vector<EventPlaces::Stretch>& stretches = places.stretches();
  std::vector<std::unique_ptr<TypedColumns>> parts(stretches.size());
  Reused<Reader> readers;
  FirstError error;  // such as a file that was overwritten
  ParallelFor(stretches.size(), [&](size_t i) {
    if (stop.stop_requested() || error.any()) return;
    auto reader = readers.Take();
    parts[i] = std::make_unique<TypedColumns>(&reader->texts, reader->last);
    error.Set(ReadStretch(stretches[i], files_[stretches[i].file].text, trace.names(), reader.get(),
                          parts[i].get()));
    reader->last = parts[i].get();
    readers.Give(std::move(reader));
  });
  if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  if (error.any()) return error.Take();
  auto table = std::make_shared<StatTable>();
  Gather(parts, trace.set.rows, table.get());
  MarkRoots(table.get());
  table->ShrinkToFit();
  std::shared_ptr<const StatTable> done = std::move(table);
  return done;
}

}  // namespace stepscope::chrome
