// The table of sections of a store: one row for each kind, which says how it is written and how it
// is read. Writer (store_writer.h) and reader (store_reader.h) go by it, so they cannot disagree.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/store/arguments.h"
#include "loaders/store/event_columns.h"
#include "loaders/store/section.h"
#include "loaders/store/store.pb.h"
#include "model/allocator_history.h"
#include "model/graph_captures.h"
#include "model/trace_builder.h"
#include "model/xla/hlo_source.h"

namespace stepscope::store {

// The trace to be written, which is borrowed.
struct WriteContext {
  const Trace& trace;
  std::shared_ptr<const StatTable> stats;   // null: none
  std::vector<xla::ProgramEntry> programs;  // of its HloSource
  std::span<const GraphCapture> captures;
  const AllocatorHistory* history = nullptr;
  std::string content_id, program;
  std::stop_token stop;
};

// A section as it is read.
struct Section {
  SectionHeader header;
  uint64_t at = 0;  // of the stored bytes in the file
};

// The state of a reader. Sections that are read in order may change all of it; those that
// are read in parallel only `events` at their own rows.
struct ReadContext {
  explicit ReadContext(TraceBuilder& b) : builder(b) {}

  TraceBuilder& builder;
  std::string label;                // the file's name, for diagnostics
  uint64_t most_bytes = 0;          // what all sections may become in memory
  std::atomic<uint64_t> bytes = 0;  // what they have become
  bool nested = false;              // it is a capture within a store

  pb::Head head;
  pb::Tracks tracks;
  EventColumns events;
  std::vector<std::vector<CounterSeries>> counters;  // by track of the file
  std::vector<Flow> flows;                           // with rows of the file
  ArgumentBlocks arguments;
  std::vector<StoredProgram> programs;
  std::shared_ptr<AllocatorHistory> history;
  uint64_t history_events = 0;  // that the file says it has
  std::vector<GraphCapture> captures;
  std::stop_token stop;
};

struct Payload {
  uint64_t key = 0;
  uint32_t count = 0;
  std::string bytes;
};

enum class ReadMode : uint8_t {
  kNeeded,    // in order; where it is damaged or missing there is nothing to show
  kInOrder,   // in order; a damaged one is left out
  kParallel,  // in any order, on all cores
  kLater,     // `read` gets no bytes; they are read when someone asks
  kPreview,   // read in order, and only where the rest, which says the same, is not there yet
};

enum class SectionCount : uint8_t {
  kOne,   // a store has at most one section of the kind; its key is 0
  kMany,  // each section of the kind has a key of its own
};

struct SectionDesc {
  const char* id;    // four letters; never gets another meaning
  uint16_t version;  // a reader skips newer ones
  SectionCount count;
  ReadMode mode;
  const char* what;  // for people
  // How many sections of the kind the trace has, and the one of a number. Any thread.
  uint32_t (*sections)(const WriteContext& context);
  Status (*write)(const WriteContext& context, uint32_t number, Payload* out);
  // Whether the bytes make sense. Nothing may be trusted of them.
  bool (*read)(ReadContext& context, const Section& section, std::string_view bytes);
  // For sections that are read later: the same, beforehand. Any thread.
  bool (*check)(const Section& section, std::string&& bytes) = nullptr;
};

// In the order of the stream.
std::span<const SectionDesc> Sections();

inline uint32_t PartsOf(uint64_t items, uint32_t size = kMaxItems) {
  return static_cast<uint32_t>((items + size - 1) / size);
}

// Texts of a pool, in parts: all but the empty one, in order.
uint32_t TextSections(const StringPool& pool);
void WriteTexts(const StringPool& pool, uint32_t number, Payload* out);
bool ReadTexts(const Section& section, std::string_view bytes, StringPool* pool);

// The tracks of the file with their counters, listed by their planes. Without events.
std::vector<Track> TracksOf(ReadContext& context);

// Whether the snapshot makes sense, after what is missing of its events has been cut off, too.
bool CheckHistory(ReadContext& context);

// The format that the head names, with its capabilities. It lives as long as the pointer.
std::shared_ptr<const TraceFormat> FormatOf(const pb::Head& head);

extern const SectionDesc kHeadSection, kNameSection, kMetaSection, kTrackSection, kOverviewSection,
    kEventSection, kCounterSection, kFlowSection, kHloTableSection, kStatNameSection, kStatSection,
    kArgumentSection, kProgramListSection, kProgramSection, kAllocatorNameSection,
    kAllocatorEventSection, kAllocatorSection, kCaptureSection;

}  // namespace stepscope::store
