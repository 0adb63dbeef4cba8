#include "loaders/store/index_section.h"

#include "loaders/store/byte_codec.h"

namespace stepscope::store {

SectionHeader IndexHeader(const std::vector<IndexEntry>& entries) {
  SectionHeader header;
  header.id = kIndexId;
  header.version = 1;
  header.count = static_cast<uint32_t>(entries.size());
  return header;
}

std::string IndexBytes(const std::vector<IndexEntry>& entries) {
  std::string out;
  ByteWriter writer(&out);
  for (const IndexEntry& entry : entries) {
    writer.Bytes(entry.id);
    writer.Varint(entry.key);
    writer.Varint(entry.count);
    writer.Varint(entry.at);
  }
  return out;
}

std::string Trailer(uint64_t index_at) {
  std::string out;
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(index_at >> (8 * i)));
  return out.append(kTrailerMagic);
}

}  // namespace stepscope::store
