#include "loaders/chrome_json/args_source.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "loaders/chrome_json/typed_args.h"
#include "loaders/chrome_json/typed_columns.h"
#include "loaders/common/first_error.h"
#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"
#include "loaders/common/row_values.h"
#include "model/jobs/job.h"
#include "model/trace.h"

namespace stepscope::chrome {

namespace {

using Place = EventPlaces::Place;

// Calls fn(stretch, place) for the rows [first, end); `stretches`: the first one of each file.
template <typename Fn>
void ForPlaces(const Trace& trace, uint32_t first, uint32_t end, const std::vector<uint64_t>& sizes,
               const std::vector<size_t>& stretches, Fn fn) {
  for (const Lane& lane : trace.set.lanes) {
    const uint32_t source = trace.set.tracks[lane.track.value].source;
    const uint32_t from = std::max(first, lane.first_row),
                   to = std::min(end, lane.first_row + lane.size());
    if (source >= sizes.size()) continue;
    for (uint32_t row = from; row < to; ++row) {
      const uint32_t i = row - lane.first_row;
      const uint64_t offset = lane.SourceOffset(i);
      if (offset >= sizes[source]) continue;
      const auto in_stretch = static_cast<uint32_t>(offset % EventPlaces::kStretch);
      fn(stretches[source] + offset / EventPlaces::kStretch, Place{in_stretch, row, lane.meta[i]});
    }
  }
}

}  // namespace

// Rows are divided among the cores: each first counts its places in each stretch, then puts them
// behind those of the cores before it.
EventPlaces::EventPlaces(const Trace& trace, const std::vector<uint64_t>& sizes) {
  std::vector<size_t> first_of_file;
  for (uint32_t file = 0; file < sizes.size(); ++file) {
    first_of_file.push_back(stretches_.size());
    for (uint64_t begin = 0; begin < sizes[file]; begin += kStretch)
      stretches_.push_back({file, begin, begin + kStretch, {}});
  }
  const uint32_t parts = WorkerCount(), rows = trace.set.rows;
  const auto for_places = [&](size_t part, auto fn) {
    const auto first = static_cast<uint32_t>(uint64_t{rows} * part / parts),
               end = static_cast<uint32_t>(uint64_t{rows} * (part + 1) / parts);
    ForPlaces(trace, first, end, sizes, first_of_file, fn);
  };
  std::vector<std::vector<size_t>> next(parts, std::vector<size_t>(stretches_.size()));
  ParallelFor(parts, [&](size_t part) {
    for_places(part, [&](size_t stretch, const Place&) { ++next[part][stretch]; });
  });
  size_t all = 0;
  std::vector<size_t> first_place;
  for (size_t stretch = 0; stretch < stretches_.size(); ++stretch) {
    first_place.push_back(all);
    for (std::vector<size_t>& of_part : next) {
      const size_t count = of_part[stretch];
      of_part[stretch] = all;
      all += count;
    }
  }
  first_place.push_back(all);
  places_.Resize(all);
  ParallelFor(parts, [&](size_t part) {
    for_places(part,
               [&](size_t stretch, const Place& place) { places_[next[part][stretch]++] = place; });
  });
  for (size_t i = 0; i < stretches_.size(); ++i)
    stretches_[i].places =
        places_.span().subspan(first_place[i], first_place[i + 1] - first_place[i]);
  std::erase_if(stretches_, [](const Stretch& s) { return s.places.empty(); });
}

namespace {

constexpr uint64_t kFirstRead = uint64_t{16} << 10;  // most events are far shorter

Status ReadInto(const ByteSource& file, uint64_t offset, uint64_t size, std::string* buffer) {
  buffer->resize(static_cast<size_t>(size));
  const Result<size_t> n = file.Read(offset, std::as_writable_bytes(std::span(*buffer)));
  if (n.ok()) buffer->resize(*n);
  return n.status();
}

// Sets the value at the beginning of `bytes`; false when it may go on after them.
bool WholeValue(std::string_view bytes, std::string_view* value) {
  *value = json::ValueAt(bytes.data(), bytes.data() + bytes.size());
  return value->size() < bytes.size();
}

}  // namespace

Result<std::string_view> ArgsText::Value(uint64_t offset, std::string* buffer) const {
  if (offset >= size()) return std::string_view{};
  if (kept_) return json::ValueAt(kept_->data() + offset, kept_->data() + kept_->size());
  const uint64_t most = std::min(file_->size() - offset, kLongestEvent);
  for (uint64_t n = std::min(most, kFirstRead);; n = std::min(most, n * 4)) {
    if (Status s = ReadInto(*file_, offset, n, buffer); !s.ok()) return s;
    std::string_view value;
    if (WholeValue(*buffer, &value) || n == most) return value;
  }
}

Status ArgsText::Stretch::Read(const ArgsText* text, uint64_t begin, uint64_t end) {
  text_ = text;
  begin_ = begin;
  if (text->kept_ || begin >= text->size()) {
    bytes_.clear();
    return Status::Ok();
  }
  const uint64_t last = std::min(text->size(), end + kFirstRead);
  return ReadInto(*text->file_, begin, last - begin, &bytes_);
}

std::string_view ArgsText::Stretch::From(uint64_t offset) const {
  const bool kept = text_->kept_ != nullptr;
  const std::string_view all = kept ? std::string_view(text_->kept_->data(), text_->kept_->size())
                                    : std::string_view(bytes_);
  const uint64_t first = kept ? 0 : begin_;
  if (offset < first || offset - first >= all.size()) return {};
  return all.substr(static_cast<size_t>(offset - first), kFirstRead);
}

Result<std::string_view> ArgsText::Stretch::Value(uint64_t offset) {
  if (offset < begin_ || offset - begin_ >= bytes_.size()) return text_->Value(offset, &single_);
  std::string_view value;
  if (WholeValue(std::string_view(bytes_).substr(offset - begin_), &value)) return value;
  return text_->Value(offset, &single_);
}

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

// Cycles of a process may number their launches and ops from the same begin: the numbers of later
// ones are moved apart.
void MoveIds(uint32_t cycle, TypedArgs* typed) {
  constexpr int kBits = 40;
  for (auto& [stat, value] : typed->ints) {
    if (stat == IntStat::kCorrelationId || stat == IntStat::kExternalId)
      value = SaturatingAdd(value, int64_t{cycle % 4096} << kBits);
  }
}

Status ReadStretch(const EventPlaces::Stretch& stretch, const ArgsSource::File& file,
                   const NameTable& names, Reader* reader, TypedColumns* columns) {
  const ArgsSource::File::Part part = file.PartAt(stretch.begin);
  ArgsText::Stretch& bytes = reader->bytes;
  const uint64_t begin = stretch.begin - part.begin, end = stretch.end - part.begin;
  if (Status s = bytes.Read(part.text, begin, end); !s.ok()) return s;
  TypedArgs typed;
  for (const EventPlaces::Place& place : stretch.places) {
    const uint64_t offset = begin + place.offset;
    const bool memory = names.metas[place.meta].category == EventCategory::kMemoryEvent;
    if (reader->forms.Read(bytes.From(offset), place.meta, memory, &typed)) {
      if (part.cycle > 0) MoveIds(part.cycle, &typed);
      columns->Add(place.row, typed);
      continue;
    }
    const Result<std::string_view> event = bytes.Value(offset);
    if (!event.ok()) return event.status();
    const std::string_view args = ArgsOf(*event);
    if (args.empty()) continue;
    ReadTypedArgs(args, memory, &typed);
    if (part.cycle > 0) MoveIds(part.cycle, &typed);
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

// TensorFlow 1's timelines have the name and the type of an op as two arguments.
void JoinOpNames(StatTable* table) {
  const auto text = [&](StringStat stat) -> SparseColumn<StringId>& {
    return table->texts[static_cast<size_t>(stat)];
  };
  SparseColumn<StringId> names = std::exchange(text(StringStat::kOpName), {});
  SparseColumn<StringId> types = std::exchange(text(StringStat::kOpType), {});
  if (!text(StringStat::kTfOp).empty()) return;
  std::vector<uint32_t> rows;
  std::vector<StringId> ops;
  types.ForAll([&](uint32_t row, StringId type) {
    const auto name = names.Find(EventRow(row));
    if (!name) return;
    rows.push_back(row);
    ops.push_back(table->strings->Intern(std::string(table->strings->View(*name)) + ":" +
                                         std::string(table->strings->View(type))));
  });
  text(StringStat::kTfOp).Append(rows, ops);
}

}  // namespace

ArgsSource::File::Part ArgsSource::File::PartAt(uint64_t offset) const {
  for (size_t i = later.size(); i > 0; --i) {
    const Later& part = later[i - 1];
    if (offset >= part.begin) return {&part.text, part.begin, static_cast<uint32_t>(i)};
  }
  return {&text, 0, 0};
}

size_t ArgsSource::resident_bytes() const {
  size_t bytes = 0;
  for (const File& f : files_) {
    bytes += f.text.resident_bytes() + f.ends.size() * sizeof(f.ends[0]);
    for (const Later& part : f.later) bytes += part.text.resident_bytes();
  }
  return bytes;
}

Result<std::vector<Stat>> ArgsSource::Decode(const Trace& trace, EventRow row) const {
  std::vector<Stat> stats;
  const auto place = RefOfRow(trace, row);
  if (!place || place->source >= files_.size()) return stats;
  const File& file = files_[place->source];
  const uint64_t offset = place->ref;
  std::string buffer, end_buffer;
  const auto value_at = [&file](uint64_t at, std::string* bytes) {
    const File::Part part = file.PartAt(at);
    return part.text->Value(at - part.begin, bytes);
  };
  const Result<std::string_view> event = value_at(offset, &buffer);
  if (!event.ok()) return event.status();
  AppendArgs(*event, &stats);
  const auto end =
      std::lower_bound(file.ends.begin(), file.ends.end(), std::pair(offset, uint64_t{0}));
  if (end != file.ends.end() && end->first == offset) {
    const Result<std::string_view> closing = value_at(end->second, &end_buffer);
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
  for (const File& file : files_) sizes.push_back(file.size());
  const EventPlaces places(trace, sizes);
  const std::vector<EventPlaces::Stretch>& stretches = places.stretches();
  std::vector<std::unique_ptr<TypedColumns>> parts(stretches.size());
  Reused<Reader> readers;
  FirstError error;  // such as a file that was overwritten
  ParallelFor(stretches.size(), [&](size_t i) {
    if (stop.stop_requested() || error.any()) return;
    auto reader = readers.Take();
    parts[i] = std::make_unique<TypedColumns>(&reader->texts, reader->last);
    error.Set(ReadStretch(stretches[i], files_[stretches[i].file], trace.names(), reader.get(),
                          parts[i].get()));
    reader->last = parts[i].get();
    readers.Give(std::move(reader));
  });
  if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  if (error.any()) return error.Take();
  auto table = std::make_shared<StatTable>();
  Gather(parts, trace.set.rows, table.get());
  MarkRoots(table.get());
  JoinOpNames(table.get());
  table->ShrinkToFit();
  std::shared_ptr<const StatTable> done = std::move(table);
  return done;
}

}  // namespace stepscope::chrome
