// SnapshotRecords: turns the dicts of a memory snapshot into the columns of an AllocatorHistory
// while they are read: events, frames, blocks, segments and annotations. A list of frames becomes a
// stack, and equal lists become one. One thread. O(1) a dict.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "loaders/memory_snapshot/pickle.h"
#include "model/allocator_history.h"
#include "model/base/number_hash.h"
#include "model/jobs/job.h"

namespace stepscope::snapshot {

enum RecordKind : uint8_t { kEvent = 1, kFrame, kBlock, kSegment, kNote, kStack };

class SnapshotRecords final : public pickle::DictSink {
 public:
  // Writes into `history`, which must outlive this. `progress` counts events; it may be null.
  SnapshotRecords(AllocatorHistory* history, Progress* progress);
  std::optional<pickle::Record> Take(pickle::PickleReader& reader,
                                     std::span<const pickle::Value> items) override;

  // Call at the end: adds to the progress what was read since its last step.
  void FinishProgress();

  // The blocks of each segment in order of the file: indices of AllocatorHistory::blocks.
  const std::vector<std::vector<uint32_t>>& blocks_of_segments() const { return segment_blocks_; }
  // How many events have a size or time that is missing or beyond what can be.
  uint64_t clamped_sizes() const { return clamped_sizes_; }
  uint64_t bad_frames() const { return bad_frames_; }

 private:
  // Keys that are looked at, in the order in which they are interned.
  enum Key : uint32_t {
    kNoKey,
    kAction,
    kAddr,
    kSize,
    kStream,
    kTimeUs,
    kFrames,
    kCompileContext,
    kDeviceFree,
    kName,
    kFilename,
    kLine,
    kDevice,
    kAddress,
    kTotalSize,
    kBlocks,
    kState,
    kRequestedSize,
    kSegmentType,
    kSegmentPoolId,
    kIsExpandable,
    kStage,
    kHistory,
    kKeys
  };
  struct Fields {  // the values of one dict, by key; None where a key is missing
    pickle::Value values[kKeys] = {};
    bool Has(Key key) const { return (seen >> key) % 2 != 0; }
    uint32_t seen = 0;
  };

  uint32_t AddEvent(const pickle::PickleReader& reader, const Fields& fields, uint32_t stack);
  uint32_t AddFrame(const pickle::PickleReader& reader, const Fields& fields);
  uint32_t AddBlock(const pickle::PickleReader& reader, const Fields& fields, uint32_t stack);
  uint32_t AddSegment(pickle::PickleReader& reader, const Fields& fields);
  uint32_t AddNote(const pickle::PickleReader& reader, const Fields& fields);
  uint32_t StackOf(pickle::PickleReader& reader, pickle::Value list);
  uint32_t StackOfBlock(pickle::PickleReader& reader, const Fields& fields);
  uint32_t InternStack();
  uint32_t StreamOf(uint64_t stream);
  AllocatorAction ActionOf(StringId text);
  int64_t SizeOf(const pickle::PickleReader& reader, pickle::Value value);

  AllocatorHistory& history_;
  Progress* progress_;
  std::vector<AllocatorAction> actions_;  // by the StringId of the name; kOther: not looked up yet
  std::unordered_map<uint64_t, uint32_t, SeededHash> streams_;
  std::pair<uint64_t, uint32_t> last_stream_{0, 0};  // of streams_
  const SeededHash hash_;
  std::unordered_multimap<uint64_t, uint32_t> frames_, stacks_;  // by hash
  std::vector<uint32_t> stack_;                                  // of the list being read
  std::vector<std::vector<uint32_t>> segment_blocks_;
  uint64_t clamped_sizes_ = 0, bad_frames_ = 0;
};

}  // namespace stepscope::snapshot
