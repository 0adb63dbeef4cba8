// The loader of Chrome trace events, which TensorFlow, JAX, PyTorch and others write
// (docs/chrome.md). The text is cut into batches of events (splitter.h) that all cores parse
// (file_parser.h), their events are collected by thread (file_events.h), and tracks are built of
// them (chrome_track_builder.h).
#include "loaders/loader.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "loaders/chrome_json/args_source.h"
#include "loaders/chrome_json/chrome_track_builder.h"
#include "loaders/chrome_json/file_parser.h"
#include "loaders/chrome_json/named_processes.h"
#include "loaders/chrome_json/recordings.h"
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
                                    .one_run = true},
                                   Recorder::kTimeline};

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
  uint32_t cycle = 0;          // of its process
  Ps earlier = 0;              // so much time between cycles is left out before it
  LoadedFile* same = nullptr;  // the file of the first cycle of its process; null: this one
  std::optional<int64_t> base_ns;
  std::vector<DeviceProperties> devices;
  std::string version;                        // RecordingHeader::version
  std::vector<std::string> asked, not_asked;  // RecordingHeader
  bool unix_clock = false;
  bool cycles = false;    // it has the events of later cycles, too
  bool host_cut = false;  // it or a later cycle is cut
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

void CountUnread(const std::string& label, const TopMember& member, Diagnostics* out);

// "; 5 samples in `samples` are not read" of a file without events; may be empty.
std::string UnreadText(const LoadedFile& file) {
  Diagnostics unread;
  for (const TopMember& member : file.parsed.members) CountUnread({}, member, &unread);
  const Diagnostic* found = unread.Find(RecordingLoss::kUnreadMember);
  if (found == nullptr) return {};
  std::string text;
  for (const std::string& place : found->first)  // ": 5 samples in ..."
    text += "; " + place.substr(std::min<size_t>(2, place.size()));
  return text;
}

// "a.json: no events in it (0 events, 2 names)"
Status NoEvents(const LoadedFile& file) {
  size_t names = 0;
  for (const ProcessInfo& process : file.events.processes) names += process.name.value != 0;
  for (const ThreadEvents& thread : file.events.threads) names += thread.info.name.value != 0;
  const uint64_t others = file.events.diagnostics.count(ChromeDiagnostic::kNoPhase);
  if (others > 0)
    return {ErrorCode::kFormat, file.input.path + ": no events in it: " + std::to_string(others) +
                                    " of its objects have no phase (\"ph\")"};
  const std::string said =
      names > 0 ? " (0 events, " + std::to_string(names) + (names > 1 ? " names)" : " name)") : "";
  return {ErrorCode::kFormat, file.input.path + ": no events in it" + said + UnreadText(file)};
}

