#include "loaders/xplane/hlo_reader.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "loaders/xplane/hlo.pb.h"
#include "loaders/xplane/scan/limits.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr const char *kHloStat = "Hlo Proto", *kHloProgramIdStat = "program_id";

// Null where there is no such entry; ids count from 1.
const auto* EntryOf(const auto& entries, int32_t id) {
  return id >= 1 && id <= entries.size() ? &entries.Get(id - 1) : nullptr;
}

class HloReader {
 public:
  HloReader(const FileScan& file, HloTable* table, XspaceDiagnostics* diagnostics,
            std::stop_token stop)
      : reader_(*file.source), table_(table), diagnostics_(diagnostics), stop_(std::move(stop)) {
    for (const auto& [id, program] : table->programs) instructions_ += program.instructions.size();
  }

  const Status& status() const { return reader_.status(); }

  // Reads an XEventMetadata: the module is one of its stats.
  void Metadata(const PlaneTables& tables, const EventMetaScan& meta) {
    auto id = static_cast<uint64_t>(meta.id);
    SourceField proto;
    Each(meta.begin, meta.end, [&](const SourceField& f) {
      if (f.number == 5 && f.wire == kLen) Stat(tables, f, &id, &proto);
    });
    if (proto.begin == 0) return;
    HloProgram& program = table_->programs[id];
    if (!program.instructions.empty()) return;  // the first of several with one id
    Each(proto.begin, proto.end, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kLen) Module(f, &program);
    });
  }

 private:
  template <typename Fn>
  void Each(uint64_t begin, uint64_t end, Fn fn) {
    SourceFieldReader fields(&reader_, begin, end);
    SourceField f;
    while (!stop_.stop_requested() && fields.Next(&f)) fn(f);
    if (fields.bad() && reader_.status().ok())
      diagnostics_->Count(XspaceDiagnostic::kBadMetadata, fields.position());
  }

  // The id that the program's events have is a stat, where there is one, and else the metadata's.
  void Stat(const PlaneTables& tables, const SourceField& stat, uint64_t* program_id,
            SourceField* proto) {
    int64_t stat_id = 0;
    SourceField value;
    Each(stat.begin, stat.end, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kVarint) stat_id = static_cast<int64_t>(f.value);
      if (f.number >= 2 && f.number <= 8) value = f;
    });
    const std::string* name = tables.StatName(stat_id);
    if (name == nullptr) return;
    if (*name == kHloProgramIdStat && value.wire == kVarint) *program_id = value.value;
    const bool bytes = value.wire == kLen && (value.number == 5 || value.number == 6);
    if (*name == kHloStat && bytes) *proto = value;
  }

  void Module(const SourceField& module, HloProgram* program) {
    SourceField frames;
    framed_.clear();
    Each(module.begin, module.end, [&](const SourceField& f) {
      if (f.wire != kLen) return;
      if (f.number == 17) frames = f;
      if (f.number == 1)
        program->module_name = reader_.Fetch(
            f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes)));
      if (f.number == 3) {
        Each(f.begin, f.end, [&](const SourceField& i) {
          if (i.number == 2 && i.wire == kLen) Instruction(i, program);
        });
      }
    });
    if (!framed_.empty() && frames.size() > 0) SetSources(frames);
  }

  // Newer versions of XLA name the frame of the stack in place of the file and line.
  void SetSources(const SourceField& f) {
    if (f.size() > kMaxMessageBytes) return;
    const std::string_view bytes = reader_.Fetch(f.begin, static_cast<size_t>(f.size()));
    pb::StackFrameIndexProto index;
    if (!index.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
      return diagnostics_->Count(XspaceDiagnostic::kBadMetadata, f.begin);
    for (const auto& [instruction, frame] : framed_) {
      const auto* stack = EntryOf(index.stack_frames(), frame);
      const auto* location =
          stack == nullptr ? nullptr : EntryOf(index.file_locations(), stack->file_location_id());
      const auto* file =
          location == nullptr ? nullptr : EntryOf(index.file_names(), location->file_name_id());
      if (file == nullptr || !instruction->source_file.empty()) continue;
      instruction->source_file = *file;
      instruction->source_line = location->line();
    }
  }

  void Instruction(const SourceField& f, HloProgram* program) {
    if (instructions_ >= kMaxHloInstructions)
      return diagnostics_->Count(XspaceDiagnostic::kHloLimit, f.begin);
    // A constant's data may be huge, but its name comes first. So the message is cut, and it is
    // expected that it does not parse to the end.
    const size_t n = static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxMessageBytes));
    const std::string_view bytes = reader_.Fetch(f.begin, n);
    const bool whole = message_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (!whole && n == f.size()) diagnostics_->Count(XspaceDiagnostic::kBadMetadata, f.begin);
    ++instructions_;
    HloInstruction& out = program->instructions[message_.name()];
    out.opcode = message_.opcode();
    out.category = message_.fusion_kind().empty() ? message_.opcode() : message_.fusion_kind();
    out.op_type = message_.metadata().op_type();
    out.op_name = message_.metadata().op_name();
    out.source_file = message_.metadata().source_file();
    out.source_line = message_.metadata().source_line();
    const int32_t frame = message_.metadata().stack_frame_id();
    if (out.source_file.empty() && frame > 0) framed_.emplace_back(&out, frame);
  }

  WindowReader reader_;
  HloTable* table_;
  XspaceDiagnostics* diagnostics_;
  std::stop_token stop_;
  pb::HloInstructionProto message_;
  std::vector<std::pair<HloInstruction*, int32_t>> framed_;  // of the module, without a source
  size_t instructions_ = 0;
};

}  // namespace

Status ReadHlo(const FileScan& file, const PlaneScan& plane, HloTable* table,
               XspaceDiagnostics* diagnostics, const std::stop_token& stop) {
  HloReader reader(file, table, diagnostics, stop);
  for (const EventMetaScan& meta : plane.tables->event_metas) {
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    if (meta.has_stats) reader.Metadata(*plane.tables, meta);
  }
  return reader.status();
}

}  // namespace stepscope::xplane
