#include "model/analysis/steps/device_windows.h"

#include <algorithm>
#include <array>

#include "model/analysis/intervals/lane_merge.h"

namespace stepscope {
namespace {

// Keeps the times in which collectives are hidden, as far as a collective waits then: most events
// run while none does.
class WaitRecorder {
 public:
  explicit WaitRecorder(DividedDevice* device) : device_(device) {
    for (const DeviceWindow& w : device->windows)
      waits_.insert(waits_.end(), w.waits.begin(), w.waits.end());
    waits_ = UnionOf(std::move(waits_));
  }
  // An event of the class runs in a time in which none of this class or a higher one ran so far.
  // Begins of one class must not fall.
  void Add(size_t time_class, TimeRange range) {
    if (time_class == kCollectives) AddTo(&device_->with_collectives, &next_with_, range);
    if (time_class == kCollectives + 1) AddTo(&device_->above_collectives, &next_above_, range);
  }
  // The same for each class up to this one.
  void AddUpTo(size_t time_class, TimeRange range) {
    if (time_class >= kCollectives) AddTo(&device_->with_collectives, &next_with_, range);
    if (time_class > kCollectives) AddTo(&device_->above_collectives, &next_above_, range);
  }

 private:
  static constexpr size_t kCollectives = static_cast<size_t>(TimeClass::kCollectives);

  void AddTo(Ranges* times, size_t* next, TimeRange range) const {
    while (*next < waits_.size() && waits_[*next].end <= range.begin) ++*next;
    if (*next < waits_.size() && waits_[*next].begin < range.end) MergeInto(times, range);
  }

