// ArrowTable: immutable columns in the layout of Apache Arrow
// (https://arrow.apache.org/docs/format/Columnar.html), builders of columns, and the export of a
// table as a stream of the Arrow C stream interface, which shares the table's memory. Nothing here
// knows profiles. Any thread may read and export a table; a builder belongs to one thread at a
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capi/arrow_abi.h"

namespace stepscope {

// A buffer together with its owner; null where Arrow allows a buffer to be absent.
using ArrowBuffer = std::shared_ptr<const void>;

struct ArrowField {
  std::string name;
  std::string format;  // of Arrow: "l" int64, "i" int32, "U" text with 64-bit offsets
  bool nullable = false;
  std::vector<std::pair<std::string, std::string>> metadata = {};
  std::vector<ArrowField> children = {};
  std::shared_ptr<const ArrowField> dictionary = {};
};

struct ArrowColumn {
  int64_t length = 0;
  int64_t nulls = 0;
  std::vector<ArrowBuffer> buffers = {};
  std::vector<ArrowColumn> children = {};
  std::shared_ptr<const ArrowColumn> dictionary = {};
};

struct ArrowBatch {
  int64_t rows = 0;
  std::vector<ArrowColumn> columns;  // as many as the table has fields
};

struct ArrowTable {
  std::vector<ArrowField> fields;
  std::vector<ArrowBatch> batches;
  int64_t rows() const;
};

// Exports the table's batches, in order. The stream shares ownership of the table until it is
// released; one thread at a time may use it. `out` need not be initialised.
void ExportStream(std::shared_ptr<const ArrowTable> table, ArrowArrayStream* out);

// --- Builders of columns. Take() moves the column out and ends the use of the builder. -----------

// Makes a buffer that owns the vector, without a copy.
template <typename T>
ArrowBuffer BufferOf(std::vector<T> values) {
  auto kept = std::make_shared<const std::vector<T>>(std::move(values));
  return kept->empty() ? ArrowBuffer() : ArrowBuffer(kept, kept->data());
}

// The validity bitmap: a bit for each row says whether it has a value. Absent (null) as long as
// all rows have one.
class Validity {
 public:
  void Add(bool valid);
  int64_t nulls() const { return nulls_; }
  ArrowBuffer Take() { return nulls_ == 0 ? ArrowBuffer() : BufferOf(std::move(bits_)); }

 private:
  std::vector<uint8_t> bits_;
  int64_t rows_ = 0, nulls_ = 0;
};

// Texts with 64-bit offsets, format "U". Bytes that are not UTF-8 become U+FFFD, one for each
// longest begin of a character, as in the reports in JSON.
class TextColumn {
 public:
  void Add(std::string_view text);
  void AddNull();
  ArrowColumn Take();

 private:
  std::vector<int64_t> offsets_{0};
  std::vector<char> bytes_;
  Validity validity_;
};

// Numbers: int32_t "i", int64_t "l", double "g".
template <typename T>
class NumberColumn {
 public:
  void Add(T value) {
    values_.push_back(value);
    validity_.Add(true);
  }
  void AddNull() {
    values_.push_back(T());
    validity_.Add(false);
  }
  ArrowColumn Take() {
    const auto rows = static_cast<int64_t>(values_.size());
    const int64_t nulls = validity_.nulls();
    return {rows, nulls, {validity_.Take(), BufferOf(std::move(values_))}};
  }

 private:
  std::vector<T> values_;
  Validity validity_;
};

// Flags, format "b": a bit for each row, as in the validity bitmap.
class FlagColumn {
 public:
  void Add(bool value);
  void AddNull();
  ArrowColumn Take();

 private:
  std::vector<uint8_t> bits_;
  int64_t rows_ = 0;
  Validity validity_;
};

void AppendUtf8(std::string_view text, std::vector<char>* out);

}  // namespace stepscope
