#include "loaders/xplane/scan/file_scan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "loaders/xplane/scan/limits.h"
#include "loaders/xplane/scan/stat_value.h"
#include "loaders/xplane/xplane.pb.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr uint64_t kLongestHead = 20;  // tag and length
constexpr const char* kEnvironmentPlane = "Task Environment";

// Scans a file in one pass. Members are scratch space that is used again for each message.
class Scanner {
 public:
  Scanner(FileScan* scan, StringPool* names, ScanBudget* budget, std::stop_token stop)
      : scan_(scan),
        names_(names),
        budget_(budget),
        stop_(std::move(stop)),
        reader_(*scan->source) {}

  Status Run() {
    for (const auto& [begin, end] : scan_->spaces) {
      if (Status s = Space(begin, end); !s.ok()) return s;
    }
    return {};
  }

 private:
  Status Space(uint64_t begin, uint64_t end) {
    SourceFieldReader fields(&reader_, begin, end);
    SourceField f;
    uint64_t at = begin;
    while (fields.Next(&f)) {
      if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
      SpaceField(f);
      at = fields.position();
    }
    if (!reader_.status().ok()) return reader_.status();
    if (fields.bad()) {
      scan_->diagnostics.Count(XspaceDiagnostic::kBadSpace, at);
      scan_->tail_cut = reader_.size() - at < kLongestHead;
    }
    return {};
  }

  void SpaceField(const SourceField& f) {
    if (f.number < 1 || f.number > 4) return;
    if (f.wire != kLen) {
      scan_->diagnostics.Count(XspaceDiagnostic::kWrongType, f.begin);
      return;
    }
    if (f.clamped) scan_->diagnostics.Count(XspaceDiagnostic::kLengthPastEnd, f.begin);
    if (f.number == 1) return Plane(f);
    std::vector<std::string>* list = f.number == 2   ? &scan_->errors
                                     : f.number == 3 ? &scan_->warnings
                                                     : &scan_->hostnames;
    if (list->size() < kMaxErrors) list->emplace_back(Text(f, &scan_->diagnostics));
  }