Status LoadFile(const InputFile& input, const LoadOptions& options, const std::stop_token& stop,
                Progress* progress, LoadedFile* file) {
  file->input = input;
  file->rank = input.rank;
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
  if (!file->events.has_span && file->events.memory.empty()) return NoEvents(*file);
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

// The id of the process with most threads of the host.
std::string MainProcess(const FileEvents& events) {
  std::map<uint32_t, size_t> threads;
  for (const ThreadEvents& thread : events.threads) threads[thread.pid] += thread.host;
  const auto most = std::max_element(threads.begin(), threads.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == threads.end() || most->second == 0 ? std::string()
                                                    : std::string(events.IdText(most->first));
}

RecordedFile RecordedFileOf(const LoadedFile& file) {
  RecordedFile recorded;
  recorded.worker = WorkerInName(file.input.host);
  recorded.process = MainProcess(file.events);
  recorded.rank = file.rank;
  recorded.begin_ns = static_cast<int64_t>(file.begin_ps / kPsPerNs);
  recorded.end_ns = SaturatingAdd(recorded.begin_ns, file.events.span.length() / kPsPerNs);
  return recorded;
}

using Files = std::vector<std::unique_ptr<LoadedFile>>;

// What --run opens: a recording, or one cycle of it.
struct Choice {
  std::string name;
  std::vector<SameTime> cycles;
};

std::string NameOfCycle(const Files& files, const SameTime& cycle) {
  const std::string& first = files[cycle.front()]->input.host;
  const size_t more = cycle.size() - 1;
  return more == 0 ? first : first + " and " + std::to_string(more) + " more";
}

std::vector<Choice> ChoicesOf(const Files& files, const std::string& folder,
                              std::vector<Recording> recordings) {
  std::vector<Choice> choices;
  for (const Recording& recording : recordings) {
    const size_t cycles = recording.cycles.size();
    std::string name = NameOfCycle(files, recording.cycles.front());
    if (cycles > 1) name += " (" + std::to_string(cycles) + " cycles)";
    if (recordings.size() == 1) name = folder;
    choices.push_back({std::move(name), recording.cycles});
    for (size_t c = cycles; cycles > 1 && c > 0; --c)
      choices.push_back({NameOfCycle(files, recording.cycles[c - 1]), {recording.cycles[c - 1]}});
  }
  return choices;
}

// One after the other: leaves out the time between the cycles, and finds the file of each process
// in the cycles before.
void PutInARow(const std::vector<SameTime>& cycles, std::span<const RecordedFile> recorded,
               Files* files, Trace* trace) {
  Int128 end = 0, earlier = 0;
  std::vector<uint32_t> firsts;
  for (size_t c = 0; c < cycles.size(); ++c) {
    Int128 begin = (*files)[cycles[c].front()]->begin_ps, last = begin;
    for (const uint32_t i : cycles[c]) {
      const LoadedFile& file = *(*files)[i];
      begin = std::min(begin, file.begin_ps);
      last = std::max(last, file.begin_ps + file.events.span.length());
    }
    if (c > 0) earlier += begin - end;
    end = last;
    for (const uint32_t i : cycles[c]) {
      LoadedFile& file = *(*files)[i];
      file.cycle = static_cast<uint32_t>(c);
      file.earlier = static_cast<Ps>(std::clamp<Int128>(earlier, 0, kMaxPs));
      const auto first = std::find_if(firsts.begin(), firsts.end(), [&](uint32_t f) {
        return (*files)[f]->cycle < c && IsSameProcess(recorded[f], recorded[i]);
      });
      if (first == firsts.end()) {
        firsts.push_back(i);
      } else {
        file.same = (*files)[*first].get();
      }
    }
    // The times become those of the axis when its origin is known.
    const Int128 on_axis = begin - earlier;
    trace->cycles.push_back(
        {NameOfCycle(*files, cycles[c]),
         {static_cast<Ps>(on_axis / kPsPerNs), static_cast<Ps>((last - earlier) / kPsPerNs)},
         static_cast<int64_t>(begin / kPsPerNs)});
  }
}

void SayWhatIsShown(const std::vector<Choice>& choices, const Choice& chosen, Trace* trace) {
  for (const Cycle& cycle : trace->cycles)
    trace->diagnostics.Count("recording.cycle", Severity::kInfo,
                             "Recordings of one process are shown one after the other, without the "
                             "time between them.",
                             cycle.name);
  for (const Choice& choice : choices) {
    const bool inside =
        std::any_of(choice.cycles.begin(), choice.cycles.end(), [&](const SameTime& cycle) {
          return std::find(chosen.cycles.begin(), chosen.cycles.end(), cycle) !=
                 chosen.cycles.end();
        });
    if (inside) continue;
    trace->diagnostics.Count("recording.other", Severity::kInfo,
                             "The folder has recordings of other times, which are not shown: the "
                             "list of runs, or --run NAME, opens one.",
                             choice.name);
  }
}

// Keeps the files of one recording: the one that is asked for, or the newest.
void ChooseRecording(const std::string& wanted, Files* files, Trace* trace) {
  const bool placed = std::all_of(files->begin(), files->end(), [](const auto& file) {
    return file->unix_clock && file->events.has_span;
  });
  if (files->size() < 2 || !placed) return;
  std::vector<RecordedFile> recorded;
  for (const auto& file : *files) recorded.push_back(RecordedFileOf(*file));
  const std::vector<Choice> choices = ChoicesOf(*files, trace->run, GroupRecordings(recorded));
  if (choices.size() < 2) return;
  auto chosen = std::find_if(choices.begin(), choices.end(),
                             [&](const Choice& choice) { return choice.name == wanted; });
  if (chosen == choices.end()) chosen = choices.begin();
  for (const Choice& choice : choices) trace->runs.push_back(choice.name);
  trace->run = chosen->name;
  if (chosen->cycles.size() > 1) PutInARow(chosen->cycles, recorded, files, trace);
  SayWhatIsShown(choices, *chosen, trace);
  std::vector<bool> kept(files->size());
  for (const SameTime& cycle : chosen->cycles) {
    for (const uint32_t i : cycle) kept[i] = true;
  }
  size_t at = 0;
  std::erase_if(*files, [&](const auto&) { return !kept[at++]; });
}

// Moves the cycles from Unix time in nanoseconds to the axis of the trace.
void PlaceCycles(const Origin& origin, Trace* trace) {
  const auto on_axis = [&](Ps unix_ns) {
    return static_cast<Ps>(
        std::clamp<Int128>(Int128{unix_ns} * kPsPerNs - origin.unix_ps, kMinPs, kMaxPs));
  };
  for (Cycle& cycle : trace->cycles)
    cycle.span = {on_axis(cycle.span.begin), on_axis(cycle.span.end)};
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

Ps ShiftOf(const LoadedFile& file, const Origin& origin) {
  const Int128 shift =
      file.begin_ps - file.events.span.begin - origin.Of(file) - Int128{file.earlier};
  return static_cast<Ps>(std::clamp<Int128>(shift, kMinPs, kMaxPs));
}

void ReportFile(const LoadedFile& file, Trace* trace) {
  file.events.diagnostics.Report(file.label, &trace->diagnostics);
  CountLosses(file, &trace->diagnostics);
  if (file.parsed.cut)
    trace->diagnostics.CountTruncated(file.label + " byte " + std::to_string(file.inflated_bytes));
  trace->file_bytes += file.file_bytes;
  trace->inflated_bytes += file.inflated_bytes;
}

// Puts the events of a later cycle behind those of the first one, and its text behind that text.
void AppendCycle(const Origin& origin, LoadedFile* later, ArgsSource::File* text,
                 TraceBuilder* builder) {
  LoadedFile& first = *later->same;
  first.cycles = true;
  first.host_cut = first.host_cut || later->parsed.cut;
  const uint64_t begin = text->NextBegin();
  const Ps shift = SaturatingSub(ShiftOf(*later, origin), ShiftOf(first, origin));
  if (first.devices.empty()) first.devices = later->devices;
  ReportFile(*later, &builder->trace());
  first.events.Append(&later->events, {shift, begin});
  text->later.push_back({begin, TextOf(*later)});
}

// Leaves one file for each process, with the events of all its cycles. Returns their texts.
std::vector<ArgsSource::File> JoinCycles(const Origin& origin, Files* files,
                                         TraceBuilder* builder) {
  std::vector<ArgsSource::File> texts;
  std::map<const LoadedFile*, size_t> places;
  std::vector<LoadedFile*> later;
  for (const auto& file : *files) {
    if (file->same != nullptr) {
      later.push_back(file.get());
    } else {
      places[file.get()] = texts.size();
      texts.push_back({TextOf(*file), {}});
    }
  }
  std::stable_sort(later.begin(), later.end(),
                   [](const LoadedFile* a, const LoadedFile* b) { return a->cycle < b->cycle; });
  for (LoadedFile* file : later) AppendCycle(origin, file, &texts[places[file->same]], builder);
  std::erase_if(*files, [](const auto& file) { return file->same != nullptr; });
  return texts;
}

void AddFile(uint32_t index, const Origin& origin, LoadedFile* file, MetaTable* metas,
             TraceBuilder* builder, const std::stop_token& stop) {
  Host host;
  const std::string worker(WorkerInName(file->input.host));
  const std::string name = file->cycles && !worker.empty() ? worker : HostNameOf(*file);
  host.name = builder->strings().Intern(WithRank(name, file->rank));
  host.file = file->input.path;
  host.rank = file->rank;
  host.cut = file->parsed.cut || file->host_cut;
  if (file->unix_clock) host.start_unix_ns = static_cast<int64_t>(file->begin_ps / kPsPerNs);
  TrackPlacement placement;
  placement.host = builder->AddHost(std::move(host));
  placement.file = file->label;
  placement.source = index;
  placement.devices = file->devices;
  placement.shift = ShiftOf(*file, origin);
  Trace& trace = builder->trace();
  const NamedProcesses named(file->events, builder->strings());
  if (named.IsTimeline()) trace.format = &kTimeline;
  BuildTracks(placement, named, &file->events, metas, builder, stop);
  RecordingHeader& recording = trace.recording;
  if (recording.version.empty()) recording.version = file->version;
  if (recording.asked.empty()) recording.asked = std::move(file->asked);
  if (recording.not_asked.empty()) recording.not_asked = std::move(file->not_asked);
  ReportFile(*file, &trace);
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
  ChooseRecording(options.run, &files, &builder.trace());
  const Origin origin = ChooseOrigin(files);
  PlaceCycles(origin, &builder.trace());
  progress.SetStage("Linking arrows");
  std::vector<ArgsSource::File> texts = JoinCycles(origin, &files, &builder);
  for (uint32_t i = 0; i < files.size(); ++i) {
    if (origin.unix_clock && !files[i]->unix_clock)
      files[i]->events.diagnostics.Count(ChromeDiagnostic::kNoCommonClock, 0);
    AddFile(i, origin, files[i].get(), &metas, &builder, stop);
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    texts[i].ends = std::move(files[i]->events.ends);
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
