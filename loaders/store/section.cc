#include "loaders/store/section.h"

#include <isa-l/crc.h>
#include <isa-l/crc64.h>
#include <zstd.h>

#include <cstring>
#include <new>

#include "loaders/store/byte_codec.h"

namespace stepscope::store {
namespace {

constexpr int kLevel = 1;  // more costs time and saves a few percent

template <typename T>
void Put(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i)
    out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> (8 * i)));
}

template <typename T>
T Get(std::string_view bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << (8 * i);
  return static_cast<T>(value);
}

struct PackContext {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  PackContext() = default;
  PackContext(const PackContext&) = delete;
  PackContext& operator=(const PackContext&) = delete;
  ~PackContext() { ZSTD_freeCCtx(context); }
};

}  // namespace

std::string FileHeader() {
  std::string out(kMagic);
  Put(kMajor, &out);
  Put(kMinor, &out);
  Put(Checksum(out), &out);
  return out;
}

Status CheckFileHeader(std::string_view bytes) {
  if (bytes.size() < kFileHeaderBytes || !bytes.starts_with(kMagic))
    return {ErrorCode::kFormat, "not a Stepscope store, or only its first bytes"};
  if (Get<uint32_t>(bytes, 12) != Checksum(bytes.substr(0, 12)))
    return {ErrorCode::kFormat, "the first bytes of the store are damaged"};
  const auto major = Get<uint16_t>(bytes, 8);
  if (major > kMajor) {
    return {ErrorCode::kUnsupported, "a newer Stepscope wrote this store (version " +
                                         std::to_string(major) + ", read is " +
                                         std::to_string(kMajor) + "): update Stepscope"};
  }
  return {};
}

uint32_t Checksum(std::string_view bytes) {
  return crc32_gzip_refl(0, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

uint64_t BeginSum(uint64_t sum, std::string_view bytes) {
  return crc64_ecma_refl(sum, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

std::string PackSection(const SectionHeader& header, std::string_view payload) {
  const size_t bound = ZSTD_compressBound(payload.size());
  std::string out(kSectionHeaderBytes + bound, '\0');
  thread_local const PackContext pack;
  const size_t n = ZSTD_compressCCtx(pack.context, out.data() + kSectionHeaderBytes, bound,
                                     payload.data(), payload.size(), kLevel);
  if (ZSTD_isError(n) != 0) throw std::bad_alloc();
  out.resize(kSectionHeaderBytes + n);
  std::string head = header.id;
  Put(header.version, &head);
  Put(uint16_t{0}, &head);
  Put(header.count, &head);
  Put(Checksum(std::string_view(out).substr(kSectionHeaderBytes)), &head);
  Put(header.key, &head);
  Put(uint64_t{n}, &head);
  Put(uint64_t{payload.size()}, &head);
  Put(uint32_t{0}, &head);
  Put(Checksum(head), &head);
  std::memcpy(out.data(), head.data(), kSectionHeaderBytes);
  return out;
}

bool ReadHeader(std::string_view bytes, SectionHeader* header) {
  if (bytes.size() < kSectionHeaderBytes) return false;
  if (Get<uint32_t>(bytes, 44) != Checksum(bytes.substr(0, 44))) return false;
  header->id = std::string(bytes.substr(0, 4));
  header->version = Get<uint16_t>(bytes, 4);
  header->count = Get<uint32_t>(bytes, 8);
  header->checksum = Get<uint32_t>(bytes, 12);
  header->key = Get<uint64_t>(bytes, 16);
  header->stored = Get<uint64_t>(bytes, 24);
  header->inflated = Get<uint64_t>(bytes, 32);
  return true;
}

bool Inflate(std::string_view stored, uint64_t inflated, std::string* out) {
  if (inflated > kMaxSectionBytes) return false;
  out->resize(static_cast<size_t>(inflated));
  const size_t n = ZSTD_decompress(out->data(), out->size(), stored.data(), stored.size());
  return ZSTD_isError(n) == 0 && n == inflated;
}

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
