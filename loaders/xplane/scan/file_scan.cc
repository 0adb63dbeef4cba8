#include "loaders/xplane/scan/file_scan.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace stepscope::xplane {

using namespace proto;

std::string_view WindowReader::Refill(uint64_t offset, size_t n) {
  if (!status_.ok() || offset >= size_) return {};
  n = static_cast<size_t>(std::min<uint64_t>(n, size_ - offset));
  const uint64_t window_end = begin_ + length_;
  const bool forward = offset >= begin_ && offset <= window_end + window_ / 4;
  if (!forward) {
    window_ = kMinWindow;
  } else if (used_ * 8 < length_) {
    window_ = std::max(kMinWindow, window_ / 2);
  } else {
    window_ = std::min(kMaxWindow, window_ * 2);
  }
  const size_t want = static_cast<size_t>(std::min<uint64_t>(std::max(n, window_), size_ - offset));
  used_ = n;
  Read(offset, want);
  if (length_ == 0) return {};
  return {reinterpret_cast<const char*>(data_ + (offset - begin_)),
          static_cast<size_t>(std::min<uint64_t>(n, begin_ + length_ - offset))};
}

void WindowReader::Load(uint64_t begin, uint64_t end) {
  end = std::min(end, size_);
  if (!status_.ok() || begin >= end) return;
  if (begin >= begin_ && end <= begin_ + length_) return;
  Read(begin, static_cast<size_t>(end - begin));
  used_ = length_;
}

// Makes [offset, offset + n) the window; of a source in memory all of it.
void WindowReader::Read(uint64_t offset, size_t n) {
  if (const std::span<const std::byte> all = source_->bytes(); !all.empty()) {
    begin_ = 0;
    length_ = all.size();
    data_ = reinterpret_cast<Bytes>(all.data());
    return;
  }
  if (buffer_.size() < n) buffer_.resize(n);
  if (buffer_.size() > 4 * kMaxWindow && n <= kMaxWindow) {  // frees the room of a huge message
    buffer_.resize(kMaxWindow);
    buffer_.shrink_to_fit();
  }
  Result<size_t> got = source_->Read(offset, std::as_writable_bytes(std::span(buffer_)).first(n));
  if (!got.ok()) status_ = got.status();
  begin_ = offset;
  length_ = got.ok() ? *got : 0;
  data_ = buffer_.data();
}

bool MessageAt(WindowReader* reader, uint64_t at, SourceField* message) {
  const std::string_view head = reader->Fetch(at, 10);  // the longest varint
  const Bytes begin = reinterpret_cast<Bytes>(head.data());
  uint64_t size = 0;
  const Bytes p = ReadVarint(begin, begin + head.size(), &size);
  if (p == nullptr) return false;
  message->begin = at + static_cast<uint64_t>(p - begin);
  message->end = message->begin + std::min(size, reader->size() - message->begin);
  return true;
}

bool SourceFieldReader::Next(SourceField* f) {
  if (at_ >= end_) return false;
  // A tag and a varint or length take at most 20 bytes.
  const std::string_view head =
      reader_->Fetch(at_, static_cast<size_t>(std::min<uint64_t>(20, end_ - at_)));
  const Bytes begin = reinterpret_cast<Bytes>(head.data());
  Field field;
  const Bytes p = ReadFieldHead(begin, begin + head.size(), &field);
  bad_ = p == nullptr || !groups_.Pass(&field);
  if (bad_) return false;
  at_ += static_cast<uint64_t>(p - begin);
  *f = {field.number, field.wire, field.value, f->begin, f->end, false};
  if (f->wire == kLen) {
    f->begin = at_;
    f->clamped = f->value > end_ - at_;
    at_ = f->end = f->clamped ? end_ : at_ + f->value;
  }
  return true;
}

