#include "loaders/store/sections.h"

#include <algorithm>

#include "loaders/store/byte_codec.h"

namespace stepscope::store {
namespace {

struct CapabilityName {
  const char* name;
  bool Capabilities::*member;
};
constexpr CapabilityName kCapabilities[] = {
    {"read_by_xprof", &Capabilities::read_by_xprof},
    {"event_categories", &Capabilities::event_categories},
    {"pytorch_events", &Capabilities::pytorch_events},
    {"torch_profiler", &Capabilities::torch_profiler},
    {"planes_tell_hosts", &Capabilities::planes_tell_hosts},
    {"plane_metadata", &Capabilities::plane_metadata},
    {"group_stats", &Capabilities::group_stats},
    {"kernel_annotations", &Capabilities::kernel_annotations},
    {"long_names_for_tf_op", &Capabilities::long_names_for_tf_op},
    {"argument_names", &Capabilities::argument_names},
    {"chrome_events", &Capabilities::chrome_events},
    {"any_program", &Capabilities::any_program},
    {"one_run", &Capabilities::one_run},
    {"memory_snapshot", &Capabilities::memory_snapshot},
};
static_assert(std::size(kCapabilities) == sizeof(Capabilities), "a capability is not stored");

void WriteDiagnostics(const Diagnostics& diagnostics, pb::Head* head) {
  for (const stepscope::Diagnostic& row : diagnostics.rows()) {
    pb::Diagnostic& to = *head->add_diagnostics();
    to.set_id(row.id);
    to.set_severity(static_cast<uint32_t>(row.severity));
    to.set_count(row.count);
    to.set_text(row.text);
    for (const std::string& place : row.first) to.add_places(place);
  }
}

void WriteRecording(const RecordingHeader& recording, pb::Head* head) {
  head->set_recorder(static_cast<uint32_t>(recording.recorder));
  head->set_recorder_version(recording.version);
  head->set_recorder_evidence(recording.evidence);
  for (const std::string& option : recording.asked) head->add_asked(option);
  for (const std::string& option : recording.not_asked) head->add_not_asked(option);
  for (const NamedDevice& device : recording.devices) {
    pb::NamedDevice& saved = *head->add_devices();
    saved.set_host(device.host.value);
    saved.set_ordinal(device.ordinal);
    saved.set_name(device.name);
    saved.set_has_memory(device.has_memory);
  }
}

void ReadRecording(const pb::Head& head, RecordingHeader* recording) {
  if (head.recorder() < static_cast<uint32_t>(Recorder::kCount))
    recording->recorder = static_cast<Recorder>(head.recorder());
  recording->version = head.recorder_version();
  recording->evidence = head.recorder_evidence();
  recording->asked.assign(head.asked().begin(), head.asked().end());
  recording->not_asked.assign(head.not_asked().begin(), head.not_asked().end());
  for (const pb::NamedDevice& device : head.devices()) {
    recording->devices.push_back(
        {HostId(device.host()), device.ordinal(), device.name(), device.has_memory()});
  }
}

Status WriteHead(const WriteContext& context, uint32_t, Payload* out) {
  const Trace& trace = context.trace;
  pb::Head head;
  head.set_program(context.program);
  head.set_content_id(context.content_id);
  head.set_format(trace.format->name);
  for (const CapabilityName& c : kCapabilities) {
    if (trace.format->capabilities.*c.member) head.add_capabilities(c.name);
  }
  head.set_kineto(trace.kineto);
  head.set_path(trace.path);
  head.set_run(trace.run);
  head.set_origin_unix_ns(trace.origin_unix_ns);
  head.set_file_bytes(trace.file_bytes);
  head.set_inflated_bytes(trace.inflated_bytes);
  head.set_rows(trace.set.rows);
  head.set_has_arguments(trace.source != nullptr);
  head.set_has_programs(xla::HloSourceOf(trace) != nullptr);
  WriteDiagnostics(trace.diagnostics, &head);
  for (const std::string& text : trace.errors) head.add_errors(text);
  for (const std::string& text : trace.warnings) head.add_warnings(text);
  for (const std::string& text : trace.skipped_files) head.add_skipped_files(text);
  WriteRecording(trace.recording, &head);
  for (const Cycle& cycle : trace.cycles) {
    pb::Cycle& to = *head.add_cycles();
    to.set_name(cycle.name);
    to.set_begin(cycle.span.begin);
    to.set_end(cycle.span.end);
    to.set_start_unix_ns(cycle.start_unix_ns);
  }
  out->count = 1;
  out->bytes = head.SerializeAsString();
  return {};
}

void ReadDiagnostics(const pb::Head& head, Diagnostics* diagnostics) {
  for (const pb::Diagnostic& row : head.diagnostics()) {
    const auto severity = static_cast<Severity>(std::min(row.severity(), 2u));
    if (row.count() == 0 || row.id().empty()) continue;
    diagnostics->Count(row.id(), severity, row.text(), {}, row.count());
    for (const std::string& place : row.places())
      diagnostics->Count(row.id(), severity, row.text(), place, 0);
  }
}

bool ReadHead(ReadContext& context, const Section&, std::string_view bytes) {
  pb::Head& head = context.head;
  if (!head.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  Trace& trace = context.builder.trace();
  trace.kineto = head.kineto();
  trace.origin_unix_ns = head.origin_unix_ns();
  trace.file_bytes = head.file_bytes();
  trace.inflated_bytes = head.inflated_bytes();
  if (!head.run().empty()) trace.run = head.run();
  ReadDiagnostics(head, &trace.diagnostics);
  ReadRecording(head, &trace.recording);
  trace.errors.assign(head.errors().begin(), head.errors().end());
  trace.warnings.assign(head.warnings().begin(), head.warnings().end());
  trace.skipped_files.insert(trace.skipped_files.end(), head.skipped_files().begin(),
                             head.skipped_files().end());
  constexpr int kMostCycles = 100'000;
  if (head.cycles_size() > kMostCycles) return false;
  for (const pb::Cycle& cycle : head.cycles())
    trace.cycles.push_back({cycle.name(), {cycle.begin(), cycle.end()}, cycle.start_unix_ns()});
  return head.rows() < 0xffffffffu;
}

}  // namespace

std::shared_ptr<const TraceFormat> FormatOf(const pb::Head& head) {
  struct Owned {
    std::string name;
    TraceFormat format;
  };
  auto owned = std::make_shared<Owned>();
  owned->name = head.format();
  owned->format.name = owned->name.c_str();
  for (const std::string& name : head.capabilities()) {
    for (const CapabilityName& c : kCapabilities) {
      if (name == c.name) owned->format.capabilities.*c.member = true;
    }
  }
  return {owned, &owned->format};
}

const SectionDesc kHeadSection = {"HEAD",
                                  1,
                                  SectionCount::kOne,
                                  ReadMode::kNeeded,
                                  "facts about the profile",
                                  [](const WriteContext&) { return 1u; },
                                  WriteHead,
                                  ReadHead};

std::span<const SectionDesc> Sections() {
  static const SectionDesc kSections[] = {
      kHeadSection,        kNameSection,           kMetaSection,    kTrackSection,
      kOverviewSection,    kCounterSection,        kEventSection,   kFlowSection,
      kHloTableSection,    kStatNameSection,       kStatSection,    kAllocatorNameSection,
      kAllocatorSection,   kAllocatorEventSection, kCaptureSection, kArgumentSection,
      kProgramListSection, kProgramSection,
  };
  return kSections;
}

namespace {

constexpr uint32_t kNamesPerSection = 1u << 14;

Status WriteNames(const WriteContext& context, uint32_t number, Payload* out) {
  WriteTexts(context.trace.names().strings, number, out);
  return {};
}

bool ReadNames(ReadContext& context, const Section& section, std::string_view bytes) {
  return ReadTexts(section, bytes, &context.builder.strings());
}

uint32_t MetaSections(const WriteContext& context) {
  return PartsOf(context.trace.names().metas.size());
}

Status WriteMetas(const WriteContext& context, uint32_t number, Payload* out) {
  const std::vector<EventMeta>& all = context.trace.names().metas;
  out->key = uint64_t{number} * kMaxItems;
  out->count = static_cast<uint32_t>(std::min<size_t>(kMaxItems, all.size() - out->key));
  const std::span<const EventMeta> metas = std::span(all).subspan(out->key, out->count);
  ByteWriter writer(&out->bytes);
  std::vector<uint64_t> values(metas.size());
  const auto column = [&](auto value) {
    std::transform(metas.begin(), metas.end(), values.begin(), value);
    writer.Ints(values);
  };
  column([](const EventMeta& m) { return uint64_t{m.name.value}; });
  column([](const EventMeta& m) { return uint64_t{m.display_name.value}; });
  column([](const EventMeta& m) { return static_cast<uint64_t>(m.category); });
  column([](const EventMeta& m) { return uint64_t{m.plane.value}; });
  column([](const EventMeta& m) { return static_cast<uint64_t>(m.source_id); });
  return {};
}

bool ReadMetas(ReadContext& context, const Section& section, std::string_view bytes) {
  NameTable& names = context.builder.names();
  if (section.header.key != names.metas.size() || section.header.count > kMaxItems) return false;
  std::vector<EventMeta> metas(section.header.count);
  std::vector<uint64_t> values(metas.size());
  ByteReader reader(bytes);
  const auto column = [&](auto set) {
    reader.Ints(values);
    for (size_t i = 0; i < metas.size(); ++i) set(&metas[i], values[i]);
  };
  const auto known = [&](uint64_t id) {  // an id that no text has stands for the empty one
    return StringId(id < names.strings.size() ? static_cast<uint32_t>(id) : 0);
  };
  column([&](EventMeta* m, uint64_t v) { m->name = known(v); });
  column([&](EventMeta* m, uint64_t v) {
    m->display_name = v == StringId::kInvalid ? StringId() : known(v);
  });
  column([](EventMeta* m, uint64_t v) {
    constexpr auto kMost = static_cast<uint64_t>(EventCategory::kFlowOnly);
    m->category = v > kMost ? EventCategory::kUnknown : static_cast<EventCategory>(v);
  });
  column([](EventMeta* m, uint64_t v) { m->plane = PlaneId(static_cast<uint32_t>(v)); });
  column([](EventMeta* m, uint64_t v) { m->source_id = static_cast<int64_t>(v); });
  if (!reader.ok()) return false;
  names.metas.insert(names.metas.end(), metas.begin(), metas.end());
  return true;
}

}  // namespace

uint32_t TextSections(const StringPool& pool) { return PartsOf(pool.size() - 1, kNamesPerSection); }

void WriteTexts(const StringPool& pool, uint32_t number, Payload* out) {
  const size_t first = 1 + size_t{number} * kNamesPerSection;
  std::vector<std::string_view> texts;
  for (size_t id = first; id < std::min(first + kNamesPerSection, pool.size()); ++id)
    texts.push_back(pool.View(StringId(static_cast<uint32_t>(id))));
  out->key = first;
  out->count = static_cast<uint32_t>(texts.size());
  ByteWriter(&out->bytes).Texts(texts);
}

bool ReadTexts(const Section& section, std::string_view bytes, StringPool* pool) {
  if (section.header.key != pool->size() || section.header.count > kMaxItems) return false;
  ByteReader reader(bytes);
  const std::vector<std::string_view> texts = reader.Texts(section.header.count);
  if (!reader.ok()) return false;
  for (const std::string_view text : texts) {
    const size_t expected = pool->size();
    if (pool->Intern(text).value != expected) return false;
  }
  return true;
}

const SectionDesc kNameSection = {
    "NAME",
    1,
    SectionCount::kMany,
    ReadMode::kNeeded,
    "names",
    [](const WriteContext& c) { return TextSections(c.trace.names().strings); },
    WriteNames,
    ReadNames};
const SectionDesc kMetaSection = {"META",
                                  1,
                                  SectionCount::kMany,
                                  ReadMode::kNeeded,
                                  "what events of one name share",
                                  MetaSections,
                                  WriteMetas,
                                  ReadMetas};

}  // namespace stepscope::store
