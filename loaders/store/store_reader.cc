#include "loaders/store/store_reader.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <set>
#include <utility>

#include "loaders/common/first_error.h"
#include "loaders/memory_snapshot/snapshot_tracks.h"
#include "loaders/store/section.h"
#include "loaders/store/sections.h"

namespace stepscope::store {
namespace {

constexpr size_t kMostSections = 4'000'000;

class StoreReader {
 public:
  StoreReader(std::shared_ptr<const ByteSource> source, const ReadOptions& options,
              const std::stop_token& stop, Progress* progress, TraceBuilder* builder)
      : source_(std::move(source)), stop_(stop), progress_(*progress), context_(*builder) {
    context_.label = std::filesystem::path(source_->path()).filename().string();
    context_.most_bytes = options.most_bytes;
    context_.nested = options.nested;
    preview_ = options.preview;
    context_.stop = stop;
  }

  Status Run() {
    if (Status s = FindAll(); !s.ok()) return s;
    for (const SectionDesc& desc : Sections()) {
      if (Status s = ReadAll(desc); !s.ok()) return s;
      if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    }
    return Finish();
  }

 private:
  Diagnostics& diagnostics() { return context_.builder.trace().diagnostics; }

  Result<std::string> Bytes(uint64_t at, uint64_t size) const {
    std::string bytes(static_cast<size_t>(size), '\0');
    const Result<size_t> n =
        source_->Read(at, std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
    if (!n.ok()) return n.status();
    bytes.resize(*n);
    return bytes;
  }

  // Lists the sections by their headers, up to the index or to where the file was cut.
  Status FindAll() {
    const Result<std::string> begin = Bytes(0, kFileHeaderBytes);
    if (!begin.ok()) return begin.status();
    if (Status s = CheckFileHeader(*begin); !s.ok()) return Named(s);
    uint64_t at = kFileHeaderBytes;
    bool complete = false;
    while (!complete && sections_.size() < kMostSections) {
      const Result<std::string> bytes = Bytes(at, kSectionHeaderBytes);
      if (!bytes.ok()) return bytes.status();
      Section section;
      if (!ReadHeader(*bytes, &section.header)) break;
      section.at = at + kSectionHeaderBytes;
      if (section.header.stored > source_->size() - std::min(source_->size(), section.at)) break;
      at = section.at + section.header.stored;
      complete = section.header.id == kIndexId;
      if (!complete) sections_.push_back(std::move(section));
    }
    if (!preview_ && (!complete || source_->truncated()))
      diagnostics().CountTruncated(context_.label + " byte " + std::to_string(at));
    return {};
  }

  Status Named(const Status& status) const {
    return {status.code(), source_->path() + ": " + status.message()};
  }
  Status TooLarge() const {
    return Named({ErrorCode::kLimit, "the store becomes more than " +
                                         std::to_string(context_.most_bytes) +
                                         " bytes in memory; --max-inflated raises the limit"});
  }

  // The sections of a kind that this program can read; of several with one key, the first.
  std::vector<const Section*> Of(const SectionDesc& desc) {
    std::vector<const Section*> out;
    std::set<uint64_t> keys;
    uint64_t newer = 0;
    for (const Section& section : sections_) {
      if (section.header.id != desc.id) continue;
      if (section.header.version > desc.version) {
        ++newer;
      } else if (keys.insert(desc.count == SectionCount::kOne ? 0 : section.header.key).second) {
        out.push_back(&section);
      } else {
        diagnostics().Count("store.repeated_section", Severity::kWarning,
                            "Parts of the store come again: the first of each is read",
                            PlaceOf(desc, section));
      }
    }
    if (newer > 0) {
      diagnostics().Count("store.newer_section", Severity::kWarning,
                          "A newer program wrote parts of the store: they are left out", desc.id,
                          newer);
    }
    return out;
  }

  std::string PlaceOf(const SectionDesc& desc, const Section& section) const {
    return context_.label + " byte " + std::to_string(section.at) + ", " + desc.what;
  }
  void CountDamaged(const SectionDesc& desc, const Section& section) {
    diagnostics().Count("store.damaged_section", Severity::kWarning,
                        "Parts of the store are damaged: they are left out",
                        PlaceOf(desc, section));
  }

  // The unpacked bytes; kFormat where the section is damaged.
  Result<std::string> Unpack(const Section& section) const {
    const Result<std::string> stored = Bytes(section.at, section.header.stored);
    if (!stored.ok()) return stored.status();
    std::string bytes;
    if (stored->size() != section.header.stored || Checksum(*stored) != section.header.checksum ||
        !Inflate(*stored, section.header.inflated, &bytes))
      return Status(ErrorCode::kFormat, "damaged");
    return bytes;
  }

  // Whether the memory that the section takes is within the limit. Data that is read on demand
  // takes none.
  bool Charge(const SectionDesc& desc, const Section& section) {
    uint64_t bytes = section.header.inflated;
    if (desc.mode == ReadMode::kLater) return bytes <= context_.most_bytes;
    if (section.header.id == kEventSection.id)
      bytes = std::max(bytes, section.header.count * EventColumns::kBytesPerRow);
    return (context_.bytes += bytes) <= context_.most_bytes;
  }

  Status ReadAll(const SectionDesc& desc) {
    if (desc.mode == ReadMode::kPreview && !preview_) return {};
    if (desc.id == kEventSection.id && preview_) return {};
    const std::vector<const Section*> sections = Of(desc);
    // A profile may have no names, but these two are always there.
    const bool always = desc.id == kHeadSection.id || desc.id == kTrackSection.id;
    if (always && sections.empty()) return Nothing();
    for (const Section* section : sections) {
      if (!Charge(desc, *section)) return TooLarge();
    }
    if (desc.id == kEventSection.id) PrepareEvents(sections);
    if (desc.mode == ReadMode::kParallel || desc.mode == ReadMode::kLater)
      return ReadParallel(desc, sections);
    for (const Section* section : sections) {
      if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
      const Result<std::string> bytes = Unpack(*section);
      if (!bytes.ok() && bytes.status().code() != ErrorCode::kFormat) return bytes.status();
      if (!bytes.ok() || !desc.read(context_, *section, *bytes)) {
        if (desc.mode == ReadMode::kNeeded) return Nothing();
        CountDamaged(desc, *section);
      }
      progress_.bytes_done += section->header.stored;
    }
    return {};
  }

  Status Nothing() const {
    return Named(
        {ErrorCode::kFormat,
         "the begin of the store is damaged or missing, so that there is nothing to show"});
  }

  void PrepareEvents(const std::vector<const Section*>& sections) {
    std::vector<EventColumns::Rows> rows;
    for (const Section* section : sections) {
      const SectionHeader& h = section->header;
      if (h.key < EventRow::kInvalid && h.count <= kMaxItems)
        rows.push_back({static_cast<uint32_t>(h.key), h.count});
    }
    context_.events.Prepare(std::move(rows));
  }

  Status ReadParallel(const SectionDesc& desc, const std::vector<const Section*>& sections) {
    enum Outcome : uint8_t { kRead, kDamaged };
    std::vector<uint8_t> outcomes(sections.size(), kDamaged);
    FirstError error;
    ParallelFor(sections.size(), [&](size_t i) {
      if (error.any() || stop_.stop_requested()) return;
      Result<std::string> bytes = Unpack(*sections[i]);
      if (!bytes.ok()) {
        if (bytes.status().code() != ErrorCode::kFormat) error.Set(bytes.status());
        return;
      }
      const bool good = desc.mode == ReadMode::kLater
                            ? desc.check(*sections[i], std::move(bytes).value())
                            : desc.read(context_, *sections[i], *bytes);
      if (good) outcomes[i] = kRead;
      progress_.bytes_done += sections[i]->header.stored;
    });
    if (Status s = error.Take(); !s.ok()) return s;
    if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    for (size_t i = 0; i < sections.size(); ++i) {
      const bool later = desc.mode == ReadMode::kLater;
      if (outcomes[i] == kDamaged || (later && !desc.read(context_, *sections[i], {})))
        CountDamaged(desc, *sections[i]);
    }
    return {};
  }

  Status Finish() {
    progress_.SetStage("Building the timeline");
    Trace& trace = context_.builder.trace();
    const auto metas = static_cast<uint32_t>(context_.builder.names().metas.size());
    for (EventMeta& meta : context_.builder.names().metas) {
      if (meta.plane.value >= trace.planes.size()) meta.plane = PlaneId();
    }
    EventColumns::Built built = context_.events.Finish(TracksOf(context_), metas);
    if (built.missing > 0) {
      diagnostics().Count("store.missing_events", Severity::kWarning,
                          "Events that the store should have are missing", {}, built.missing);
    }
    if (built.refused > 0) {
      diagnostics().Count("store.impossible_events", Severity::kWarning,
                          "Events have times or names that cannot be: they are left out", {},
                          built.refused);
    }
    // The format lives as long as the set's columns, which live as long as the trace.
    const std::shared_ptr<const TraceFormat> format = FormatOf(context_.head);
    built.set.storage = std::make_shared<
        std::pair<std::shared_ptr<const void>, std::shared_ptr<const TraceFormat>>>(
        std::move(built.set.storage), format);
    trace.format = format.get();
    std::vector<Flow> flows;
    flows.reserve(context_.flows.size());
    for (Flow flow : context_.flows) {
      flow.from = built.rows.InPart(flow.from.value);
      flow.to = built.rows.InPart(flow.to.value);
      if (flow.from.valid() && flow.to.valid()) flows.push_back(flow);
    }
    trace.set = std::move(built.set);
    trace.flows = std::move(flows);
    SetSource(std::move(built.rows));
    return {};
  }

  void SetSource(RowMap rows) {
    Trace& trace = context_.builder.trace();
    if (context_.history != nullptr) {
      if (CheckHistory(context_)) {
        ReplayAllocator(context_.history.get());
        trace.source = snapshot::MakeStatSource(std::move(context_.history));
      } else {
        diagnostics().Count("store.damaged_section", Severity::kWarning,
                            "Parts of the store are damaged: they are left out",
                            context_.label + ", a memory snapshot");
      }
      return;
    }
    std::shared_ptr<const std::vector<StoredProgram>> programs;
    if (context_.head.has_programs())
      programs = std::make_shared<const std::vector<StoredProgram>>(std::move(context_.programs));
    if (context_.head.has_arguments()) {
      trace.source = MakeStoreSource(source_, std::move(context_.arguments), std::move(rows),
                                     std::move(programs), context_.most_bytes);
    }
    if (!context_.captures.empty())
      trace.source =
          std::make_shared<SourceWithCaptures>(trace.source, std::move(context_.captures));
  }

  std::shared_ptr<const ByteSource> source_;
  const std::stop_token& stop_;
  Progress& progress_;
  bool preview_ = false;
  std::vector<Section> sections_;
  ReadContext context_;
};

}  // namespace

Status ReadStoreInto(std::shared_ptr<const ByteSource> source, const ReadOptions& options,
                     const std::stop_token& stop, Progress* progress, TraceBuilder* builder) {
  try {
    return StoreReader(std::move(source), options, stop, progress, builder).Run();
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kLimit, "not enough memory to read the store"};
  }
}

Result<std::shared_ptr<const Trace>> ReadStore(std::shared_ptr<const ByteSource> source,
                                               const ReadOptions& options,
                                               const std::stop_token& stop, Progress* progress) {
  TraceBuilder builder;
  builder.trace().path = source->path();
  if (Status s = ReadStoreInto(std::move(source), options, stop, progress, &builder); !s.ok())
    return s;
  return builder.Finish(stop, progress);
}

size_t PreviewBytes(std::string_view begin, size_t* at) {
  *at = std::max(*at, kFileHeaderBytes);
  SectionHeader header;
  while (*at < begin.size() && ReadHeader(begin.substr(*at), &header)) {
    const size_t payload = *at + kSectionHeaderBytes;
    if (header.stored > begin.size() - payload) return 0;
    *at = payload + static_cast<size_t>(header.stored);
    if (header.id == kOverviewSection.id) return *at;
  }
  return 0;
}

Result<std::shared_ptr<const Trace>> ReadPreview(const std::string& path, std::string_view begin,
                                                 uint64_t most_bytes, const std::stop_token& stop) {
  Column<char> copy;
  copy.Resize(begin.size());
  std::copy(begin.begin(), begin.end(), copy.data());
  Progress progress;
  return ReadStore(MakeMemorySource(path, begin.size(), std::move(copy), false),
                   {most_bytes, false, true}, stop, &progress);
}

}  // namespace stepscope::store