  DividedDevice* device_;
  Ranges waits_;
  size_t next_with_ = 0, next_above_ = 0;  // indices of the first wait that is not over
};

}  // namespace

// The pass goes in order of start. It sums, for each window, the time with each class or above, and
// finds gaps and the parts of copies that compute hides.
void FillWindows(const std::vector<uint8_t>& classes,
                 const std::function<int32_t(uint32_t row, Ps start)>& step_of,
                 const std::function<IdleGap&()>& next_gap, DividedDevice* device) {
  struct OpenCopy {
    Ps end;
    Ps* hidden;
  };
  constexpr size_t kCompute = static_cast<size_t>(TimeClass::kCompute32);
  std::vector<DeviceWindow>& windows = device->windows;
  WaitRecorder waits(device);
  ClassTimes cursor;
  cursor.fill(kMinPs);
  std::array<size_t, kTimeClasses> at{};             // by class: the window that its cursor is in
  std::vector<ClassTimes> alone_in(windows.size());  // time of events that nothing overlaps
  std::vector<OpenCopy> copies;
  auto cover = [&](size_t c, Ps from, Ps to) {
    size_t& w = at[c];
    while (w < windows.size() && windows[w].span.end <= from) ++w;
    for (size_t k = w; k < windows.size() && windows[k].span.begin < to; ++k) {
      windows[k].above[c] += std::max<Ps>(
          0, std::min(to, windows[k].span.end) - std::max(from, windows[k].span.begin));
    }
  };
  // Covers all classes up to c at once, for an event that nothing overlaps so far and that lies
  // within a window. False: it does not.
  auto alone = [&](size_t c, Ps begin, Ps end) {
    size_t& w = at[1];
    while (w < windows.size() && windows[w].span.end <= begin) ++w;
    if (w == windows.size() || begin < windows[w].span.begin || end > windows[w].span.end)
      return false;
    std::fill_n(cursor.begin() + 1, c, end);
    alone_in[w][c] += end - begin;
    waits.AddUpTo(c, {begin, end});
    return true;
  };
  size_t gap_at = 0, gaps = 0;
  auto gap = [&](Ps from, Ps to, uint32_t next) {
    while (gap_at < windows.size() && windows[gap_at].span.end <= from) ++gap_at;
    for (size_t k = gap_at; k < windows.size() && windows[k].span.begin < to; ++k) {
      TimeRange r{std::max(from, windows[k].span.begin), std::min(to, windows[k].span.end)};
      if (r.empty()) continue;
      if (windows[k].gap_count++ == 0) windows[k].first_gap = gaps;
      windows[k].idle += r.length();
      ++gaps;
      IdleGap& of_window = next_gap();
      of_window.window = static_cast<uint32_t>(k);
      of_window.next_row = next;
      of_window.begin = r.begin, of_window.end = r.end;
      of_window.since = from;
    }
  };
  ForEachByStart(device->lanes, [&](const Lane& lane, uint32_t i) {
    size_t c = classes[lane.meta[i]];
    if (!c || lane.dur[i] <= 0) return;
    Ps begin = lane.start[i], end = lane.end(i);
    if (begin > cursor[1]) gap(cursor[1], begin, lane.first_row + i);
    bool copy = c == static_cast<size_t>(TimeClass::kHostToDevice) ||
                c == static_cast<size_t>(TimeClass::kDeviceToHost);
    int32_t step = copy ? step_of(lane.first_row + i, begin) : -1;
    int32_t window = step < 0 ? -1 : device->window_of_step[static_cast<size_t>(step)];
    if (window >= 0) {
      DeviceWindow& w = windows[static_cast<size_t>(window)];
      Ps* hidden =
          c == static_cast<size_t>(TimeClass::kHostToDevice) ? &w.h2d_hidden : &w.d2h_hidden;
      *hidden += std::max(begin, std::min(end, cursor[kCompute])) - begin;
      copies.push_back({end, hidden});
    }
    if (begin >= cursor[1] && copies.empty() && alone(c, begin, end)) return;
    for (size_t t = c; t > 0; --t) {
      Ps from = std::max(begin, cursor[t]);
      if (end <= from) continue;
      cursor[t] = end;
      cover(t, from, end);
      waits.Add(t, {from, end});
      if (t != kCompute || copies.empty()) continue;
      std::erase_if(copies, [&](const OpenCopy& o) { return o.end <= from; });
      for (const OpenCopy& o : copies) *o.hidden += std::min(end, o.end) - from;
    }
  });
  if (!windows.empty()) gap(cursor[1], kMaxPs, IdleGap::kNone);
  for (size_t w = 0; w < windows.size(); ++w) {
    Ps above = 0;
    for (size_t t = kTimeClasses - 1; t > 0; --t) {
      above += alone_in[w][t];
      windows[w].above[t] += above;
    }
  }
}

void FindCollectiveWaits(std::span<DeviceWindow* const> sides) {
  size_t most = 0;
  for (const DeviceWindow* w : sides) most = std::max(most, w->collectives.size());
  for (size_t n = 0; n < most && sides.size() > 1; ++n) {
    Ps last = kMinPs;
    std::string_view name;
    for (const DeviceWindow* w : sides) {
      if (n >= w->collectives.size()) continue;
      if (name.empty()) name = w->collectives[n].name;
      if (w->collectives[n].name == name) last = std::max(last, w->collectives[n].begin);
    }
    for (DeviceWindow* w : sides) {
      if (n >= w->collectives.size() || w->collectives[n].name != name) continue;
      const DeviceWindow::Collective& c = w->collectives[n];
      const Ps until = std::min(last, c.end);
      w->collective_wait += until - c.begin;
      if (until > c.begin) MergeInto(&w->waits, {c.begin, until});
    }
  }
}

void SplitCollectives(const DividedDevice& device, const DeviceWindow& w, StepClassTimes* times) {
  const auto wait_in = [&](const Ranges& ranges) {
    Ps sum = 0;
    for (const TimeRange& wait : w.waits) {
      auto it = std::upper_bound(ranges.begin(), ranges.end(), wait.begin,
                                 [](Ps t, const TimeRange& r) { return t < r.end; });
      const Ps begin = std::max(wait.begin, w.span.begin), end = std::min(wait.end, w.span.end);
      for (; it != ranges.end() && it->begin < end; ++it)
        sum += std::max<Ps>(0, std::min(end, it->end) - std::max(begin, it->begin));
    }
    return sum;
  };
  const Ps wait = wait_in(device.with_collectives) - wait_in(device.above_collectives);
  At(*times, StepTimeClass::kCollectiveWait) = wait;
  At(*times, StepTimeClass::kCollective) -= wait;
}

}  // namespace stepscope
