// The faults that were repaired or skipped while reading one file, counted by kind with the first
// places as byte offsets. Counting is cheap; the counts become Diagnostics at the end. One thread
// writes an object; the owner merges them in a fixed order, so that reports do not depend on
// timing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "model/diagnostics.h"

namespace stepscope {

template <typename Kind>
struct DiagnosticText {
  Kind kind;
  const char* id;
  Severity severity;
  const char* text;
};

// The places that are kept: the smallest offsets, for faults that are found in any order, or those
// that are counted first.
enum class PlacesKept : uint8_t { kSmallest, kFirst };

// `Kind` is an enum that ends with kCount.
template <typename Kind, PlacesKept kKept>
class CountedDiagnostics {
 public:
  void Count(Kind kind, uint64_t byte) {
    Row& row = RowOf(kind);
    ++row.count;
    Keep(byte, &row);
  }
  uint64_t count(Kind kind) const { return any() ? (*rows_)[static_cast<size_t>(kind)].count : 0; }
  bool any() const { return rows_ != nullptr; }
  void Merge(const CountedDiagnostics& other) {
    for (size_t i = 0; other.any() && i < kKinds; ++i) {
      const Row& from = (*other.rows_)[i];
      Row& row = RowOf(static_cast<Kind>(i));
      row.count += from.count;
      for (uint32_t k = 0; k < from.places; ++k) Keep(from.first[k], &row);
    }
  }
  // Adds all counts to `out`, in the order of the texts. A place reads "<file> byte 1204331, line
  // 'Stream #14'": `where` is what follows the byte.
  void Report(std::span<const DiagnosticText<Kind>> texts, const std::string& file,
              const std::string& where, Diagnostics* out) const {
    for (const DiagnosticText<Kind>& t : texts) {
      if (count(t.kind) == 0) continue;
      const Row& row = (*rows_)[static_cast<size_t>(t.kind)];
      for (uint32_t k = 0; k < row.places; ++k) {
        std::string place = file + " byte " + std::to_string(row.first[k]);
        if (!where.empty()) place += ", " + where;
        out->Count(t.id, t.severity, t.text, std::move(place),
                   k == 0 ? row.count - (row.places - 1) : 1);
      }
    }
  }

 private:
  static constexpr size_t kKinds = static_cast<size_t>(Kind::kCount);
  struct Row {
    uint64_t count = 0;
    uint32_t places = 0;
    std::array<uint64_t, Diagnostics::kMaxPlaces> first{};
  };

  Row& RowOf(Kind kind) {
    if (rows_ == nullptr) rows_ = std::make_unique<std::array<Row, kKinds>>();
    return (*rows_)[static_cast<size_t>(kind)];
  }
  static void Keep(uint64_t byte, Row* row) {
    const bool full = row->places == row->first.size();
    if (full && (kKept == PlacesKept::kFirst || byte >= row->first.back())) return;
    if (!full) ++row->places;
    size_t i = row->places - 1;
    for (; kKept == PlacesKept::kSmallest && i > 0 && row->first[i - 1] > byte; --i)
      row->first[i] = row->first[i - 1];
    row->first[i] = byte;
  }

  std::unique_ptr<std::array<Row, kKinds>> rows_;  // null while there are none, as nearly always
};

}  // namespace stepscope
