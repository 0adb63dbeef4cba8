#include "loaders/store/store_writer.h"

#include <algorithm>
#include <new>
#include <vector>

#include "loaders/store/byte_codec.h"
#include "loaders/store/section.h"
#include "loaders/store/sections.h"
#include "model/jobs/job.h"

namespace stepscope::store {
namespace {

// Sections that are packed before they are handed over: the last of them leaves threads idle.
constexpr uint32_t kLeastBatch = 64;

class StoreWriter {
 public:
  StoreWriter(const WriteContext& context, const TextSink& sink) : context_(context), sink_(sink) {}

  Status Run() {
    Put(FileHeader());
    for (const SectionDesc& desc : Sections()) {
      if (Status s = WriteAll(desc); !s.ok()) return s;
    }
    const uint64_t index_at = at_;
    Put(PackSection(IndexHeader(index_), IndexBytes(index_)));
    Put(Trailer(index_at));
    return {};
  }

 private:
  void Put(std::string_view bytes) {
    sink_(bytes);
    at_ += bytes.size();
  }

  // Packs some at a time, so that few are in memory.
  Status WriteAll(const SectionDesc& desc) {
    const uint32_t sections = desc.sections(context_);
    const uint32_t batch = std::max(kLeastBatch, WorkerCount() * 4);
    for (uint32_t first = 0; first < sections; first += batch) {
      std::vector<Packed> packed(std::min(batch, sections - first));
      ParallelFor(packed.size(),
                  [&](size_t i) { packed[i] = Pack(desc, first + static_cast<uint32_t>(i)); });
      if (context_.stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
      for (Packed& p : packed) {
        if (!p.status.ok()) return p.status;
        index_.push_back({desc.id, p.key, p.count, at_});
        Put(p.bytes);
        p = {};
      }
    }
    return {};
  }

  struct Packed {
    Status status;
    uint64_t key = 0;
    uint32_t count = 0;
    std::string bytes;
  };

  Packed Pack(const SectionDesc& desc, uint32_t number) const {
    if (context_.stop.stop_requested()) return {{ErrorCode::kCancelled, "cancelled"}, 0, 0, {}};
    Payload payload;
    Packed packed;
    packed.status = desc.write(context_, number, &payload);
    if (packed.status.ok() && payload.bytes.size() > kMaxSectionBytes)
      packed.status = {ErrorCode::kLimit, std::string(desc.what) + ": a part is larger than 1 GiB"};
    if (!packed.status.ok()) return packed;
    SectionHeader header;
    header.id = desc.id;
    header.version = desc.version;
    header.count = packed.count = payload.count;
    header.key = packed.key = payload.key;
    packed.bytes = PackSection(header, payload.bytes);
    return packed;
  }

  const WriteContext& context_;
  const TextSink& sink_;
  std::vector<IndexEntry> index_;
  uint64_t at_ = 0;
};

}  // namespace

Status WriteStore(const Trace& trace, const StoreFacts& facts, const TextSink& sink,
                  const std::stop_token& stop) {
  try {
    WriteContext context{
        trace,         nullptr, {}, CapturesOf(trace), HistoryOf(trace), facts.content_id,
        facts.program, stop};
    if (trace.source != nullptr && context.history == nullptr) {
      Result<std::shared_ptr<const StatTable>> stats = trace.source->LoadTyped(trace, stop);
      if (!stats.ok()) return stats.status();
      context.stats = std::move(stats).value();
    }
    if (const xla::HloSource* source = xla::HloSourceOf(trace))
      context.programs = source->Programs();
    return StoreWriter(context, sink).Run();
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kLimit, "not enough memory to write the store"};
  }
}

}  // namespace stepscope::store
