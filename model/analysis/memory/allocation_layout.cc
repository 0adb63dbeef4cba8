#include "model/analysis/memory/allocation_layout.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "model/analysis/memory/allocation_groups.h"
#include "model/jobs/job.h"

namespace stepscope {
namespace {

// The state after an event, which stands for a part of the time.
struct Moment {
  TimeRange range;
  uint32_t event = 0;
  int64_t bytes = 0;  // allocated at that moment
};

// An allocation that is made or freed at an event, and the first moment that shows it.
struct Change {
  uint32_t moment = 0, event = 0, allocation = 0;
  bool made = false;
};

// The moments of the range: at least one, and at most one a column.
std::vector<Moment> MomentsOf(const AllocatorHistory& history, const AllocatorDevice& device,
                              const LayoutRequest& request) {
  std::vector<Moment> moments;
  const uint32_t first = EventAt(history, device, request.range.begin);
  const uint32_t last = EventAt(history, device, request.range.end);
  const uint32_t columns = std::max(request.columns, 1u);
  const Column<int64_t> after = AllocatedAfter(device);
  if (last - first < columns) {
    for (uint32_t e = first; e <= last; ++e)
      moments.push_back({{history.EventTime(device, e), 0}, e, after[e]});
  } else {
    const double width = static_cast<double>(request.range.length()) / columns;
    const auto at = [&](uint32_t c) {  // 9.2e18: the largest time in ps
      return SaturatingAdd(request.range.begin, static_cast<Ps>(std::min(width * c, 9.2e18)));
    };
    uint32_t next = first;
    for (uint32_t c = 0; c < columns; ++c) {
      const Ps begin = at(c);
      const Ps end = at(c + 1);
      uint32_t fullest = next > first ? next - 1 : first;
      for (bool any = false; next <= last && history.EventTime(device, next) < end; ++next) {
        if (!any || after[next] > after[fullest]) fullest = next;
        any = true;
      }
      moments.push_back({{begin, 0}, fullest, after[fullest]});
    }
  }
  moments.front().range.begin = std::min(moments.front().range.begin, request.range.begin);
  for (size_t i = 0; i + 1 < moments.size(); ++i) moments[i].range.end = moments[i + 1].range.begin;
  moments.back().range.end =
      std::max(request.range.end, SaturatingAdd(moments.back().range.begin, 1));
  return moments;
}

// Sweeps over the moments; the allocations that are told apart lie in the order in which they
// were made.
class Sweep {
 public:
  Sweep(const AllocatorHistory& history, const AllocatorDevice& device,
        const AllocationGroup& group, AllocationLayout* layout)
      : history_(history), device_(device), group_(group), layout_(*layout) {}

  // Returns false if it needs more than kMostBands.
  bool Run(const std::vector<Moment>& moments) {
    Begin(moments);
    size_t next = 0;
    for (uint32_t m = 0; m < moments.size(); ++m) {
      CheckStop();
      for (; next < changes_.size() && changes_[next].moment == m; ++next) Apply(changes_[next]);
      for (uint32_t g = 0; g < kMostGroups; ++g)
        small_[g] = SaturatingAdd(small_[g], small_changes_[m][g]);
      Show(moments[m]);
      if (layout_.bands.size() + layout_.small.size() > kMostBands) return false;
    }
    for (const Open& open : live_) Close(open, moments.back().range.end);
    for (uint32_t g = 0; g < kMostGroups; ++g) CloseSmall(g, moments.back().range.end);
    return true;
  }

 private:
  struct Open {
    uint32_t allocation = 0;
    int64_t offset = -1;  // its height now; -1: not shown yet
    Ps since = 0;
  };

