// HLOT, PRGS, HLOP: the ops that HLO instructions come from, and the programs themselves.
#include <algorithm>
#include <unordered_map>

#include "loaders/store/byte_codec.h"
#include "loaders/store/sections.h"
#include "loaders/store/store_reader.h"
#include "loaders/store/store_writer.h"

namespace stepscope::store {
namespace {

constexpr uint32_t kMostInstructions = 16'000'000;
constexpr uint32_t kMostPrograms = 1'000'000;

// Programs of the table by id, so that a store does not depend on the order of a hash table.
std::vector<uint64_t> ProgramIds(const HloTable& table) {
  std::vector<uint64_t> ids;
  for (const auto& [id, program] : table.programs) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

constexpr std::string HloInstruction::*kTexts[] = {
    &HloInstruction::op_name, &HloInstruction::op_type, &HloInstruction::opcode,
    &HloInstruction::category, &HloInstruction::source_file};

Status WriteTable(const WriteContext& context, uint32_t number, Payload* out) {
  const uint64_t id = ProgramIds(context.trace.hlo)[number];
  const HloProgram& program = context.trace.hlo.programs.at(id);
  std::vector<std::pair<std::string_view, const HloInstruction*>> sorted;
  for (const auto& [name, instruction] : program.instructions)
    sorted.emplace_back(name, &instruction);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::unordered_map<std::string_view, uint64_t> numbers;
  std::vector<std::string_view> texts;
  const auto number_of = [&](std::string_view text) {
    const auto [at, added] = numbers.try_emplace(text, texts.size());
    if (added) texts.push_back(text);
    return at->second;
  };
  std::vector<std::vector<uint64_t>> columns(std::size(kTexts) + 2);
  for (const auto& [name, instruction] : sorted) {
    columns[0].push_back(number_of(name));
    for (size_t i = 0; i < std::size(kTexts); ++i)
      columns[i + 1].push_back(number_of(instruction->*kTexts[i]));
    columns.back().push_back(static_cast<uint64_t>(int64_t{instruction->source_line}));
  }
  out->key = id;
  out->count = static_cast<uint32_t>(sorted.size());
  ByteWriter writer(&out->bytes);
  writer.Text(program.module_name);
  writer.Varint(texts.size());
  writer.Texts(texts);
  for (const std::vector<uint64_t>& column : columns) writer.Ints(column);
  return {};
}

bool ReadTable(ReadContext& context, const Section& section, std::string_view bytes) {
  const uint32_t n = section.header.count;
  // An instruction has a name of its own, so it takes a byte at least.
  if (n > kMostInstructions || n > bytes.size() + 1) return false;
  ByteReader reader(bytes);
  HloProgram program;
  program.module_name = reader.Text();
  const uint32_t count = reader.Count(kMostInstructions);
  if (!reader.ok() || count > bytes.size() + 1) return false;
  const std::vector<std::string_view> texts = reader.Texts(count);
  std::vector<std::vector<uint64_t>> columns(std::size(kTexts) + 2, std::vector<uint64_t>(n));
  for (std::vector<uint64_t>& column : columns) reader.Ints(column);
  if (!reader.ok()) return false;
  uint64_t copied = 0;
  const auto text = [&](uint64_t number) {
    const std::string_view t = number < texts.size() ? texts[number] : std::string_view();
    copied += t.size();
    return t;
  };
  for (uint32_t i = 0; i < n; ++i) {
    HloInstruction& to = program.instructions[std::string(text(columns[0][i]))];
    for (size_t t = 0; t < std::size(kTexts); ++t) to.*kTexts[t] = text(columns[t + 1][i]);
    to.source_line = static_cast<int32_t>(columns.back()[i]);
    if (context.bytes + copied > context.most_bytes) return false;
  }
  context.bytes += copied;
  context.builder.trace().hlo.programs[section.header.key] = std::move(program);
  return true;
}

Status WriteList(const WriteContext& context, uint32_t, Payload* out) {
  ByteWriter writer(&out->bytes);
  for (const xla::ProgramEntry& entry : context.programs) {
    pb::Program program;
    program.set_id(entry.id);
    program.set_name(entry.name);
    program.set_file(entry.file);
    std::string bytes = program.SerializeAsString();
    writer.Varint(entry.bytes);
    writer.Text(bytes);
  }
  out->count = static_cast<uint32_t>(context.programs.size());
  return {};
}

bool ReadList(ReadContext& context, const Section& section, std::string_view bytes) {
  if (section.header.count > kMostPrograms) return false;
  ByteReader reader(bytes);
  for (uint32_t i = 0; i < section.header.count; ++i) {
    StoredProgram program;
    program.entry.bytes = reader.Varint();
    const std::string_view message = reader.Text();
    pb::Program from;
    if (!reader.ok() || !from.ParseFromArray(message.data(), static_cast<int>(message.size())))
      return false;
    program.entry.id = from.id();
    program.entry.name = from.name();
    program.entry.file = from.file();
    program.entry.place = i;
    context.programs.push_back(std::move(program));
  }
  return true;
}

Status WriteProgram(const WriteContext& context, uint32_t number, Payload* out) {
  out->key = number;
  out->count = 1;
  const xla::HloSource* source = xla::HloSourceOf(context.trace);
  Result<std::string> bytes = source->Bytes(context.programs[number]);
  if (!bytes.ok()) return bytes.status();
  out->bytes = std::move(bytes).value();
  return {};
}

}  // namespace

const SectionDesc kHloTableSection = {
    "HLOT",
    1,
    SectionCount::kMany,
    ReadMode::kInOrder,
    "ops of HLO instructions",
    [](const WriteContext& c) { return static_cast<uint32_t>(c.trace.hlo.programs.size()); },
    WriteTable,
    ReadTable};
const SectionDesc kProgramListSection = {
    "PRGS",
    1,
    SectionCount::kOne,
    ReadMode::kInOrder,
    "names of HLO programs",
    [](const WriteContext& c) { return c.programs.empty() ? 0u : 1u; },
    WriteList,
    ReadList};
const SectionDesc kProgramSection = {
    "HLOP",
    1,
    SectionCount::kMany,
    ReadMode::kLater,
    "HLO programs",
    [](const WriteContext& c) { return static_cast<uint32_t>(c.programs.size()); },
    WriteProgram,
    [](ReadContext& c, const Section& section, std::string_view) {
      if (section.header.key >= c.programs.size()) return false;
      c.programs[section.header.key].section = {section.header, section.at};
      return true;
    },
    [](const Section&, std::string&&) { return true; }};

namespace {

Status WriteCapture(const WriteContext& context, uint32_t number, Payload* out) {
  const GraphCapture& capture = context.captures[number];
  pb::Capture head;
  head.set_file(capture.file);
  head.set_mode(capture.mode);
  head.set_batch_size(capture.batch_size);
  ByteWriter writer(&out->bytes);
  writer.Text(head.SerializeAsString());
  out->key = number;
  out->count = 1;
  return WriteStore(
      *capture.trace, {{}, context.program}, [out](std::string_view bytes) { out->bytes += bytes; },
      context.stop);
}

bool ReadCapture(ReadContext& context, const Section&, std::string_view bytes) {
  if (context.nested) return false;  // a capture has no captures
  ByteReader reader(bytes);
  const std::string_view message = reader.Text();
  pb::Capture head;
  if (!reader.ok() || !head.ParseFromArray(message.data(), static_cast<int>(message.size())))
    return false;
  const std::string_view rest = reader.Bytes(reader.left());
  Column<char> copy;
  copy.Resize(rest.size());
  std::copy(rest.begin(), rest.end(), copy.data());
  Progress progress;
  ReadOptions options{context.most_bytes - std::min(context.most_bytes, context.bytes.load()),
                      true};
  Result<std::shared_ptr<const Trace>> trace =
      ReadStore(MakeMemorySource(head.file(), rest.size(), std::move(copy), false), options,
                context.stop, &progress);
  if (!trace.ok()) return false;
  GraphCapture capture;
  capture.file = head.file();
  capture.mode = head.mode();
  capture.batch_size = head.batch_size();
  capture.trace = std::move(trace).value();
  context.bytes += capture.trace->store_bytes() + rest.size();
  context.captures.push_back(std::move(capture));
  return true;
}

}  // namespace

const SectionDesc kCaptureSection = {
    "CAPT",
    1,
    SectionCount::kMany,
    ReadMode::kInOrder,
    "captures of graphs",
    [](const WriteContext& c) { return static_cast<uint32_t>(c.captures.size()); },
    WriteCapture,
    ReadCapture};

}  // namespace stepscope::store
