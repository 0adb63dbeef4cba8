#include "loaders/xplane/file_scan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "loaders/xplane/stat_value.h"
#include "loaders/xplane/xplane.pb.h"

namespace stepscope::xplane {
namespace {

constexpr uint64_t kLongestHead = 20;  // tag and length
constexpr const char* kEnvironmentPlane = "Task Environment";

// One pass over a file. Members are scratch space that is used again for each message.
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
      scan_->issues.Count(Issue::kBadSpace, at);
      scan_->tail_cut = reader_.size() - at < kLongestHead;
    }
    return {};
  }

  void SpaceField(const SourceField& f) {
    if (f.number < 1 || f.number > 4) return;
    if (f.wire != kLen) {
      scan_->issues.Count(Issue::kWrongType, f.begin);
      return;
    }
    if (f.clamped) scan_->issues.Count(Issue::kLengthPastEnd, f.begin);
    if (f.number == 1) return Plane(f);
    std::vector<std::string>* list = f.number == 2   ? &scan_->errors
                                     : f.number == 3 ? &scan_->warnings
                                                     : &scan_->hostnames;
    if (list->size() < kMaxErrors) list->emplace_back(Text(f, &scan_->issues));
  }

  std::string_view Text(const SourceField& f, Issues* issues) {
    if (f.size() > kMaxNameBytes) issues->Count(Issue::kNameCut, f.begin);
    return reader_.Fetch(f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes)));
  }

  void Plane(const SourceField& space_field) {
    if (budget_->planes == 0) return scan_->issues.Count(Issue::kTooManyPlanes, space_field.begin);
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
      plane_->issues.Count(Issue::kBadPlane, fields.position());
    ResolvePlaneStats();
  }

  void PlaneField(const SourceField& f) {
    if (f.number < 1 || f.number > 6) return;
    if (f.wire != (f.number == 1 ? kVarint : kLen))
      return plane_->issues.Count(Issue::kWrongType, f.begin);
    if (f.wire == kLen && f.clamped) plane_->issues.Count(Issue::kLengthPastEnd, f.begin);
    switch (f.number) {
      case 1:
        plane_->id = static_cast<int64_t>(f.value);
        break;
      case 2:
        plane_->name = Text(f, &plane_->issues);
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

  // The head of a line: what stands before its first event.
  void Line(const SourceField& line_field) {
    if (budget_->lines == 0) return plane_->issues.Count(Issue::kTooManyLines, line_field.begin);
    --budget_->lines;
    LineScan& line = plane_->lines.emplace_back();
    line.begin = line_field.begin;
    line.end = line_field.end;
    line.file_order = static_cast<uint32_t>(plane_->lines.size() - 1);
    SourceFieldReader fields(&reader_, line.begin, line.end);
    SourceField f;
    // Garbage here is met, and counted, again by the parser of the line.
    while (!line.has_events && fields.Next(&f)) {
      if (f.number == 1 && f.wire == kVarint) line.id = static_cast<int64_t>(f.value);
      if (f.number == 2 && f.wire == kLen) line.name = Text(f, &plane_->issues);
      if (f.number == 3 && f.wire == kVarint) line.timestamp_ns = static_cast<int64_t>(f.value);
      if (f.number == 4 && f.wire == kLen) line.has_events = true;
    }
  }

  // Splits a map entry into its key and its value. Entries too large to hold are walked in the
  // file.
  struct Entry {
    int64_t key = 0;
    bool has_key = false;
    uint64_t begin = 0, end = 0;  // of the value
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
        if (f.clamped) plane_->issues.Count(Issue::kLengthPastEnd, f.begin);
      }
    }
    if (fields.bad()) plane_->issues.Count(Issue::kBadMetadata, fields.position());
    return entry;
  }

  void EventMetadata(const SourceField& entry_field) {
    if (budget_->event_metadata == 0)
      return plane_->issues.Count(Issue::kTooManyMetadata, entry_field.begin);
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
        plane_->issues.Count(Issue::kBadMetadata, entry.begin);
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
    if (before != IdMap::kNone) plane_->issues.Count(Issue::kDuplicateMetadata, entry.begin);
    t.event_metas.push_back(meta);
  }

  int64_t WalkLargeMetadata(const Entry& entry, EventMetaScan* meta) {
    int64_t id = 0;
    SourceFieldReader fields(&reader_, entry.begin, entry.end);
    SourceField f;
    while (fields.Next(&f)) {
      if (f.number == 1 && f.wire == kVarint) id = static_cast<int64_t>(f.value);
      if (f.number == 2 && f.wire == kLen) meta->name = names_->Intern(Text(f, &plane_->issues));
      if (f.number == 4 && f.wire == kLen)
        meta->display_name = names_->Intern(Text(f, &plane_->issues));
      if (f.number == 5 && f.wire == kLen) meta->has_stats = true;
    }
    if (fields.bad()) plane_->issues.Count(Issue::kBadMetadata, fields.position());
    return id;
  }

  StringId Intern(const std::string& text, uint64_t at) {
    if (text.size() <= kMaxNameBytes) return names_->Intern(text);
    plane_->issues.Count(Issue::kNameCut, at);
    return names_->Intern(std::string_view(text).substr(0, kMaxNameBytes));
  }

  void StatMetadata(const SourceField& entry_field) {
    if (budget_->stat_metadata == 0)
      return plane_->issues.Count(Issue::kTooManyMetadata, entry_field.begin);
    --budget_->stat_metadata;
    const Entry entry = MapEntry(entry_field);
    // The name of a stat metadata may be a string value of any length; what is beyond the limit is
    // not shown.
    const size_t n =
        static_cast<size_t>(std::min<uint64_t>(entry.end - entry.begin, kMaxMessageBytes));
    const std::string_view bytes = reader_.Fetch(entry.begin, n);
    if (!stat_message_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      plane_->issues.Count(Issue::kBadMetadata, entry.begin);
    }
    PlaneTables& t = *plane_->tables;
    const int64_t id = entry.has_key ? entry.key : stat_message_.id();
    const uint32_t before = t.stat_ids.Set(id, static_cast<uint32_t>(t.stat_names.size()));
    if (before != IdMap::kNone) plane_->issues.Count(Issue::kDuplicateMetadata, entry.begin);
    t.stat_names.emplace_back(std::string_view(stat_message_.name()).substr(0, kMaxNameBytes));
  }

  void PlaneStatField(const SourceField& f) {
    if (plane_stats_.size() >= kMaxPlaneStats) return;
    const size_t n = static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes));
    const std::string_view bytes = reader_.Fetch(f.begin, n);
    if (!plane_stats_.emplace_back().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      plane_->issues.Count(Issue::kBadMetadata, f.begin);
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

  // Of several XSpaces the first one to start counts.
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

// A binary file that was read and written as text: every byte sequence that is not UTF-8 became
// U+FFFD. What is left is valid UTF-8 as a whole, which the varints of a real profile never are.
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

uint32_t IdMap::Set(int64_t id, uint32_t value) {
  // Dense while the array stays within a few times the number of entries.
  const bool dense = id >= 0 && static_cast<uint64_t>(id) < 4 * size_ + 4096;
  uint32_t* slot = nullptr;
  if (dense && (sparse_ == nullptr || !sparse_->contains(id))) {
    if (static_cast<size_t>(id) >= dense_.size()) {
      dense_.resize(std::max(static_cast<size_t>(id) + 1, dense_.size() * 2), kNone);
      // Numbers beyond what is dense now may have gone to the map before the array grew over them.
      if (sparse_ != nullptr)
        std::erase_if(*sparse_, [&](const auto& entry) {
          const bool covered =
              entry.first >= 0 && static_cast<uint64_t>(entry.first) < dense_.size();
          if (covered) dense_[static_cast<size_t>(entry.first)] = entry.second;
          return covered;
        });
    }
    slot = &dense_[static_cast<size_t>(id)];
  } else if (static_cast<uint64_t>(id) < dense_.size()) {
    slot = &dense_[static_cast<size_t>(id)];
  } else {
    if (sparse_ == nullptr) sparse_ = std::make_unique<std::unordered_map<int64_t, uint32_t>>();
    slot = &sparse_->try_emplace(id, kNone).first->second;
  }
  const uint32_t before = *slot;
  *slot = value;
  if (before == kNone) ++size_;
  return before;
}

uint32_t IdMap::FindSparse(int64_t id) const {
  const auto it = sparse_->find(id);
  return it == sparse_->end() ? kNone : it->second;
}

const PlaneTables& TablesAt(std::span<const std::shared_ptr<const PlaneTables>> parts,
                            uint64_t offset) {
  const auto next = std::upper_bound(
      parts.begin() + 1, parts.end(), offset,
      [](uint64_t at, const std::shared_ptr<const PlaneTables>& t) { return at < t->begin; });
  return **(next - 1);
}

const PlaneTables* TablesOfMeta(std::span<const std::shared_ptr<const PlaneTables>> parts,
                                uint32_t meta) {
  const auto part = std::partition_point(
      parts.begin(), parts.end(),
      [&](const std::shared_ptr<const PlaneTables>& t) { return t->last_meta <= meta; });
  return part != parts.end() && (*part)->first_meta <= meta ? part->get() : nullptr;
}

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
  if (scan->source->truncated()) scan->issues.Count(Issue::kTruncatedStream, scan->source->size());
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
