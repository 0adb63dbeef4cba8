#include "loaders/xplane/hlo_programs.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "loaders/xla/hlo_decoder.h"
#include "loaders/xplane/scan/window_reader.h"

namespace stepscope::xplane {

using namespace proto;

namespace {

constexpr std::string_view kProgramStat = "Hlo Proto", kProgramIdStat = "program_id";

template <typename Fn>
void ForFields(WindowReader* reader, uint64_t begin, uint64_t end, Fn fn) {
  SourceFieldReader fields(reader, begin, end);
  SourceField f;
  while (fields.Next(&f)) fn(f);
}

bool HasPrograms(const PlaneTables& tables) {
  const auto& names = tables.stat_names;
  return std::find(names.begin(), names.end(), kProgramStat) != names.end();
}

class ProgramList {
 public:
  explicit ProgramList(std::span<const std::shared_ptr<const ByteSource>> files) {
    for (const auto& file : files) readers_.emplace_back(*file);
  }

  void Add(const PlaneTables& tables) {
    for (const EventMetaScan& meta : tables.event_metas) {
      if (meta.has_stats) Add(tables, meta);
    }
  }

  std::vector<xla::ProgramEntry> Take() { return std::move(programs_); }

 private:
  void Add(const PlaneTables& tables, const EventMetaScan& meta) {
    WindowReader* reader = &readers_[tables.file];
    xla::ProgramEntry program;
    program.file = tables.file;
    program.id = static_cast<uint64_t>(meta.id);
    ForFields(reader, meta.begin, meta.end, [&](const SourceField& f) {
      if (f.number == 5 && f.wire == kLen) Stat(reader, tables, f, &program);
    });
    if (program.bytes == 0 || !ids_.insert(program.id).second) return;
    program.name = ModuleName(reader, program);
    programs_.push_back(std::move(program));
  }

  static void Stat(WindowReader* reader, const PlaneTables& tables, const SourceField& stat,
                   xla::ProgramEntry* program) {
    int64_t id = 0;
    SourceField value;
    ForFields(reader, stat.begin, stat.end, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kVarint) id = static_cast<int64_t>(f.value);
      if (f.number >= 2 && f.number <= 8) value = f;
    });
    const std::string* name = tables.StatName(id);
    if (name == nullptr) return;
    if (*name == kProgramIdStat && value.wire == kVarint) program->id = value.value;
    if (*name != kProgramStat || value.wire != kLen || value.number == 8) return;
    program->place = value.begin;
    program->bytes = value.size();
  }

  // HloProto.hlo_module.name
  static std::string ModuleName(WindowReader* reader, const xla::ProgramEntry& program) {
    SourceField module, name;
    ForFields(reader, program.place, program.place + program.bytes, [&](const SourceField& f) {
      if (f.number == 1 && f.wire == kLen) module = f;
    });
    SourceFieldReader fields(reader, module.begin, module.end);
    while (name.number != 1 && fields.Next(&name)) {
    }
    if (name.number != 1 || name.wire != kLen) return {};
    const uint64_t n = std::min<uint64_t>(name.size(), kMaxNameBytes);
    return std::string(reader->Fetch(name.begin, static_cast<size_t>(n)));
  }

  std::vector<WindowReader> readers_;
  std::vector<xla::ProgramEntry> programs_;
  std::unordered_set<uint64_t> ids_;
};

}  // namespace

std::vector<xla::ProgramEntry> ListPrograms(
    std::span<const std::shared_ptr<const ByteSource>> files, std::span<const PlaneParts> planes) {
  ProgramList list(files);
  for (const PlaneParts& parts : planes) {
    for (const auto& tables : parts) {
      if (tables->file < files.size() && HasPrograms(*tables)) list.Add(*tables);
    }
  }
  return list.Take();
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
