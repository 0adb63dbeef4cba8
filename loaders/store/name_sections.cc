// NAME, META: the names that events share.
#include <algorithm>

#include "loaders/store/byte_codec.h"
#include "loaders/store/sections.h"

namespace stepscope::store {
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
