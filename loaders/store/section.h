// Sections: what a store is made of (docs/store.md#sections). A header of 48 bytes says what
// follows, how long it is, packed and unpacked, and has a checksum of both. Pure; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"

namespace stepscope::store {

inline constexpr std::string_view kMagic = "\x89STPSC\r\n";  // 8 bytes
inline constexpr uint16_t kMajor = 1, kMinor = 0;
inline constexpr size_t kFileHeaderBytes = 16, kSectionHeaderBytes = 48;
inline constexpr uint64_t kMaxSectionBytes = uint64_t{1} << 30;  // unpacked
// Rows, samples, arrows or texts of a section that comes in parts.
inline constexpr uint32_t kMaxItems = 1u << 17;

struct SectionHeader {
  std::string id;  // four letters
  uint16_t version = 0;
  uint32_t count = 0;     // items in it
  uint64_t key = 0;       // number of its first item
  uint64_t stored = 0;    // bytes after the header
  uint64_t inflated = 0;  // bytes that they unpack to
  uint32_t checksum = 0;  // of the stored bytes
};

// The first bytes of a file.
std::string FileHeader();
// Nothing wrong, kFormat where it is no store, kUnsupported where a newer program wrote it.
Status CheckFileHeader(std::string_view bytes);

// Header and packed bytes. `header`: id, version, count and key; the rest is filled in.
std::string PackSection(const SectionHeader& header, std::string_view payload);
// False where the header is damaged.
bool ReadHeader(std::string_view bytes, SectionHeader* header);
uint32_t Checksum(std::string_view bytes);
// The sum by which the begin of a store is known again: CRC-64 as in .xz files. `sum`: of the bytes
// before these; 0: there are none. It finds a change, and is no protection against a forged one.
uint64_t BeginSum(uint64_t sum, std::string_view bytes);
// False where the bytes do not unpack to exactly `inflated` bytes.
bool Inflate(std::string_view stored, uint64_t inflated, std::string* out);

// INDX: where all sections of a store lie. It comes last, with a trailer that says where it begins.
// A store without it was cut off.
inline constexpr std::string_view kIndexId = "INDX", kTrailerMagic = "STEPEND\n";
inline constexpr size_t kTrailerBytes = 16;

struct IndexEntry {
  std::string id;
  uint64_t key = 0;
  uint32_t count = 0;
  uint64_t at = 0;  // of the section's header
};

SectionHeader IndexHeader(const std::vector<IndexEntry>& entries);
std::string IndexBytes(const std::vector<IndexEntry>& entries);
std::string Trailer(uint64_t index_at);

}  // namespace stepscope::store
