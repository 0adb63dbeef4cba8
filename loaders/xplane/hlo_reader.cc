#include "loaders/xplane/hlo_reader.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "loaders/xla/hlo_decoder.h"
#include "loaders/xplane/scan/plane_tables.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr std::string_view kHloStat = "Hlo Proto", kProgramIdStat = "program_id";

// The program of an event metadata that has one.
struct HloPlace {
  uint64_t id = 0;    // as the program's events have it
  SourceField proto;  // the HloProto; its begin is 0 where there is none
};

// Finds the HloProto among the stats of an event metadata, in the file: it may be a gigabyte. The
// id of the program is a stat, where there is one, and else that of the metadata. `for_fields`
// walks the fields of a message.
template <typename ForFieldsFn>
HloPlace FindHlo(const PlaneTables& tables, const EventMetaScan& meta, ForFieldsFn for_fields) {
  HloPlace place{static_cast<uint64_t>(meta.id), {}};
  const auto read_stat = [&](const SourceField& message) {
    int64_t id = 0;
    SourceField value;
    for_fields(message, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kVarint) id = static_cast<int64_t>(f.value);
      if (f.number >= kDoubleValue && f.number <= kCompressedValue) value = f;
    });
    const std::string* name = tables.StatName(id);
    if (name == nullptr) return;
    const bool bytes = value.number == kTextValue || value.number == kBytesValue;
    if (*name == kProgramIdStat && value.wire == kVarint) place.id = value.value;
    if (*name == kHloStat && bytes && value.wire == kLen) place.proto = value;
  };
  SourceField metadata;
  metadata.begin = meta.begin;
  metadata.end = meta.end;
  for_fields(metadata, [&](const SourceField& f) {
    if (f.number == 5 && f.wire == kLen) read_stat(f);
  });
  return place;
}

std::string FetchText(WindowReader* reader, const SourceField& f) {
  return std::string(
      reader->Fetch(f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes))));
}

// --- The table of instructions -------------------------------------------------------------------

// Where instructions come from: an index of stack frames, whose ids count from 1.
struct FrameIndex {
  struct Location {
    uint64_t file = 0;
    int32_t line = 0;
  };
  std::vector<std::string_view> files;
  std::vector<Location> locations;
  std::vector<uint64_t> frames;  // ids of locations

  bool Read(std::string_view bytes) {
    return ReadFields(
        MessageIn(bytes), Message(1, [this](const Field& f) { files.push_back(f.text()); }),
        Message(3,
                [this](const Field& f) {
                  Location& location = locations.emplace_back();
                  ReadFields(f, Number(1, &location.file), Number(3, &location.line));
                }),
        Message(4, [this](const Field& f) { ReadFields(f, Number(1, &frames.emplace_back(0))); }));
  }
  template <typename T>
  static const T* At(const std::vector<T>& entries, uint64_t id) {
    return id >= 1 && id <= entries.size() ? &entries[id - 1] : nullptr;
  }
  void SetSource(uint64_t frame, HloInstruction* instruction) const {
    const uint64_t* location_id = At(frames, frame);
    const Location* location = location_id == nullptr ? nullptr : At(locations, *location_id);
    const std::string_view* file = location == nullptr ? nullptr : At(files, location->file);
    if (file == nullptr || !instruction->source_file.empty()) return;
    instruction->source_file = *file;
    instruction->source_line = location->line;
  }
};

class HloReader {
 public:
  HloReader(const FileScan& file, HloTable* table, XspaceDiagnostics* diagnostics,
            std::stop_token stop)
      : reader_(*file.source), table_(table), diagnostics_(diagnostics), stop_(std::move(stop)) {
    for (const auto& [id, program] : table->programs) instructions_ += program.instructions.size();
  }

  const Status& status() const { return reader_.status(); }

