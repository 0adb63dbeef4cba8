#include "loaders/common/queue_overruns.h"

#include <algorithm>
#include <numeric>

namespace stepscope {
namespace {

constexpr Ps kMuchLonger = 10;  // times the longest event that ends before the next one begins
constexpr Ps kFarLonger = 50;   // the same, for an event that ends before others of the file
constexpr uint32_t kManyPassed = 32;
// One event in so many: overruns of any queue, overruns of a queue that runs one event at a time,
// and its other events that go on beside later ones.
constexpr size_t kOverruns = 4, kFewOverruns = 20, kFewOthers = 100;
constexpr size_t kAlwaysFew = 2;  // overruns of a short queue

bool RunsOneAtATime(const RawEvents& queue) {
  Ps end = kMinPs;
  for (size_t i = 0; i < queue.start.size(); ++i) {
    if (queue.start[i] < end) return false;
    end = SaturatingAdd(queue.start[i], queue.dur[i]);
  }
  return true;
}

// The events of a queue by begin, and where they end.
class QueueOrder {
 public:
  explicit QueueOrder(const RawEvents& queue) : queue_(queue), order_(queue.start.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
    const auto before = [&](uint32_t a, uint32_t b) { return queue.start[a] < queue.start[b]; };
    if (!std::is_sorted(order_.begin(), order_.end(), before))
      std::stable_sort(order_.begin(), order_.end(), before);
    for (const uint32_t i : order_) starts_.push_back(queue.start[i]);
  }
  size_t size() const { return order_.size(); }
  uint32_t event(size_t k) const { return order_[k]; }
  Ps dur(size_t k) const { return queue_.dur[order_[k]]; }
  Ps end(size_t k) const { return SaturatingAdd(starts_[k], dur(k)); }
  Ps start(size_t k) const { return starts_[k]; }
  // The first event that begins at or after the time.
  size_t FirstFrom(Ps time) const {
    return static_cast<size_t>(std::lower_bound(starts_.begin(), starts_.end(), time) -
                               starts_.begin());
  }

 private:
  const RawEvents& queue_;
  std::vector<uint32_t> order_;
  std::vector<Ps> starts_;
};

}  // namespace

QueueOverruns FindQueueOverruns(const RawEvents& queue) {
  QueueOverruns found;
  if (RunsOneAtATime(queue)) return found;
  const QueueOrder order(queue);
  std::vector<QueueOverrun> passing;
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t next = order.FirstFrom(SaturatingAdd(order.start(k), 1));
    if (next == order.size()) break;
    if (order.end(k) <= order.start(next)) {
      found.longest = std::max(found.longest, order.dur(k));
      continue;
    }
    const size_t behind = order.FirstFrom(order.end(k));
    const bool splits = order.end(behind - 1) > order.end(k);
    const auto passed = static_cast<uint32_t>(behind - next - (splits ? 1 : 0));
    if (passed > 0) passing.push_back({order.event(k), order.start(next), passed, splits});
  }
  if (found.longest == 0) return found;
  for (const QueueOverrun& o : passing) {
    if (queue.dur[o.event] > SaturatingMul(found.longest, kMuchLonger)) found.overruns.push_back(o);
  }
  const size_t overruns = found.overruns.size(), others = passing.size() - overruns;
  const auto few = [&](size_t one_in) {
    return overruns <= std::max(kAlwaysFew, order.size() / one_in);
  };
  found.one_at_a_time = few(kFewOverruns) && others * kFewOthers <= order.size();
  if (!few(kOverruns)) found.overruns.clear();
  return found;
}

bool IsImpossible(const QueueOverrun& overrun, const QueueOverruns& queue, const RawEvents& events,
                  const OverrunFacts& facts) {
  if (facts.may_enclose && facts.first_in_queue) return false;
  const Ps dur = events.dur[overrun.event];
  const Ps end = SaturatingAdd(events.start[overrun.event], dur);
  const Ps least =
      facts.collective ? facts.others.length() : SaturatingMul(queue.longest, kMuchLonger);
  if (SaturatingSub(end, facts.others.end) > least) return true;
  return queue.one_at_a_time && !facts.collective && !facts.copy && overrun.passed >= kManyPassed &&
         dur > SaturatingMul(queue.longest, kFarLonger) && (overrun.splits || !facts.may_enclose);
}

}  // namespace stepscope