  std::string_view Text(const SourceField& f, XspaceDiagnostics* diagnostics) {
    if (f.size() > kMaxNameBytes) diagnostics->Count(XspaceDiagnostic::kNameCut, f.begin);
    return reader_.Fetch(f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes)));
  }

  void Plane(const SourceField& space_field) {
    if (budget_->planes == 0)
      return scan_->diagnostics.Count(XspaceDiagnostic::kTooManyPlanes, space_field.begin);
    --budget_->planes;
    plane_ = &scan_->planes.emplace_back();
    plane_->begin = space_field.begin;
    plane_->end = space_field.end;
    plane_->tables->begin = space_field.begin;
    plane_->file_order = static_cast<uint32_t>(scan_->planes.size() - 1);
    plane_stats_.clear();
    SourceFieldReader fields(&reader_, space_field.begin, space_field.end);
    SourceField f;
    while (!stop_.stop_requested() && fields.Next(&f)) PlaneField(f);
    if (fields.bad() && reader_.status().ok())
      plane_->diagnostics.Count(XspaceDiagnostic::kBadPlane, fields.position());
    ResolvePlaneStats();
  }

  void PlaneField(const SourceField& f) {
    if (f.number < 1 || f.number > 6) return;
    if (f.wire != (f.number == 1 ? kVarint : kLen))
      return plane_->diagnostics.Count(XspaceDiagnostic::kWrongType, f.begin);
    if (f.wire == kLen && f.clamped)
      plane_->diagnostics.Count(XspaceDiagnostic::kLengthPastEnd, f.begin);
    switch (f.number) {
      case 1:
        plane_->id = static_cast<int64_t>(f.value);
        break;
      case 2:
        plane_->name = Text(f, &plane_->diagnostics);
        break;
      case 3:
        Line(f);
        break;
      case 4:
        EventMetadata(f);
        break;
      case 5:
        StatMetadata(f);
        break;
      default:
        PlaneStatField(f);
        break;
    }
  }

  // Reads the head of a line: the fields before its first event.
  void Line(const SourceField& line_field) {
    if (budget_->lines == 0)
      return plane_->diagnostics.Count(XspaceDiagnostic::kTooManyLines, line_field.begin);
    --budget_->lines;
    LineScan& line = plane_->lines.emplace_back();
    line.begin = line_field.begin;
    line.end = line_field.end;
    line.file_order = static_cast<uint32_t>(plane_->lines.size() - 1);
    SourceFieldReader fields(&reader_, line.begin, line.end);
    SourceField f;
    // Garbage is not counted here: ParseLine meets it again and counts it.
    while (!line.has_events && fields.Next(&f)) {
      if (f.number == 1 && f.wire == kVarint) line.id = static_cast<int64_t>(f.value);
      if (f.number == 2 && f.wire == kLen) line.name = Text(f, &plane_->diagnostics);
      if (f.number == 3 && f.wire == kVarint) line.timestamp_ns = static_cast<int64_t>(f.value);
      if (f.number == 4 && f.wire == kLen) line.has_events = true;
    }
  }

  // A map entry: its key and its value. An entry that is too large to hold is walked in the file.
  struct Entry {
    int64_t key = 0;
    bool has_key = false;
    uint64_t begin = 0, end = 0;  // where the value lies in the file
  };
  Entry MapEntry(const SourceField& entry_field) {
    Entry entry;
    SourceFieldReader fields(&reader_, entry_field.begin, entry_field.end);
    SourceField f;
    while (fields.Next(&f)) {
      if (f.number == 1 && f.wire == kVarint) {
        entry.key = static_cast<int64_t>(f.value);
        entry.has_key = true;
      } else if (f.number == 2 && f.wire == kLen) {
        entry.begin = f.begin;
        entry.end = f.end;
        if (f.clamped) plane_->diagnostics.Count(XspaceDiagnostic::kLengthPastEnd, f.begin);
      }
    }
    if (fields.bad()) plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, fields.position());
    return entry;
  }

  void EventMetadata(const SourceField& entry_field) {
    if (budget_->event_metadata == 0)
      return plane_->diagnostics.Count(XspaceDiagnostic::kTooManyMetadata, entry_field.begin);
    --budget_->event_metadata;
    const Entry entry = MapEntry(entry_field);
    EventMetaScan meta;
    meta.begin = entry.begin;
    meta.end = entry.end;
    int64_t own_id = 0;
    if (entry.end - entry.begin <= kMaxMessageBytes) {
      const std::string_view bytes =
          reader_.Fetch(entry.begin, static_cast<size_t>(entry.end - entry.begin));
      if (!event_message_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, entry.begin);
      }
      own_id = event_message_.id();
      meta.name = Intern(event_message_.name(), entry.begin);
      meta.display_name = Intern(event_message_.display_name(), entry.begin);
      meta.has_stats = event_message_.stats_size() > 0;
    } else {
      own_id = WalkLargeMetadata(entry, &meta);
    }
    meta.id = entry.has_key ? entry.key : own_id;
    PlaneTables& t = *plane_->tables;
    const uint32_t before = t.event_ids.Set(meta.id, static_cast<uint32_t>(t.event_metas.size()));
    if (before != IdMap::kNone)
      plane_->diagnostics.Count(XspaceDiagnostic::kDuplicateMetadata, entry.begin);
    t.event_metas.push_back(meta);
  }

  int64_t WalkLargeMetadata(const Entry& entry, EventMetaScan* meta) {
    int64_t id = 0;
    SourceFieldReader fields(&reader_, entry.begin, entry.end);
    SourceField f;
    while (fields.Next(&f)) {
      if (f.number == 1 && f.wire == kVarint) id = static_cast<int64_t>(f.value);
      if (f.number == 2 && f.wire == kLen)
        meta->name = names_->Intern(Text(f, &plane_->diagnostics));
      if (f.number == 4 && f.wire == kLen)
        meta->display_name = names_->Intern(Text(f, &plane_->diagnostics));
      if (f.number == 5 && f.wire == kLen) meta->has_stats = true;
    }
    if (fields.bad()) plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, fields.position());
    return id;
  }

  StringId Intern(const std::string& text, uint64_t at) {
    if (text.size() <= kMaxNameBytes) return names_->Intern(text);
    plane_->diagnostics.Count(XspaceDiagnostic::kNameCut, at);
    return names_->Intern(std::string_view(text).substr(0, kMaxNameBytes));
  }

  void StatMetadata(const SourceField& entry_field) {
    if (budget_->stat_metadata == 0)
      return plane_->diagnostics.Count(XspaceDiagnostic::kTooManyMetadata, entry_field.begin);
    --budget_->stat_metadata;
    const Entry entry = MapEntry(entry_field);
    // The name of a stat metadata may be a text value of any length; it is cut at the limit.
    const size_t n =
        static_cast<size_t>(std::min<uint64_t>(entry.end - entry.begin, kMaxMessageBytes));
    const std::string_view bytes = reader_.Fetch(entry.begin, n);
    if (!stat_message_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, entry.begin);
    }
    PlaneTables& t = *plane_->tables;
    const int64_t id = entry.has_key ? entry.key : stat_message_.id();
    const uint32_t before = t.stat_ids.Set(id, static_cast<uint32_t>(t.stat_names.size()));
    if (before != IdMap::kNone)
      plane_->diagnostics.Count(XspaceDiagnostic::kDuplicateMetadata, entry.begin);
    t.stat_names.emplace_back(std::string_view(stat_message_.name()).substr(0, kMaxNameBytes));
  }

  void PlaneStatField(const SourceField& f) {
    if (plane_stats_.size() >= kMaxPlaneStats) return;
    const size_t n = static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes));
    const std::string_view bytes = reader_.Fetch(f.begin, n);
    if (!plane_stats_.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, f.begin);
    }
  }

  // Names of stats come after the lines, so the plane's own stats wait for them.
  void ResolvePlaneStats() {
    for (const pb::XStat& s : plane_stats_) {
      const std::string* name = plane_->tables->StatName(s.metadata_id());
      if (name == nullptr) continue;
      std::optional<decltype(Stat::value)> value = PlainValue(s, *plane_->tables);
      if (!value && s.value_case() == pb::XStat::kBytesValue) value = std::string("<opaque bytes>");
      if (!value) continue;
      PlaneStat stat{*name, *std::move(value)};
      if (plane_->name == kEnvironmentPlane && *name == "profile_start_time") {
        if (const auto* u = std::get_if<uint64_t>(&stat.value)) StartsAt(static_cast<int64_t>(*u));
        if (const auto* i = std::get_if<int64_t>(&stat.value)) StartsAt(*i);
      }
      plane_->stats.push_back(std::move(stat));
    }
  }

  // Sets the start time: of several XSpaces, the earliest counts.
  void StartsAt(int64_t unix_ns) {
    int64_t& start = scan_->start_unix_ns;
    start = scan_->several && start != 0 ? std::min(start, unix_ns) : unix_ns;
  }

  FileScan* scan_;
  StringPool* names_;
  ScanBudget* budget_;
  std::stop_token stop_;
  WindowReader reader_;
  PlaneScan* plane_ = nullptr;
  pb::XEventMetadata event_message_;
  pb::XStatMetadata stat_message_;
  std::vector<pb::XStat> plane_stats_;
};