namespace {

constexpr DiagnosticText<XspaceDiagnostic> kDiagnosticTexts[] = {
    {XspaceDiagnostic::kBadSpace, "xplane.bad_space", Severity::kError,
     "Bytes between planes that are no XSpace: the rest of the file could not be read."},
    {XspaceDiagnostic::kBadPlane, "xplane.bad_plane", Severity::kError,
     "Bytes inside a plane that are no field of it: the rest of that plane could not be read."},
    {XspaceDiagnostic::kBadLine, "xplane.bad_line", Severity::kError,
     "Bytes inside a line that are no field of it: the rest of that line could not be read."},
    {XspaceDiagnostic::kBadEvent, "xplane.bad_event", Severity::kWarning,
     "Events with broken bytes: what came before them was kept."},
    {XspaceDiagnostic::kBadMetadata, "xplane.bad_metadata", Severity::kWarning,
     "Metadata entries with broken bytes: what came before them was kept."},
    {XspaceDiagnostic::kLengthPastEnd, "xplane.length_past_end", Severity::kWarning,
     "Lengths that go past the end of what holds them: the file is cut off or damaged; "
     "cut there."},
    {XspaceDiagnostic::kWrongType, "xplane.wrong_wire_type", Severity::kWarning,
     "Known fields of an unexpected type: skipped."},
    {XspaceDiagnostic::kMissingMetadata, "xplane.missing_metadata", Severity::kWarning,
     "Events whose metadata is not in the file: they have no name."},
    {XspaceDiagnostic::kDuplicateMetadata, "xplane.duplicate_metadata", Severity::kWarning,
     "Metadata ids defined more than once: the last definition counts."},
    {XspaceDiagnostic::kNegativeDuration, "xplane.negative_duration", Severity::kWarning,
     "Events of negative duration: shown as instants."},
    {XspaceDiagnostic::kTimeClipped, "xplane.time_clipped", Severity::kWarning,
     "Events further than 106 days from the origin: clipped to there."},
    {XspaceDiagnostic::kZeroBasedLine, "xplane.zero_based_line", Severity::kWarning,
     "Lines that count from the start of profiling beside lines that count from 1970: "
     "shifted to match."},
    {XspaceDiagnostic::kStrayLine, "xplane.stray_line", Severity::kWarning,
     "Lines that start more than 53 days before or after the rest: not used to place the "
     "origin."},
    {XspaceDiagnostic::kTruncatedStream, "xplane.truncated_stream", Severity::kWarning,
     "The compressed file is cut off or damaged: what came out before that was read."},
    {XspaceDiagnostic::kTooManyPlanes, "xplane.too_many_planes", Severity::kWarning,
     "More planes than this program shows: the rest was left out."},
    {XspaceDiagnostic::kTooManyLines, "xplane.too_many_lines", Severity::kWarning,
     "More lines than this program shows: the rest was left out."},
    {XspaceDiagnostic::kTooManyMetadata, "xplane.too_many_metadata", Severity::kWarning,
     "More metadata entries than this program keeps: the rest was left out."},
    {XspaceDiagnostic::kNameCut, "xplane.name_cut", Severity::kInfo,
     "Names longer than 1 MiB: cut."},
    {XspaceDiagnostic::kHloLimit, "xplane.hlo_limit", Severity::kWarning,
     "More HLO instructions than this program keeps: the rest was left out."},
    {XspaceDiagnostic::kBadCounter, "xplane.bad_counter", Severity::kWarning,
     "Counter events without a number."},
};
static_assert(std::size(kDiagnosticTexts) == static_cast<size_t>(XspaceDiagnostic::kCount));

}  // namespace

