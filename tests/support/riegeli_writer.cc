#include "tests/support/riegeli_writer.h"

#include <brotli/encode.h>
#include <snappy.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>

#include "loaders/common/wire.h"
#include "loaders/riegeli/chunk_list.h"
#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

constexpr uint64_t kBlock = 65536, kBlockHeader = 24, kChunkHeader = 40;

void PutNumber(std::string* out, uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out->push_back(static_cast<char>(value >> shift));
}

uint64_t Hash(std::string_view bytes) {
  return riegeli::RiegeliHash(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

std::string WithHash(const std::string& rest) {
  std::string header;
  PutNumber(&header, Hash(rest));
  return header + rest;
}

// The end of a chunk, found as it is written: byte by byte where a block begins.
uint64_t EndOf(uint64_t begin, uint64_t length, uint64_t num_records) {
  uint64_t at = begin;
  while (length > 0) {
    if (at % kBlock == 0) at += kBlockHeader;
    const uint64_t n = std::min(length, kBlock - at % kBlock);
    at += n;
    length -= n;
  }
  uint64_t least = begin + num_records;
  if (least % kBlock > 0 && least % kBlock <= kBlockHeader)
    least += kBlockHeader + 1 - least % kBlock;
  return std::max(at, least);
}

using proto::Field;
using proto::FieldReader;

std::vector<Field> Fields(std::string_view message) {
  std::vector<Field> fields;
  FieldReader reader(message);
  Field f;
  while (reader.Next(&f)) fields.push_back(f);
  if (reader.bad()) throw std::runtime_error("not well formed");
  return fields;
}

std::string_view Text(const Field& f) {
  return {reinterpret_cast<const char*>(f.begin), static_cast<size_t>(f.end - f.begin)};
}

void PutField(std::string* out, const Field& f) {
  if (f.wire == proto::kLen) return PutBytes(out, f.number, Text(f));
  if (f.wire == proto::kFixed64) return PutFixed64(out, f.number, f.value);
  PutUint(out, f.number, f.value);
}

// A plane in one of the parts: the ids of its metadata are turned round in every other part, and
// moved in all but the first.
class PlanePartWriter {
 public:
  PlanePartWriter(std::string_view plane, int part, int parts)
      : plane_(plane), part_(part), parts_(parts) {
    for (const Field& f : Fields(plane)) {
      if (f.wire != proto::kLen || (f.number != 4 && f.number != 5)) continue;
      for (const Field& inner : Fields(Text(f))) {
        if (inner.number == 1) largest_[f.number] = std::max(largest_[f.number], inner.value);
      }
    }
  }

  std::string Write() {
    std::string out;
    for (const Field& f : Fields(plane_)) {
      if (f.wire != proto::kLen) {
        PutField(&out, f);
      } else if (f.number == 3) {
        Line(&out, Text(f));
      } else if (f.number == 4 || f.number == 5) {
        Metadata(&out, f);
      } else if (f.number == 6) {
        PutBytes(&out, 6, Stat(Text(f)));
      } else {
        PutField(&out, f);
      }
    }
    return out;
  }

 private:
  uint64_t Id(uint32_t map, uint64_t id) {
    // The ids of programs are what they are called by.
    if (part_ == 0 || largest_[map] > 100'000) return id;
    return part_ % 2 == 1 ? largest_[map] + 1 - std::min(id, largest_[map])
                          : id + static_cast<uint64_t>(part_);
  }

  std::string Stat(std::string_view stat) {
    std::string out;
    for (const Field& f : Fields(stat)) {
      const bool id = f.number == 1 || f.number == 7;
      id ? PutUint(&out, f.number, Id(5, f.value)) : PutField(&out, f);
    }
    return out;
  }

  std::string WithStats(std::string_view message, uint32_t id_map, uint32_t stats_field) {
    std::string out;
    for (const Field& f : Fields(message)) {
      if (f.number == 1 && f.wire == proto::kVarint) {
        PutUint(&out, 1, Id(id_map, f.value));
      } else if (f.number == stats_field && f.wire == proto::kLen) {
        PutBytes(&out, stats_field, Stat(Text(f)));
      } else {
        PutField(&out, f);
      }
    }
    return out;
  }

  void Metadata(std::string* out, const Field& entry) {
    int64_t key = 0;
    std::string value;
    for (const Field& f : Fields(Text(entry))) {
      if (f.number == 1) key = static_cast<int64_t>(Id(entry.number, f.value));
      if (f.number == 2) value = WithStats(Text(f), entry.number, entry.number == 4 ? 5 : 0);
    }
    PutMapEntry(out, entry.number, key, value);
  }

  void Line(std::string* out, std::string_view line) {
    std::string text;
    uint64_t events = 0, event = 0;
    const std::vector<Field> fields = Fields(line);
    for (const Field& f : fields) events += f.number == 4;
    const uint64_t parts = static_cast<uint64_t>(parts_), part = static_cast<uint64_t>(part_);
    for (const Field& f : fields) {
      if (f.number != 4) {
        PutField(&text, f);
      } else if (event++ * parts / events == part) {
        PutBytes(&text, 4, WithStats(Text(f), 4, 4));
      }
    }
    PutBytes(out, 3, text);
  }

  std::string_view plane_;
  int part_, parts_;
  std::map<uint32_t, uint64_t> largest_;
};

}  // namespace

std::string RiegeliCompress(std::string_view bytes, RiegeliCompression compression) {
  std::string out, packed;
  if (compression == RiegeliCompression::kNone) return std::string(bytes);
  PutVarint(&out, bytes.size());
  if (compression == RiegeliCompression::kSnappy) {
    snappy::Compress(bytes.data(), bytes.size(), &packed);
  } else if (compression == RiegeliCompression::kZstd) {
    packed.resize(ZSTD_compressBound(bytes.size()));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  } else {
    size_t size = BrotliEncoderMaxCompressedSize(bytes.size()) + 16;
    packed.resize(size);
    BrotliEncoderCompress(6, 20, BROTLI_MODE_GENERIC, bytes.size(),
                          reinterpret_cast<const uint8_t*>(bytes.data()), &size,
                          reinterpret_cast<uint8_t*>(packed.data()));
    packed.resize(size);
  }
  return out + packed;
}

std::string RiegeliRecords(const std::vector<std::string>& records,
                           RiegeliCompression compression) {
  std::string sizes, values, out(1, static_cast<char>(compression));
  for (const std::string& record : records) {
    PutVarint(&sizes, record.size());
    values += record;
  }
  const std::string packed = RiegeliCompress(sizes, compression);
  PutVarint(&out, packed.size());
  return out + packed + RiegeliCompress(values, compression);
}

RiegeliWriter& RiegeliWriter::Chunk(char type, std::string_view data, uint64_t num_records,
                                    uint64_t decoded_size) {
  std::string rest;
  PutNumber(&rest, data.size());
  PutNumber(&rest, Hash(data));
  PutNumber(&rest, num_records << 8 | static_cast<uint8_t>(type));
  PutNumber(&rest, decoded_size);
  const uint64_t begin = bytes_.size(), end = EndOf(begin, kChunkHeader + data.size(), num_records);
  Put(WithHash(rest), begin, end);
  Put(data, begin, end);
  while (bytes_.size() < end) Put(std::string_view("", 1), begin, end);
  return *this;
}

void RiegeliWriter::Put(std::string_view bytes, uint64_t chunk_begin, uint64_t chunk_end) {
  while (!bytes.empty()) {
    if (bytes_.size() % kBlock == 0) {
      std::string rest;
      PutNumber(&rest, bytes_.size() - chunk_begin);
      PutNumber(&rest, chunk_end - bytes_.size());
      bytes_ += WithHash(rest);
      continue;
    }
    const size_t n = std::min<size_t>(bytes.size(), kBlock - bytes_.size() % kBlock);
    bytes_ += bytes.substr(0, n);
    bytes.remove_prefix(n);
  }
}

RiegeliWriter& RiegeliWriter::Records(const std::vector<std::string>& records,
                                      RiegeliCompression compression) {
  uint64_t size = 0;
  for (const std::string& record : records) size += record.size();
  return Chunk('r', RiegeliRecords(records, compression), records.size(), size);
}

RiegeliWriter& RiegeliWriter::Pad() {
  const uint64_t left = (2 * kBlock - bytes_.size() % kBlock) % kBlock;
  if (left < kChunkHeader) return *this;
  return Chunk('p', std::string(left - kChunkHeader, '\0'), 0, 0);
}

std::vector<std::string> SplitXSpace(std::string_view space, int parts) {
  std::vector<std::string> out;
  for (int part = 0; part < parts; ++part) {
    std::string& text = out.emplace_back();
    for (const Field& f : Fields(space)) {
      if (f.number == 1) {
        PutBytes(&text, 1, PlanePartWriter(Text(f), part, parts).Write());
      } else {
        PutField(&text, f);
      }
    }
  }
  return out;
}

}  // namespace stepscope::test