// Whether a binary file was read and written as text: every byte sequence that is not UTF-8 became
// U+FFFD. Such a file is valid UTF-8 as a whole, which the varints of a real profile never are.
bool LooksTextMangled(std::string_view prefix) {
  size_t replaced = 0;
  for (size_t i = 0; i < prefix.size();) {
    const unsigned char c = static_cast<unsigned char>(prefix[i]);
    const size_t n = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    if (n == 0 || c > 0xf4) return false;
    if (i + n > prefix.size()) break;  // cut by the end of the prefix
    for (size_t k = 1; k < n; ++k) {
      if ((static_cast<unsigned char>(prefix[i + k]) & 0xc0u) != 0x80) return false;
    }
    if (prefix.substr(i, 3) == "\xef\xbf\xbd") ++replaced;
    i += n;
  }
  return replaced >= 8;
}

}  // namespace

Status ScanFile(FileScan* scan, StringPool* names, ScanBudget* budget, std::stop_token stop) {
  const std::string& path = scan->source->path();
  if (scan->source->size() == 0) return {ErrorCode::kFormat, path + ": the file is empty"};
  {
    WindowReader reader(*scan->source);
    if (LooksTextMangled(reader.Fetch(0, 64 << 10))) {
      return {ErrorCode::kFormat,
              path +
                  ": damaged: the file went through a text conversion that replaced its binary "
                  "bytes by U+FFFD "
                  "(first at byte " +
                  std::to_string(reader.Fetch(0, 64 << 10).find("\xef\xbf\xbd")) +
                  "); copy the original again, as binary"};
    }
  }
  Status status = Scanner(scan, names, budget, std::move(stop)).Run();
  if (!status.ok()) return status;
  if (scan->source->truncated())
    scan->diagnostics.Count(XspaceDiagnostic::kTruncatedStream, scan->source->size());
  const bool any = std::any_of(scan->planes.begin(), scan->planes.end(), [](const PlaneScan& p) {
    return !p.name.empty() || !p.lines.empty() || !p.tables->event_metas.empty();
  });
  if (!any && scan->planes.size() <= 1) {
    return {ErrorCode::kFormat, path + ": not an XSpace: no plane could be read from its " +
                                    std::to_string(scan->source->size()) + " bytes"};
  }
  return {};
}

}  // namespace stepscope::xplane
