#include "model/compare/input_sizes.h"

#include <algorithm>
#include <map>
#include <vector>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/capabilities.h"
#include "model/string_pool.h"

namespace stepscope::compare {
namespace {

class SizeReader {
 public:
  SizeReader(const ComparedProfile& profile)
      : stats_(profile.context.stats()),
        grouping_(profile.context.Get<Grouping>()),
        ops_(profile.context.trace(), EventCategory::kCpuOp) {}
  // The sizes at the item's first event; empty if they are unknown.
  std::string Of(const StepItem& item) const {
    if (item.rows.empty()) return {};
    const EventRow launch = grouping_.LaunchOf(item.rows.front().value);
    const EventRow op = ops_.Around(launch.valid() ? launch : item.rows.front());
    if (!op.valid()) return {};
    const auto text = stats_.Text(StringStat::kShape).Find(op);
    return text ? std::string(stats_.strings->View(*text)) : std::string();
  }

 private:
  const StatTable& stats_;
  const Grouping& grouping_;
  const Enclosing ops_;
};

// The ops of a profile, the one with most time first.
std::vector<const StepItem*> OpsByTime(const StepItems& profile) {
  std::vector<const StepItem*> ops;
  for (const StepItem& item : profile.items) {
    if (item.kind == WorkKind::kOp) ops.push_back(&item);
  }
  std::stable_sort(ops.begin(), ops.end(), [](const StepItem* x, const StepItem* y) {
    return x->time.total() > y->time.total();
  });
  return ops;
}

bool HasSizes(const ComparedProfile& profile) {
  return CapabilitiesOf(profile.context.trace()).torch_profiler &&
         !profile.context.stats().Text(StringStat::kShape).empty();
}

}  // namespace

std::optional<InputSizes> SizesOfHeaviestOp(const ComparedProfile& a, const ComparedProfile& b) {
  if (!HasSizes(a) || !HasSizes(b)) return std::nullopt;
  const SizeReader of_a(a), of_b(b);
  std::map<std::string_view, const StepItem*> by_name;
  for (const StepItem* op : OpsByTime(b.items)) by_name.emplace(op->name, op);
  for (const StepItem* op : OpsByTime(a.items)) {
    const auto same = by_name.find(op->name);
    if (same == by_name.end()) continue;
    InputSizes sizes{op->name, of_a.Of(*op), of_b.Of(*same->second)};
    if (!sizes.a.empty() && !sizes.b.empty()) return sizes;
  }
  return std::nullopt;
}

}  // namespace stepscope::compare
