// LineOfBytes is a line whose message has these bytes, and what it takes to parse it. The ids 0 to
// 4 have metadata.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/xplane/lines/line_parser.h"
#include "loaders/xplane/scan/plane_tables.h"
#include "model/base/column.h"

namespace stepscope::xplane {

struct LineOfBytes {
  static constexpr int64_t kIds = 5;

  explicit LineOfBytes(const std::string& bytes) {
    Column<char> copy;
    copy.Resize(bytes.size());
    std::copy(bytes.begin(), bytes.end(), copy.data());
    source = MakeMemorySource("line", bytes.size(), std::move(copy), false);
    for (uint32_t id = 0; id < kIds; ++id) ids.Set(id, id), metas.push_back(id + 10);
    task.parsed = &parsed;
    task.job.source = source.get();
    task.job.end = bytes.size();
    task.job.metas = metas.data();
    task.job.ids = &ids;
  }

  std::shared_ptr<const ByteSource> source;
  IdMap ids;
  std::vector<uint32_t> metas;  // MetaId by index
  ParsedLine parsed;
  LineTask task;
};

}  // namespace stepscope::xplane
