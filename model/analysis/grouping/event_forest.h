// EventForest: which event encloses or causes which (docs/rules.md#grouping; XProf:
// xla/tsl/profiler/utils/group_events.cc). Edges are nesting on a line, launches by correlation id,
// iterator calls, and contexts of producers and consumers. Built for grouping and thrown away after
// it, except for the launch links. One thread uses it; building runs parallel over tracks. O(n) for
// nesting; 13 bytes an event, of which untouched pages take no memory. While it links, it takes 24
// bytes for each end of a context, and as much as LaunchIndex says for the calls of all hosts. Most
// work of devices has a launch and nothing else: no link leads to it, because launches() tell.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/analysis/block_allocator.h"
#include "model/analysis/grouping/launch_index.h"
#include "model/analysis/intervals/event_order.h"
#include "model/analysis/naming/op_name.h"
#include "model/base/column.h"
#include "model/jobs/job.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// A device event and the host call that launched it, as rows.
struct LaunchLink {
  uint32_t device_row, launch_row;
};
using LaunchLinks = std::vector<LaunchLink, BlockAllocator<LaunchLink>>;

// Calls fn(row, value) for the entries of the column in the range.
template <typename T, typename Fn>
void ForColumn(const SparseColumn<T>& column, RowRange range, Fn fn) {
  column.ForRange(range.first, range.end(), fn);
}

inline constexpr size_t kRowsAtATime = size_t{1} << 18;

// Calls fn(begin, end) for parts of [0, size), in parallel. All but the last have kRowsAtATime.
template <typename Fn>
void ForParts(size_t size, Fn fn) {
  ParallelFor((size + kRowsAtATime - 1) / kRowsAtATime, [&](size_t part) {
    fn(part * kRowsAtATime, std::min(size, (part + 1) * kRowsAtATime));
  });
}

class EventForest {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;
  // Link ties an event to one that causes it. Both are positions.
  struct Link {
    uint32_t child, parent;
  };

  EventForest(const Trace& trace, const StatTable& stats, const EventOrder& order);
  void Build();

  // The following take and return positions of EventOrder (intervals/event_order.h).
  uint32_t PositionOf(uint32_t row) const { return pos_[row]; }
  uint32_t SubtreeEnd(uint32_t pos) const { return pos + 1 + below_[pos]; }
  bool InTree(uint32_t pos) const { return (marks_[pos] & kAsync) == 0; }
  // Appends the parents in XProf's order: the enclosing event, then
  // links in the order they were made.
  void AppendParents(uint32_t pos, std::vector<uint32_t>* out) const;
  bool HasLinkedParents(uint32_t pos) const { return (marks_[pos] & kLinkedChild) != 0; }
  uint32_t Encloser(uint32_t pos) const { return parent_[pos] - 1; }  // kNone: nothing encloses it
  void AddLink(uint32_t parent, uint32_t child);
  // links() has no launches; launch_links() has those of work that has more than its launch.
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Link>& launch_links() const { return launch_links_; }
  // Must be called after the last AddLink and before AppendParents.
  void SortLinks();

  // By MetaId, the type of the event's name. Events of type kNone with a correlation id are
  // launches, or work of devices.
  std::span<const HostEventType> types() const { return types_; }
  // The positions of the host's events whose type has a rule in grouping, in file order.
  const std::vector<uint32_t>& Special(uint32_t host) const { return special_[host]; }
  LaunchLinks TakeLaunches() {
    if (launches_.capacity() - launches_.size() > launches_.size() / 8) launches_.shrink_to_fit();
    return std::move(launches_);
  }
  const LaunchLinks& launches() const { return launches_; }
  std::span<const uint32_t> HostTracks(uint32_t host) const { return host_tracks_[host]; }
  bool HasLoopMarkers(uint32_t host) const { return loop_markers_[host]; }
  uint32_t MetaAt(uint32_t pos) const;

 private:
  struct Region {
    Ps begin, end;
  };
  // The positions of one host's events by type, each in file order.
  class ByType {
   public:
    std::vector<uint32_t>& operator[](HostEventType t) { return of_[static_cast<size_t>(t)]; }
    const std::vector<uint32_t>& operator[](HostEventType t) const {
      return of_[static_cast<size_t>(t)];
    }

   private:
    static constexpr auto kLast = static_cast<size_t>(HostEventType::kTpuRunDone);
    std::array<std::vector<uint32_t>, kLast + 1> of_;
  };
  void ClassifyMetas();
  void FindPositions();
  std::vector<Region> ThreadpoolRegions(uint32_t track) const;
  void SetSubtreeEnd(uint32_t pos, uint32_t end) {
    if (end > pos + 1) below_[pos] = end - pos - 1;
  }
  void NestTrack(uint32_t track, std::vector<uint32_t>* special);
  using LinkKey = std::array<int64_t, 4>;
  template <typename KeyOf>
  void LinkEqual(const std::vector<uint32_t>& parents, const std::vector<uint32_t>& children,
                 KeyOf key_of);
  std::optional<LinkKey> Pair(uint32_t pos, IntStat a, IntStat b) const;
  std::optional<LinkKey> RunKey(uint32_t pos) const;
  void LinkSpecial(uint32_t host);
  void LinkExecutors(const ByType& special);
  void LinkTpu(uint32_t host, const ByType& special);
  bool HoldsCalls(uint32_t track) const;
  std::vector<LaunchIndex> IndexCalls(const std::vector<std::vector<uint32_t>>& tracks,
                                      size_t entries) const;
  void LinkLaunches();
  void LinkFlows();
  // TrackLinks has the number of a track's launches, and what the track adds to launch_links_.
  struct TrackLinks {
    size_t count = 0;
    std::vector<Link> more;
  };
  TrackLinks LinkWork(const Track& track, const LaunchIndex& calls, LaunchLink* out);
  bool MarkLinked(uint32_t device_row);
  struct Side {  // of a link between contexts
    int64_t type, id;
    uint32_t sequence, pos;
  };
  size_t EntriesOf(uint32_t track, const SparseColumn<int64_t>& column) const;
  std::vector<Side> SidesOf(uint32_t host, IntStat type_stat, IntStat id_stat, size_t most) const;
  void LinkContexts();
  void LinkSides(const std::vector<Side>& producers, const std::vector<Side>& consumers);

  const Trace& trace_;
  const StatTable& stats_;
  const EventOrder& order_;
  std::vector<HostEventType> types_;
  std::vector<uint8_t> region_role_;  // by MetaId; 1: start of a threadpool region, 2: its stop
  std::vector<std::vector<uint32_t>> host_tracks_, special_;
  std::vector<bool> loop_markers_;
  // By position. Column gives memory back to the system when it is freed.
  // Zero means none, so that untouched pages of events that enclose nothing, such as those of
  // devices, cost no memory: the encloser counts from 1, and below_ is the number of enclosed
  // events.
  Column<uint32_t> parent_, below_;
  Column<uint32_t> pos_;  // by row
  enum Mark : uint8_t { kAsync = 1, kLinkedChild = 2, kLinkedParent = 4 };
  Column<uint8_t> marks_;    // by position; bits of Mark
  std::vector<Link> links_;  // by child after SortLinks
  std::vector<Link> launch_links_;
  LaunchLinks launches_;  // by device row
};

}  // namespace stepscope
