#include "loaders/xplane/hlo_reader.h"

#include <algorithm>
#include <utility>

#include "loaders/xplane/hlo.pb.h"
#include "loaders/xplane/limits.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr const char* kHloStat = "Hlo Proto";

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
    Each(meta.begin, meta.end, [&](const SourceField& f) {
      if (f.number == 5 && f.wire == kLen) Stat(tables, meta.id, f.begin, f.end);
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

  void Stat(const PlaneTables& tables, int64_t program_id, uint64_t begin, uint64_t end) {
    int64_t stat_id = 0;
    SourceField proto;
    Each(begin, end, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kVarint) stat_id = static_cast<int64_t>(f.value);
      if ((f.number == 5 || f.number == 6) && f.wire == kLen) proto = f;
    });
    const std::string* name = tables.StatName(stat_id);
    if (proto.begin == 0 || name == nullptr || *name != kHloStat) return;
    HloProgram& program = table_->programs[static_cast<uint64_t>(program_id)];
    Each(proto.begin, proto.end, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kLen) Module(f, &program);
    });
  }

  void Module(const SourceField& module, HloProgram* program) {
    Each(module.begin, module.end, [&](const SourceField& f) {
      if (f.wire != kLen) return;
      if (f.number == 1)
        program->module_name = reader_.Fetch(
            f.begin, static_cast<size_t>(std::min<uint64_t>(f.size(), kMaxNameBytes)));
      if (f.number == 3) {
        Each(f.begin, f.end, [&](const SourceField& i) {
          if (i.number == 2 && i.wire == kLen) Instruction(i, program);
        });
      }
    });
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
  }

  WindowReader reader_;
  HloTable* table_;
  XspaceDiagnostics* diagnostics_;
  std::stop_token stop_;
  pb::HloInstructionProto message_;
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
