// ArrowTable: immutable columns in the layout of Apache Arrow, and their export as a stream of
// the Arrow C stream interface, which shares their memory
// (https://arrow.apache.org/docs/format/Columnar.html). Nothing here knows profiles. Any thread
// may read and export a table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
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

}  // namespace stepscope
