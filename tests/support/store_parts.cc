#include <stdexcept>

#include "loaders/store/section.h"
#include "loaders/store/store_writer.h"
#include "tests/support/store_parts.h"

namespace stepscope::test {

std::string StoreOf(const Trace& trace) {
  std::string bytes;
  const Status status =
      store::WriteStore(trace, {"id", "test"}, [&](std::string_view piece) { bytes += piece; });
  if (!status.ok()) throw std::runtime_error(status.message());
  return bytes;
}

std::vector<StorePart> PartsOf(std::string_view store) {
  std::vector<StorePart> parts;
  for (size_t at = store::kFileHeaderBytes;;) {
    StorePart part;
    part.at = at;
    if (!store::ReadHeader(store.substr(at), &part.header)) throw std::runtime_error("header");
    if (part.header.id == store::kIndexId) return parts;
    at += store::kSectionHeaderBytes;
    if (!store::Inflate(store.substr(at, part.header.stored), part.header.inflated, &part.payload))
      throw std::runtime_error("section " + part.header.id);
    at += part.header.stored;
    parts.push_back(std::move(part));
  }
}

std::string Join(const std::vector<StorePart>& parts, bool whole) {
  std::string store = store::FileHeader();
  std::vector<store::IndexEntry> index;
  for (const StorePart& part : parts) {
    index.push_back({part.header.id, part.header.key, part.header.count, store.size()});
    store += store::PackSection(part.header, part.payload);
  }
  if (!whole) return store;
  const size_t at = store.size();
  store += store::PackSection(store::IndexHeader(index), store::IndexBytes(index));
  return store + store::Trailer(at);
}

std::string FuzzInput(const std::vector<StorePart>& parts) {
  std::string out = "\x01";
  const auto put = [&out](uint64_t value) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  };
  for (const StorePart& part : parts) {
    out += part.header.id;
    put(part.header.count);
    put(part.header.key);
    put(part.payload.size());
    out += part.payload;
  }
  return out;
}

}  // namespace stepscope::test
