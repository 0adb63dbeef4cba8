// FileEvents: what one file's batches add up to: columns per thread, open begins, asynchronous
// events, counters, flow points and metadata, with names in the builder's tables. It is filled
// batch by batch in file order, by one thread at a time. Then Resolve() matches begins with ends,
// and BuildTracks (chrome_track_builder.h) makes tracks of it. Times are picoseconds from
// `base_ps`. Owns its columns.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "loaders/chrome_json/event.h"
#include "loaders/common/track_roles.h"
#include "model/trace_builder.h"

namespace stepscope::chrome {

constexpr uint32_t kNoIndex = 0xffffffffu;

// Columns of a track that grow event by event.
struct PartEvents {
  RawEvents slices, instants;
  bool empty() const { return slices.start.empty() && instants.start.empty(); }
};

struct BeginOrEnd {
  int64_t ts;
  uint64_t offset;
  uint32_t meta, aux;  // aux: FileEvents::binds, or kNoIndex; kEndMark: an E
  static constexpr uint32_t kEndMark = kNoIndex - 1;
  bool end() const { return aux == kEndMark; }
};

// Facts that metadata events tell about a process. Texts are strings of the builder, because there
// may be a million of them.
struct ProcessInfo {
  StringId name{0}, labels{0};
  int64_t sort_index = 0;
  bool has_sort_index = false;
};
struct ThreadInfo {
  StringId name{0};
  bool has_sort_index = false;
  int64_t sort_index = 0;
};

struct ThreadEvents {
  uint32_t pid = 0, tid = 0;  // FileEvents::ids
  std::unique_ptr<PartEvents>
      parts[naming::kParts];  // null: none, as nearly all of many threads have one
  Column<BeginOrEnd> nested;  // B and E
  ThreadInfo info;
  bool host = false;                   // has events that only a host thread has
  bool only_python = true;             // the main part has no events but Python functions
  PartEvents& Of(naming::Part part) {  // makes the part when it is first asked for
    std::unique_ptr<PartEvents>& events = parts[static_cast<size_t>(part)];
    if (events == nullptr) events = std::make_unique<PartEvents>();
    return *events;
  }
};

struct AsyncEvent {
  int64_t ts;
  uint64_t id, offset;
  uint32_t meta, cat, scope;  // cat and scope are strings of the builder
  uint32_t pid;
  bool local;
  char ph;
};

struct FlowPoint {
  int64_t ts;
  uint64_t id, offset;
  uint32_t
      key;  // meta of a v1 flow (its name and category); kNoIndex: v2, which has only a bind_id
  uint32_t thread;
  uint32_t slice;  // raw slice of the part when known, else kNoIndex
  naming::Part part;
  char ph;         // s, t, f
  bool enclosing;  // bp: "e"
};

struct Counter {
  uint32_t pid = 0;
  StringId name;  // a string of the builder
  std::vector<CounterSeries> series;
};

// The metas of all files of a trace: one for each name and `cat`, or several where the category
// depends on the track.
struct MetaTable {
  PairIndex metas;                          // (name, cat), strings of the builder
  std::vector<uint32_t> ids;                // MetaId values of `metas`
  std::vector<naming::CategoryRole> roles;  // by MetaId, from name and `cat` alone
  std::map<std::pair<uint32_t, EventCategory>, uint32_t>
      by_category;  // metas of unknown category by place
};

// The meaning of a worker's numbers in the builder; grows with the new names of its batches.
struct WorkerMap {
  std::vector<uint32_t> metas, cats, threads;
};

class FileEvents {
 public:
  FileEvents(TraceBuilder* builder, MetaTable* metas) : builder_(builder), metas_(metas) {}

  // Adds a batch. Batches come in file order. `text` is the file's from its start; arguments of
  // metadata events are read from it. Adds only a part of the batch when asked to stop.
  void Consume(const BatchResult& batch, WorkerMap* map, std::string_view text,
               const std::stop_token& stop = {});
  // Leaves out the events that lost their times, and matches B with E and asynchronous begins with
  // ends. `base_ps`: the file's time that times are relative to. Call once, after the last batch.
  // Matches only some of them when asked to stop.
  void Resolve(Int128 base_ps, const std::stop_token& stop);