  void ReadMetadata(const PlaneTables& tables, const EventMetaScan& meta) {
    const HloPlace place = FindHlo(
        tables, meta, [this](const SourceField& message, auto fn) { ForEach(message, fn); });
    if (place.proto.begin == 0) return;
    HloProgram& program = table_->programs[place.id];
    if (!program.instructions.empty()) return;  // the first of several with one id
    ForEach(place.proto, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kLen) ReadModule(f, &program);
    });
  }

 private:
  template <typename Fn>
  void ForEach(const SourceField& message, Fn fn) {
    SourceFieldReader fields(&reader_, message.begin, message.end);
    SourceField f;
    while (!stop_.stop_requested() && fields.Next(&f)) fn(f);
    if (fields.bad() && reader_.status().ok())
      diagnostics_->Count(XspaceDiagnostic::kBadMetadata, fields.position());
  }

  void ReadModule(const SourceField& module, HloProgram* program) {
    SourceField frames;
    framed_.clear();
    ForEach(module, [&](const SourceField& f) {
      if (f.wire != kLen) return;
      if (f.number == 17) frames = f;
      if (f.number == 1) program->module_name = FetchText(&reader_, f);
      if (f.number != 3) return;
      ForEach(f, [&](const SourceField& i) {
        if (i.number == 2 && i.wire == kLen) ReadInstruction(i, program);
      });
    });
    if (!framed_.empty() && frames.size() > 0) SetSources(frames);
  }

  // Newer versions of XLA name the frame of the stack in place of the file and line.
  void SetSources(const SourceField& f) {
    if (f.size() > kMaxMessageBytes) return;
    FrameIndex index;
    if (!index.Read(reader_.Fetch(f.begin, static_cast<size_t>(f.size()))))
      return diagnostics_->Count(XspaceDiagnostic::kBadMetadata, f.begin);
    for (const auto& [instruction, frame] : framed_) index.SetSource(frame, instruction);
  }

  void ReadInstruction(const SourceField& message, HloProgram* program) {
    if (instructions_ >= kMaxHloInstructions)
      return diagnostics_->Count(XspaceDiagnostic::kHloLimit, message.begin);
    // A constant's data may be huge, but its name comes first, so the message is cut.
    const size_t n = static_cast<size_t>(std::min<uint64_t>(message.size(), kMaxMessageBytes));
    std::string_view name, fusion_kind;
    HloInstruction read;
    uint64_t frame = 0;
    const auto metadata = [&](const Field& f) {
      ReadFields(f, Text(1, &read.op_type), Text(2, &read.op_name), Text(3, &read.source_file),
                 Number(4, &read.source_line), Number(15, &frame));
    };
    FieldReader fields(reader_.Fetch(message.begin, n));
    Field f;
    while (fields.Next(&f)) {
      MatchField(f, Text(1, &name), Text(2, &read.opcode), Message(7, metadata),
                 Text(11, &fusion_kind));
    }
    if ((fields.bad() || fields.clamped()) && n == message.size())
      diagnostics_->Count(XspaceDiagnostic::kBadMetadata, message.begin);
    ++instructions_;
    read.category = fusion_kind.empty() ? std::string_view(read.opcode) : fusion_kind;
    HloInstruction& out = program->instructions[std::string(name)];
    out = std::move(read);
    if (out.source_file.empty() && frame > 0) framed_.emplace_back(&out, frame);
  }

  static constexpr size_t kMaxMessageBytes = 4 << 20;  // of an instruction, or of the stack frames

  WindowReader reader_;
  HloTable* table_;
  XspaceDiagnostics* diagnostics_;
  std::stop_token stop_;
  std::vector<std::pair<HloInstruction*, uint64_t>> framed_;  // of the module, without a source
  size_t instructions_ = 0;
};

// --- Whole programs ------------------------------------------------------------------------------

// HloProto.hlo_module.name
std::string ModuleName(WindowReader* reader, const SourceField& proto) {
  SourceField module, name;
  ReadFields(reader, proto, Message(1, [&module](const SourceField& f) { module = f; }));
  SourceFieldReader fields(reader, module.begin, module.end);
  while (name.number != 1 && fields.Next(&name)) {
  }
  return name.number == 1 && name.wire == kLen ? FetchText(reader, name) : std::string();
}

bool HasPrograms(const PlaneTables& tables) {
  const auto& names = tables.stat_names;
  return std::find(names.begin(), names.end(), kHloStat) != names.end();
}

}  // namespace

Status ReadHlo(const FileScan& file, const PlaneScan& plane, HloTable* table,
               XspaceDiagnostics* diagnostics, const std::stop_token& stop) {
  HloReader reader(file, table, diagnostics, stop);
  for (const EventMetaScan& meta : plane.tables->event_metas) {
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    if (meta.has_stats) reader.ReadMetadata(*plane.tables, meta);
  }
  return reader.status();
}

std::vector<xla::ProgramEntry> ListPrograms(
    std::span<const std::shared_ptr<const ByteSource>> files, std::span<const PlaneParts> planes) {
  std::vector<WindowReader> readers;
  for (const auto& file : files) readers.emplace_back(*file);
  std::vector<xla::ProgramEntry> programs;
  std::unordered_set<uint64_t> ids;  // the first of several with one id counts
  for (const PlaneParts& parts : planes) {
    for (const auto& tables : parts) {
      if (tables->file >= files.size() || !HasPrograms(*tables)) continue;
      WindowReader* reader = &readers[tables->file];
      for (const EventMetaScan& meta : tables->event_metas) {
        if (!meta.has_stats) continue;
        const HloPlace place = FindHlo(
            *tables, meta,
            [reader](const SourceField& message, auto fn) { ForFields(reader, message, fn); });
        if (place.proto.size() == 0 || !ids.insert(place.id).second) continue;
        xla::ProgramEntry& program = programs.emplace_back();
        program.file = tables->file;
        program.id = place.id;
        program.place = place.proto.begin;
        program.bytes = place.proto.size();
        program.name = ModuleName(reader, place.proto);
      }
    }
  }
  return programs;
}

Result<std::string> ReadProgramBytes(const ByteSource& file, const xla::ProgramEntry& program) {
  if (program.bytes > kMaxHloModuleBytes)
    return Status(ErrorCode::kLimit, "the HLO program is larger than 1 GiB");
  std::string bytes(static_cast<size_t>(program.bytes), '\0');
  const Result<size_t> read =
      file.Read(program.place, std::as_writable_bytes(std::span(bytes.data(), bytes.size())));
  if (!read.ok()) return read.status();
  bytes.resize(read.value());
  return bytes;
}

Result<std::shared_ptr<const xla::HloModule>> ReadProgram(const ByteSource& file,
                                                          const xla::ProgramEntry& program,
                                                          const std::stop_token& stop) {
  Result<std::string> bytes = ReadProgramBytes(file, program);
  if (!bytes.ok()) return bytes.status();
  return DecodeHlo(std::move(bytes).value(), stop);
}

}  // namespace stepscope::xplane
