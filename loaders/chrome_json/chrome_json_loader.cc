// The loader of Chrome trace events, which TensorFlow, JAX, PyTorch and others write
// (docs/chrome.md). The text is cut into batches of events (splitter.h) that all cores parse
// (file_parser.h), their events are collected by thread (file_events.h), and tracks are built of
// them (chrome_track_builder.h).
#include "loaders/loader.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "loaders/chrome_json/args_source.h"
#include "loaders/chrome_json/chrome_track_builder.h"
#include "loaders/chrome_json/file_parser.h"
#include "loaders/chrome_json/named_processes.h"
#include "loaders/common/json_cursor.h"
#include "model/analysis/naming/short_label.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace chrome {

using namespace json;

namespace {

// Times below this from the file's own zero stay as they are: the writer's zero is the start of its
// profile.
constexpr Int128 kOwnZero = Int128{10} * kPsPerS;
// Timestamps of old PyTorch files count from 1970: those between 2000 and 2100 are read as such.
constexpr Int128 kYear2000 = Int128{946'684'800} * kPsPerS;
constexpr Int128 kYear2100 = Int128{4'102'444'800} * kPsPerS;
// Files further apart have no place in one trace, whose times reach 106 days.
constexpr Int128 kFarthest = Int128{100 * 86'400} * kPsPerS;

// What tensorflow.python.client.timeline writes: one call of Session.run().
constexpr TraceFormat kTimeline = {"TensorFlow 1 timeline",
                                   {.event_categories = true,
                                    .long_names_for_tf_op = true,
                                    .argument_names = true,
                                    .chrome_events = true,
                                    .one_run = true}};

// One file, parsed, before its tracks are made.
struct LoadedFile {
  explicit LoadedFile(TraceBuilder* builder, MetaTable* metas) : events(builder, metas) {}
  InputFile input;
  std::string label;  // file name, for diagnostics
  FileEvents events;
  ParsedFile parsed;
  // The file that arguments are read from again when the text is not kept.
  std::shared_ptr<const ByteSource> reread;
  uint64_t file_bytes = 0, inflated_bytes = 0;
  // From the members around the event list.
  std::string host_name;
  int rank = -1;
  std::optional<int64_t> base_ns;
  std::vector<DeviceProperties> devices;
  std::string version;                        // RecordingHeader::version
  std::vector<std::string> asked, not_asked;  // RecordingHeader
  bool unix_clock = false;
  bool far_away = false;  // too far from most files: it starts at 0
  // Times count from the origin of the trace that was exported, whatever begins first.
  bool own_origin = false;
  Int128 begin_ps = 0;  // its first event: Unix time with unix_clock, else by its own clock
  Int128 zero_ps = 0;   // its candidate for t = 0: the first event, or the file's own origin
};

DeviceProperties ReadDevice(std::string_view object) {
  DeviceProperties device;
  ForEachMember(object, [&](std::string_view key, std::string_view value) {
    std::string name, text;
    Unescape(key, &name);
    if (key == "id")
      device.id = static_cast<int>(std::clamp<int64_t>(ParseInt(value).value_or(-1), -1, 1 << 20));
    if (!value.empty() && value.front() == '"') {
      Unescape(value, &text);
      if (key == "name") device.name = text;
      device.stats.push_back({name, text});
    } else if (const auto whole = ParseInt(value)) {
      device.stats.push_back({name, *whole});
    } else if (const auto real = ParseReal(value)) {
      device.stats.push_back({name, *real});
    }
    return true;
  });
  return device;
}

// Options of torch.profiler, which it writes beside the events as 0 or 1.
constexpr std::string_view kOptions[] = {"record_shapes", "profile_memory", "with_stack",
                                         "with_flops", "with_modules"};

void ReadOption(const TopMember& m, LoadedFile* file) {
  if (std::find(std::begin(kOptions), std::end(kOptions), m.key) == std::end(kOptions)) return;
  if (m.value == "1" || m.value == "true") file->asked.emplace_back(m.key);
  if (m.value == "0" || m.value == "false") file->not_asked.emplace_back(m.key);
}

void ReadMembers(LoadedFile* file) {
  for (const TopMember& m : file->parsed.members) {
    ReadOption(m, file);
    if (m.key == "schemaVersion") {
      if (const auto number = ParseInt(m.value))
        file->version = "Kineto, schema " + std::to_string(*number);
    }
    if (m.key == "baseTimeNanoseconds") {
      file->base_ns = ParseInt(m.value);
    } else if (m.key == "stepscopeOrigin") {
      file->own_origin = m.value == "true";
    } else if (m.key == "host_name") {
      Unescape(m.value, &file->host_name);
    } else if (m.key == "deviceProperties") {
      ForEachElement(m.value, [&](std::string_view element) {
        file->devices.push_back(ReadDevice(element));
        return true;
      });
    } else if (m.key == "distributedInfo") {
      ForEachMember(m.value, [&](std::string_view key, std::string_view value) {
        if (key == "rank")
          file->rank =
              static_cast<int>(std::clamp<int64_t>(ParseInt(value).value_or(-1), -1, 1 << 30));
        return true;
      });
    }
  }
}

void FindClock(LoadedFile* file) {
  const Int128 base = file->base_ns ? Int128{*file->base_ns} * kPsPerNs : Int128{0};
  file->begin_ps = base + file->parsed.base_ps + file->events.span.begin;
  file->unix_clock = file->base_ns || (file->begin_ps > kYear2000 && file->begin_ps < kYear2100);
  file->zero_ps = file->own_origin ? base : file->begin_ps;
}

Status OpenPlain(const std::string& path, const LoadOptions& options, LoadedFile* file,
                 std::unique_ptr<InflateStream>* stream) {
  Result<std::shared_ptr<const ByteSource>> source =
      OpenByteSource(path, options.max_inflated_bytes, {}, nullptr);
  if (!source.ok()) return source.status();
  file->reread = *source;
  *stream = InflateStream::Of(std::move(source).value());
  return Status::Ok();
}

// Opens the stream to read, and a text for it.
Status OpenStream(const std::string& path, const LoadOptions& options, LoadedFile* file,
                  std::unique_ptr<InflateStream>* stream) {
  Result<std::unique_ptr<InflateStream>> opened = InflateStream::Open(path);
  if (!opened.ok()) return opened.status();
  *stream = std::move(opened).value();
  if (!(*stream)->compressed() && (*stream)->file_bytes() >= options.reread_from_bytes) {
    if (Status s = OpenPlain(path, options, file, stream); !s.ok()) return s;
  }
  file->file_bytes = (*stream)->file_bytes();
  uint64_t most = options.max_inflated_bytes;
  if (!(*stream)->compressed()) most = std::min(most, file->file_bytes + 1);
  Result<std::shared_ptr<TraceText>> text =
      file->reread != nullptr ? TraceText::Passing(most) : TraceText::Reserve(most);
  if (!text.ok()) return text.status();
  file->parsed.text = std::move(text).value();
  return {};
}

Status LoadFile(const InputFile& input, const LoadOptions& options, const std::stop_token& stop,
                Progress* progress, LoadedFile* file) {
  file->input = input;
  file->label = std::filesystem::path(input.path).filename().string();
  ParseOptions parse;
  parse.max_inflated_bytes = options.max_inflated_bytes;
  parse.threads = options.threads;
  std::unique_ptr<InflateStream> stream;
  // An empty source has no bytes in memory either, but nothing to stream.
  const bool in_memory =
      input.opened != nullptr && (input.opened->size() == 0 || !input.opened->bytes().empty());
  if (in_memory) {
    file->parsed.text = TraceText::Of(input.opened);
    file->file_bytes = input.opened->file_bytes();
    if (input.opened->truncated())
      file->events.diagnostics.Count(ChromeDiagnostic::kTruncatedStream, file->parsed.text->size());
  } else if (Status s = OpenStream(input.path, options, file, &stream); !s.ok()) {
    return s;
  }
  Status status =
      ParseFile(input.path, stream.get(), parse, stop, progress, &file->events, &file->parsed);
  if (!status.ok()) return status;
  file->inflated_bytes = file->parsed.text->size();
  if (file->reread != nullptr) file->parsed.text.reset();
  if (progress != nullptr) progress->SetStage("Matching begins and ends");
  file->events.Resolve(file->parsed.base_ps, stop);
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  ReadMembers(file);
  FindClock(file);
  return Status::Ok();
}

// Where t = 0 lies for each clock in use.
struct Origin {
  Int128 unix_ps = 0, own_ps = 0;
  bool unix_clock = false;
  Int128 Of(const LoadedFile& file) const {
    if (file.far_away) return file.zero_ps;
    return file.unix_clock ? unix_ps : own_ps;
  }
};

// Among the files with this clock, the largest group within reach of its first one stays together;
// the others are marked far away. O(n log n).
void MarkFarAway(bool unix_clock, const std::vector<std::unique_ptr<LoadedFile>>& files) {
  std::vector<LoadedFile*> sorted;
  for (const auto& file : files) {
    if (file->events.has_span && file->unix_clock == unix_clock) sorted.push_back(file.get());
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const LoadedFile* a, const LoadedFile* b) {
    return a->zero_ps < b->zero_ps;
  });
  size_t first = 0, count = 0;
  for (size_t begin = 0, end = 0; begin < sorted.size(); ++begin) {
    while (end < sorted.size() && sorted[end]->zero_ps - sorted[begin]->zero_ps <= kFarthest) ++end;
    if (end - begin > count) first = begin, count = end - begin;
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i >= first && i < first + count) continue;
    sorted[i]->far_away = true;
    sorted[i]->events.diagnostics.Count(ChromeDiagnostic::kFarAway, 0);
  }
}

Origin ChooseOrigin(const std::vector<std::unique_ptr<LoadedFile>>& files) {
  for (const bool unix_clock : {false, true}) MarkFarAway(unix_clock, files);
  Origin origin;
  bool any_unix = false, any_own = false;
  for (const auto& file : files) {
    if (!file->events.has_span || file->far_away) continue;
    bool& any = file->unix_clock ? any_unix : any_own;
    Int128& at = file->unix_clock ? origin.unix_ps : origin.own_ps;
    at = any ? std::min(at, file->zero_ps) : file->zero_ps;
    any = true;
  }
  const auto floor_us = [](Int128 t) { return t - ((t % kPsPerUs) + kPsPerUs) % kPsPerUs; };
  const bool exported = files.size() == 1 && files.front()->own_origin;
  if (!exported) origin.unix_ps = floor_us(origin.unix_ps);
  origin.own_ps =
      origin.own_ps >= 0 && origin.own_ps < kOwnZero ? Int128{0} : floor_us(origin.own_ps);
  origin.unix_clock = any_unix;
  return origin;
}

ArgsText TextOf(const LoadedFile& file) {
  if (file.reread != nullptr) return ArgsText(file.reread);
  return ArgsText(file.parsed.text);
}

std::string HostNameOf(const LoadedFile& file) {
  if (!file.host_name.empty()) return file.host_name;
  return file.input.host.empty() ? file.label : file.input.host;
}

// "vm" -> "vm rank 0", "rank_0" -> "rank 0"; a name that has its rank in it already says it.
std::string WithRank(const std::string& name, int rank) {
  if (rank < 0) return name;
  const std::string number = std::to_string(rank);
  constexpr std::string_view kRank = "rank";
  for (size_t at = name.find_first_of("rR"); at != std::string::npos;
       at = name.find_first_of("rR", at + 1)) {
    if (name.compare(at + 1, kRank.size() - 1, kRank.substr(1)) != 0) continue;
    size_t digits = at + kRank.size();
    if (digits < name.size() && std::string_view("_- ").find(name[digits]) != std::string::npos)
      ++digits;
    while (digits < name.size() && name[digits] == '0' && digits + 1 < name.size() &&
           IsDigit(name[digits + 1])) {
      ++digits;  // rank_007
    }
    if (name.compare(digits, number.size(), number) != 0) continue;
    const size_t end = digits + number.size();
    if (end < name.size() && IsDigit(name[end])) continue;
    return at == 0 && end == name.size() ? "rank " + number : name;
  }
  return name + " rank " + number;
}

// TensorFlow's writer stops at so many events.
constexpr uint64_t kWriterLimit = 1'000'000;

// TensorFlow and JAX end the event list of a trace.json with an empty object.
bool IsAtWriterLimit(const FileEvents& events) {
  const uint64_t all = events.event_count + events.lost_times;
  const bool at_limit = all == kWriterLimit || all + events.counter_events == kWriterLimit;
  return at_limit && events.diagnostics.count(ChromeDiagnostic::kEmptyObject) > 0;
}

// The entries of a member that Stepscope does not read: those of a list, of `stackFrames`, which
// belong to samples, or one text of another tracer. Other objects and values describe the
// recording. A member that was too long to keep counts as one.
uint64_t UnreadEntries(const TopMember& member) {
  const std::string& value = member.value;
  uint64_t entries = 0;
  if (value.empty()) return 1;
  if (value.front() == '[' && member.key != "deviceProperties")
    ForEachElement(value, [&](std::string_view) { return ++entries > 0; });
  if (value.front() == '{' && member.key == "stackFrames")
    ForEachMember(value, [&](std::string_view, std::string_view) { return ++entries > 0; });
  return member.key == "systemTraceEvents" && value.front() == '"' ? 1 : entries;
}

// Counts what lies beside the event list, such as `samples`.
void CountUnread(const std::string& label, const TopMember& member, Diagnostics* out) {
  const uint64_t entries = UnreadEntries(member);
  if (entries == 0) return;
  std::string name;
  Unescape(member.key, &name);
  name = "`" + std::string(CutEnd(name, 64)) + "`";
  if (!member.value.empty()) {
    const bool samples = member.key == "samples", one = entries == 1;
    const char* what =
        samples ? (one ? " sample in " : " samples in ") : (one ? " entry in " : " entries in ");
    name = std::to_string(entries) + what + name;
  }
  const char* verb = entries == 1 ? " is not read" : " are not read";
  out->Count(RecordingLoss::kUnreadMember, label + ": " + name + verb, entries);
}

void CountLosses(const LoadedFile& file, Diagnostics* out) {
  const FileEvents& events = file.events;
  if (events.lost_times > 0) {
    out->Count(RecordingLoss::kLostTime,
               file.label + ": " + std::to_string(events.lost_times) + " of " +
                   std::to_string(events.event_count + events.lost_times) +
                   " events have time 0 and length 0",
               events.lost_times);
  }
  if (IsAtWriterLimit(events))
    out->Count(RecordingLoss::kWriterLimit, file.label + ": 1000000 events");
  for (const TopMember& member : file.parsed.members) CountUnread(file.label, member, out);
}

void AddFile(uint32_t index, const Origin& origin, LoadedFile* file, MetaTable* metas,
             TraceBuilder* builder, const std::stop_token& stop) {
  Host host;
  host.name = builder->strings().Intern(WithRank(HostNameOf(*file), file->rank));
  host.file = file->input.path;
  host.rank = file->rank;
  if (file->unix_clock) host.start_unix_ns = static_cast<int64_t>(file->begin_ps / kPsPerNs);
  TrackPlacement placement;
  placement.host = builder->AddHost(std::move(host));
  placement.file = file->label;
  placement.source = index;
  placement.devices = file->devices;
  const Int128 shift = file->begin_ps - file->events.span.begin - origin.Of(*file);
  placement.shift = static_cast<Ps>(std::clamp<Int128>(shift, kMinPs, kMaxPs));
  Trace& trace = builder->trace();
  const NamedProcesses named(file->events, builder->strings());
  if (named.IsTimeline()) trace.format = &kTimeline;
  BuildTracks(placement, named, &file->events, metas, builder, stop);
  file->events.diagnostics.Report(file->label, &trace.diagnostics);
  CountLosses(*file, &trace.diagnostics);
  if (file->parsed.cut) {
    trace.diagnostics.CountTruncated(file->label + " byte " + std::to_string(file->inflated_bytes));
  }
  RecordingHeader& recording = trace.recording;
  if (recording.version.empty()) recording.version = file->version;
  if (recording.asked.empty()) recording.asked = std::move(file->asked);
  if (recording.not_asked.empty()) recording.not_asked = std::move(file->not_asked);
  trace.file_bytes += file->file_bytes;
  trace.inflated_bytes += file->inflated_bytes;
}

bool Sniff(std::span<const std::byte> prefix) {
  std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const auto next = [&text] {
    const size_t at = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(std::min(at, text.size()));
    const char c = text.empty() ? '\0' : text.front();
    if (!text.empty()) text.remove_prefix(1);
    return c;
  };
  // An object, or an array of objects. Its members cannot be checked: they may come much later.
  const char first = next(), second = next();
  if (first == '{') return second == '"' || second == '}';
  return first == '[' && (second == '{' || second == ']' || second == '\0');
}

constexpr TraceFormat kChromeTrace = {"Chrome trace",
                                      {.event_categories = true,
                                       .pytorch_events = true,
                                       .torch_profiler = true,
                                       .long_names_for_tf_op = true,
                                       .argument_names = true,
                                       .chrome_events = true,
                                       .any_program = true}};

using Kind = FileEnding::Kind;
constexpr FileEnding kEndings[] = {
    {"perfetto_trace.json", Kind::kSkipped, "a copy of the trace for the Perfetto UI"},
    {"execution_details.json", Kind::kSkipped, "what the graph captures beside it are of"},
    {".pt.trace.json", Kind::kOwn},
    {".trace.json", Kind::kCommon},
    {".json", Kind::kLoose},
};

Status Load(TraceBuilder& builder, std::span<const InputFile> inputs, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  builder.trace().format = &kChromeTrace;
  MetaTable metas;
  std::vector<std::unique_ptr<LoadedFile>> files;
  Status loaded = LoadEach(inputs, &builder.trace(), [&](const InputFile& input) {
    auto file = std::make_unique<LoadedFile>(&builder, &metas);
    Status status = LoadFile(input, options, stop, &progress, file.get());
    if (status.ok()) files.push_back(std::move(file));
    return status;
  });
  if (!loaded.ok()) return loaded;
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& a, const auto& b) { return a->rank < b->rank; });
  const Origin origin = ChooseOrigin(files);
  progress.SetStage("Linking arrows");
  std::vector<ArgsSource::File> texts;
  for (uint32_t i = 0; i < files.size(); ++i) {
    if (origin.unix_clock && !files[i]->unix_clock)
      files[i]->events.diagnostics.Count(ChromeDiagnostic::kNoCommonClock, 0);
    AddFile(i, origin, files[i].get(), &metas, &builder, stop);
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    texts.push_back({TextOf(*files[i]), std::move(files[i]->events.ends)});
    files[i].reset();
  }
  if (origin.unix_clock)
    builder.trace().origin_unix_ns = static_cast<int64_t>(origin.unix_ps / kPsPerNs);
  builder.trace().kineto = std::any_of(
      metas.roles.begin(), metas.roles.end(),
      [](const naming::CategoryRole& role) { return role.category != EventCategory::kUnknown; });
  builder.trace().source = std::make_shared<ArgsSource>(std::move(texts));
  return Status::Ok();
}

}  // namespace
}  // namespace chrome

extern const LoaderDesc kChromeJsonLoader;
const LoaderDesc kChromeJsonLoader = {&chrome::kChromeTrace,
                                      "Chrome trace of PyTorch, TensorFlow or JAX",
                                      chrome::kEndings, chrome::Sniff, chrome::Load};

}  // namespace stepscope
