// ArrowTable: columns in the layout of Apache Arrow, immutable, and their export as a stream of the
// Arrow C stream interface, which shares their memory. Knows nothing of profiles.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capi/arrow_abi.h"

namespace stepscope {

// A buffer with what keeps it alive; null where Arrow lets a buffer be absent.
using ArrowBuffer = std::shared_ptr<const void>;

struct ArrowField {
  std::string name;
  std::string format;  // of Arrow: "l" int64, "U" text with 64-bit offsets, "i" int32 ...
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

// The table's batches, in order; the stream holds the table. `out` need not be initialised.
void ExportStream(std::shared_ptr<const ArrowTable> table, ArrowArrayStream* out);

}  // namespace stepscope