  // Collects what is live at the first moment and what changes up to the last.
  void Begin(const std::vector<Moment>& moments) {
    const std::span<const Allocation> all = device_.allocations.span();
    const auto seen_at = [&](uint32_t event) {
      return static_cast<uint32_t>(
          std::lower_bound(moments.begin(), moments.end(), event,
                           [](const Moment& m, uint32_t e) { return m.event < e; }) -
          moments.begin());
    };
    const auto count = static_cast<uint32_t>(moments.size());
    small_changes_.resize(count + size_t{1});
    std::vector<uint32_t> made_earlier;
    for (uint32_t i = 0; i < all.size(); ++i) {
      const Allocation& a = all[i];
      const uint32_t from = a.before() ? 0 : seen_at(a.begin);
      const uint32_t to = a.freed() ? seen_at(a.end) : count;
      if (from >= to) continue;  // no moment shows it
      if (a.size < layout_.min_bytes) {
        const uint32_t g = std::min(group_(a), kMostGroups - 1);
        small_changes_[from][g] = SaturatingAdd(small_changes_[from][g], a.size);
        small_changes_[to][g] = SaturatingSub(small_changes_[to][g], a.size);
        continue;
      }
      if (a.before()) {
        live_.push_back({i});  // live at the first moment: at the bottom
      } else if (from == 0) {
        made_earlier.push_back(i);
      } else {
        changes_.push_back({from, a.begin, i, true});
      }
      if (to < count) changes_.push_back({to, a.end, i, false});
    }
    for (const uint32_t i : made_earlier) live_.push_back({i});
    std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      return std::tuple(a.moment, a.event, a.made) < std::tuple(b.moment, b.event, b.made);
    });
  }

  void Apply(const Change& change) {
    if (change.made) {
      live_.push_back({change.allocation});
      return;
    }
    const auto at = std::find_if(live_.begin(), live_.end(), [&](const Open& open) {
      return open.allocation == change.allocation;
    });
    if (at == live_.end()) return;
    Close(*at, history_.EventTime(device_, change.event));
    live_.erase(at);
  }

  void Show(const Moment& moment) {
    int64_t offset = 0;
    for (Open& open : live_) {
      const Allocation& a = device_.allocations[open.allocation];
      if (open.offset != offset) {
        if (open.offset >= 0) Close(open, moment.range.begin);
        open.since = moment.range.begin;
        if (open.offset < 0 && !a.before()) {
          // A band begins with its allocation if that is later than the column's begin.
          open.since = std::max(open.since, history_.EventTime(device_, a.begin));
        }
        open.offset = offset;
      }
      offset = SaturatingAdd(offset, a.size);
    }
    for (uint32_t g = 0; g < kMostGroups; ++g) {
      ShowSmall(g, moment.range.begin, offset);
      offset = SaturatingAdd(offset, small_[g]);
    }
    layout_.top = std::max(layout_.top, moment.bytes);
  }

  void Close(const Open& open, Ps end) {
    if (open.offset < 0 || end <= open.since) return;
    layout_.bands.push_back({{open.since, end},
                             open.offset,
                             device_.allocations[open.allocation].size,
                             open.allocation});
  }

  void ShowSmall(uint32_t group, Ps time, int64_t offset) {
    SmallBand& shown = shown_[group];
    if (shown.offset == offset && shown.size == small_[group]) return;
    CloseSmall(group, time);
    shown = {{time, time}, offset, small_[group], group};
  }

  void CloseSmall(uint32_t group, Ps end) {
    SmallBand& shown = shown_[group];
    if (shown.size == 0 || end <= shown.range.begin) return;
    shown.range.end = end;
    layout_.small.push_back(shown);
  }

  const AllocatorHistory& history_;
  const AllocatorDevice& device_;
  const AllocationGroup& group_;
  AllocationLayout& layout_;
  std::vector<Change> changes_;
  std::vector<Open> live_;
  using Groups = std::array<int64_t, kMostGroups>;
  std::vector<Groups> small_changes_;  // by moment
  Groups small_{};
  std::array<SmallBand, kMostGroups> shown_{};
};

}  // namespace

AllocationLayout LayOut(const AllocatorHistory& history, const AllocatorDevice& device,
                        const LayoutRequest& request, const AllocationGroup& group) {
  AllocationLayout layout;
  layout.request = request;
  layout.min_bytes = std::max<int64_t>(request.min_bytes, 1);
  if (device.events == 0 || request.range.empty()) return layout;
  const std::vector<Moment> moments = MomentsOf(history, device, request);
  while (!Sweep(history, device, group, &layout).Run(moments)) {
    layout.bands.clear();
    layout.small.clear();
    layout.top = 0;
    layout.min_bytes = SaturatingMul(layout.min_bytes, 4);
  }
  std::sort(layout.bands.begin(), layout.bands.end(),
            [](const AllocationBand& a, const AllocationBand& b) {
              return a.range.begin < b.range.begin;
            });
  return layout;
}

}  // namespace stepscope