void XspaceDiagnostics::Report(const std::string& file, const std::string& where,
                               Diagnostics* out) const {
  CountedDiagnostics::Report(kDiagnosticTexts, file, where, out);
}

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

  // A map entry: its key and its value, which may be too large to hold.
  struct Entry {
    int64_t key = 0;
    bool has_key = false;
    SourceField value;
  };
  Entry MapEntry(const SourceField& entry_field) {
    Entry entry;
    uint64_t position = 0;
    const auto read = [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kVarint) {
        entry.key = static_cast<int64_t>(f.value);
        entry.has_key = true;
      } else if (f.number == 2 && f.wire == kLen) {
        entry.value = f;
        if (f.clamped) plane_->diagnostics.Count(XspaceDiagnostic::kLengthPastEnd, f.begin);
      }
    };
    if (!ForFields(&reader_, entry_field, read, &position))
      plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, position);
    return entry;
  }

  // Whether there is room for an entry of metadata; takes it.
  bool TakeRoom(size_t* left, const SourceField& entry_field) {
    if (*left > 0) return (*left)-- > 0;
    plane_->diagnostics.Count(XspaceDiagnostic::kTooManyMetadata, entry_field.begin);
    return false;
  }
  // Maps the id to the next entry of `entries`; the last definition of an id counts.
  template <typename T>
  void SetId(IdMap* ids, int64_t id, const std::vector<T>& entries, const Entry& entry) {
    if (ids->Set(id, static_cast<uint32_t>(entries.size())) != IdMap::kNone)
      plane_->diagnostics.Count(XspaceDiagnostic::kDuplicateMetadata, entry.value.begin);
  }

  // A name, which is cut where it is too long.
  auto Name(uint32_t number, StringId* out) {
    return Message(number, [this, out](const SourceField& f) {
      *out = names_->Intern(Text(f, &plane_->diagnostics));
    });
  }

  void EventMetadata(const SourceField& entry_field) {
    if (!TakeRoom(&budget_->event_metadata, entry_field)) return;
    const Entry entry = MapEntry(entry_field);
    EventMetaScan meta;
    meta.begin = entry.value.begin;
    meta.end = entry.value.end;
    bool whole = true;
    const bool clean = ForFields(&reader_, entry.value, [&](const SourceField& f) {
      whole = whole && !f.clamped;
      MatchField(f, Number(1, &meta.id), Name(2, &meta.name), Name(4, &meta.display_name));
      if (f.number != 5 || f.wire != kLen) return;
      meta.has_stats = true;
      whole = whole && IsWholeStat(f);
    });
    if (!clean || !whole)
      plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, entry.value.begin);
    if (entry.has_key) meta.id = entry.key;
    PlaneTables& t = *plane_->tables;
    SetId(&t.event_ids, meta.id, t.event_metas, entry);
    t.event_metas.push_back(meta);
  }

  // Larger stats are not looked at.
  bool IsWholeStat(const SourceField& f) {
    return f.size() > kMaxStatBytes ||
           ReadXStat(reader_.Fetch(f.begin, static_cast<size_t>(f.size()))).whole;
  }

  void StatMetadata(const SourceField& entry_field) {
    if (!TakeRoom(&budget_->stat_metadata, entry_field)) return;
    const Entry entry = MapEntry(entry_field);
    int64_t id = 0;
    std::string name;  // may be a text value of any length; it is cut at the limit
    const auto set_name = [&](const SourceField& f) {
      name =
          reader_.Fetch(f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes)));
    };
    if (!ReadFields(&reader_, entry.value, Number(1, &id), Message(2, set_name)))
      plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, entry.value.begin);
    PlaneTables& t = *plane_->tables;
    SetId(&t.stat_ids, entry.has_key ? entry.key : id, t.stat_names, entry);
    t.stat_names.push_back(std::move(name));
  }

  void PlaneStatField(const SourceField& f) {
    if (plane_stats_.size() >= kMaxPlaneStats) return;
    plane_stats_.emplace_back(
        reader_.Fetch(f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes))));
    if (!ReadXStat(plane_stats_.back()).whole)
      plane_->diagnostics.Count(XspaceDiagnostic::kBadMetadata, f.begin);
  }

  // Names of stats come after the lines, so the plane's own stats wait for them.
  void ResolvePlaneStats() {
    for (const std::string& message : plane_stats_) {
      const XStat stat = ReadXStat(message);
      const std::string* name = plane_->tables->StatName(stat.id);
      if (name == nullptr) continue;
      std::optional<decltype(Stat::value)> value = PlainValue(stat, *plane_->tables);
      if (!value && stat.value.number == kBytesValue) value = std::string("<opaque bytes>");
      if (!value) continue;
      PlaneStat shown{*name, *std::move(value)};
      if (plane_->name == kEnvironmentPlane && *name == "profile_start_time") {
        if (const auto* u = std::get_if<uint64_t>(&shown.value)) StartsAt(static_cast<int64_t>(*u));
        if (const auto* i = std::get_if<int64_t>(&shown.value)) StartsAt(*i);
      }
      plane_->stats.push_back(std::move(shown));
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
  std::vector<std::string> plane_stats_;  // messages
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

namespace {

void ReportDamage(const FileScan& file, Diagnostics* out) {
  const auto count = [&](std::string place, uint64_t n) {
    out->Count("riegeli.damaged_chunk", Severity::kError,
               "Chunks of a Riegeli file that are damaged: their records are lost, reading went on "
               "behind them.",
               std::move(place), n);
  };
  const riegeli::Damage& damage = file.damage;
  for (const uint64_t place : damage.first)
    count(file.file_name + " byte " + std::to_string(place), 1);
  if (damage.count > damage.first.size()) count({}, damage.count - damage.first.size());
}

// Whether the file ends inside a plane or inside a field.
bool IsCut(const FileScan& file) {
  return file.source->truncated() || file.diagnostics.count(XspaceDiagnostic::kLengthPastEnd) > 0 ||
         file.tail_cut;
}

}  // namespace

void ReportScan(const FileScan& file, Diagnostics* out) {
  file.diagnostics.Report(file.file_name, "", out);
  ReportDamage(file, out);
  if (IsCut(file))
    out->CountTruncated(file.file_name + " byte " + std::to_string(file.source->size()));
  for (const PlaneScan& plane : file.planes) {
    if (plane.diagnostics.any())
      plane.diagnostics.Report(file.file_name, "plane '" + plane.name + "'", out);
  }
}

}  // namespace stepscope::xplane