  // Where the events of a later file come: what is added to their times and to their offsets.
  struct Behind {
    Ps shift = 0;
    uint64_t offset = 0;
  };
  // Adds the events of another file of the same builder, whose processes and threads have the same
  // ids. Call after Resolve of both. Empties `later`. O(events of `later`).
  void Append(FileEvents* later, const Behind& behind);

  uint32_t Id(std::string_view text);  // number of the id of a process or thread
  std::string_view IdText(uint32_t id) const { return ids_.View(StringId(id)); }
  size_t id_count() const { return ids_.size(); }  // ids are below this

  // Offsets of B events and of their E events, sorted: the end's arguments belong to the slice too.
  std::vector<std::pair<uint64_t, uint64_t>> ends;

  // Data that BuildTracks reads.
  std::vector<ThreadEvents> threads;
  std::vector<FlowPoint> flows;
  std::vector<AsyncEvent> async;
  struct AsyncTrack {
    uint32_t pid;
    uint32_t cat;
    uint32_t number;  // its number among those with this pid and cat
    PartEvents events;
  };
  std::vector<AsyncTrack> async_tracks;
  std::vector<Counter> counters;
  // Allocator totals by device type, device id and process.
  std::map<std::tuple<int64_t, int64_t, uint32_t>, Counter> memory;
  std::vector<ProcessInfo> processes;  // by pid; those beyond have none
  ChromeDiagnostics diagnostics;
  uint64_t event_count = 0;
  uint64_t counter_events = 0;  // not in event_count
  // Events with time 0 and length 0 that are far from all others: they are left out, and no longer
  // in event_count.
  uint64_t lost_times = 0;
  TimeRange span;         // first start to last end, known after Resolve()
  bool has_span = false;  // false: no events

 private:
  struct Bind {
    uint64_t id;
    bool in, out;
  };
  void Learn(const BatchResult& batch, WorkerMap* map);
  uint32_t Meta(const NamePair& name_and_cat, uint32_t* cat_id, uint64_t offset);
  uint32_t Thread(const NamePair& pid_and_tid);
  uint32_t ThreadOf(uint32_t pid, uint32_t tid);
  // The series of that name of a counter, which is new or known.
  CounterSeries* SeriesOf(uint32_t counter, StringId name);
  void AppendAsync(FileEvents* later, const Behind& behind);
  void AppendCounters(const FileEvents& later, Ps shift);
  StringId String(std::string_view token);
  void AddEvent(const BatchResult& batch, const ParsedEvent& event, const WorkerMap& map,
                std::string_view text, const std::stop_token& stop);
  void AddComplete(const BatchResult& batch, const ParsedEvent& event, uint32_t meta,
                   uint32_t thread);
  void AddMetadata(const EventAux* aux, uint32_t meta, uint32_t thread, uint64_t offset,
                   std::string_view text);
  void AddCounter(const BatchResult& batch, const ParsedEvent& event, const EventAux& aux,
                  uint32_t meta, uint32_t thread, const std::stop_token& stop);
  void AddMemory(const MemorySample& sample, uint32_t pid);
  void AddBind(int64_t ts, uint64_t offset, const Bind& bind, uint32_t thread, naming::Part part,
               uint32_t slice);
  std::vector<Ps> LastOfProcesses() const;  // by pid's id
  void FindSpan(const std::stop_token& stop);
  void DropLostTimes(Ps zero);
  void ResolveNested(const std::stop_token& stop);
  void ResolveAsync(const std::stop_token& stop);
  void PlaceChains(std::vector<struct AsyncChain>* chains, const std::stop_token& stop);

  naming::CategoryRole Role(uint32_t meta) const { return metas_->roles[meta]; }

  TraceBuilder* builder_;
  MetaTable* metas_;
  uint64_t at_zero_ = 0;  // events with time 0 and length 0
  StringPool ids_;
  PairIndex threads_;  // (pid, tid)
  std::vector<Bind> binds_;
  PairIndex counter_index_;              // (pid, name) -> `counters`
  PairIndex series_index_;               // (counter, name of the series)
  std::vector<uint32_t> series_places_;  // by number in series_index_: index in Counter::series
};

}  // namespace stepscope::chrome
