#include "model/compare/device_work.h"

#include <algorithm>
#include <charconv>

#include "model/analysis/devices/device_tables.h"
#include "model/analysis/naming/kernel_rules.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/steps/device_classes.h"
#include "model/lookup.h"
#include "model/string_pool.h"

namespace stepscope::compare {
namespace {

constexpr size_t kPlaces = 6;  // levels of an item's place that are kept

StepTimeClass LossOf(TimeClass c) {
  switch (c) {
    case TimeClass::kHostToDevice:
      return StepTimeClass::kHostToDevice;
    case TimeClass::kDeviceToHost:
      return StepTimeClass::kDeviceToHost;
    case TimeClass::kDeviceToDevice:
      return StepTimeClass::kDeviceToDevice;
    case TimeClass::kCollectives:
      return StepTimeClass::kCollective;
    default:
      return StepTimeClass::kCompute;
  }
}

// The name scopes around an op, innermost first: "a/b" and "a" for "a/b/c".
std::vector<std::string> ScopesOf(std::string_view name) {
  std::vector<std::string> scopes;
  for (size_t at = name.rfind('/'); at != std::string_view::npos && scopes.size() < kPlaces;
       at = name.rfind('/')) {
    name = name.substr(0, at);
    scopes.emplace_back(name);
  }
  return scopes;
}

}  // namespace

DeviceWork::DeviceWork(AnalysisContext& context, ItemTable* table)
    : trace_(context.trace()),
      stats_(context.stats()),
      grouping_(context.Get<Grouping>()),
      names_(context),
      reader_(names_),
      classes_(context.Get<DeviceClasses>().of_meta),
      table_(table) {}

std::string DeviceWork::OpNameOf(const DeviceOpKey& key) const {
  if (key.empty()) return {};
  const DeviceOpNames::Named named = names_.NameOf(key);
  if (named.key.empty() || named.is_kernel) return {};
  if (named.provenance.empty()) return named.fallback;
  const OpName op = ParseOpName(named.provenance);
  return std::string(op.name.empty() ? std::string_view(named.fallback) : op.name);
}

// Name scopes first, then the host's events around the op or the
// launch; not steps and runtime calls.
std::vector<std::string> DeviceWork::PlaceOf(const std::string& op, uint32_t row) {
  std::vector<std::string> place = ScopesOf(op);
  const EventRow launching = reader_.LaunchingOp(row);
  EventRow at = launching.valid() ? launching : grouping_.LaunchOf(row);
  if (at.valid()) at = Parent(trace_.set, at);
  for (; at.valid() && place.size() < kPlaces; at = Parent(trace_.set, at)) {
    const EventCategory c = trace_.names().metas[trace_.set.Meta(at).value].category;
    const bool step = c == EventCategory::kStep || c == EventCategory::kRuntimeCall;
    if (!step) place.emplace_back(trace_.set.Name(at));
  }
  return place;
}

std::string DeviceWork::ShapeOf(uint32_t row) const {
  const auto details = stats_.Text(StringStat::kKernelDetails).Find(EventRow(row));
  if (details && details->value != 0) {
    const KernelLaunch launch = ParseKernelDetails(stats_.strings->View(*details));
    return DimText(launch.grid) + ' ' + DimText(launch.block);
  }
  const auto sizes = [&](IntStat x, IntStat y, IntStat z) {
    const auto of = [&](IntStat s) { return stats_.Int(s).Find(EventRow(row)).value_or(1); };
    return DimText({of(x), of(y), of(z)});
  };
  if (!stats_.Int(IntStat::kGridX).Find(EventRow(row))) return {};
  return sizes(IntStat::kGridX, IntStat::kGridY, IntStat::kGridZ) + ' ' +
         sizes(IntStat::kBlockX, IntStat::kBlockY, IntStat::kBlockZ);
}

uint32_t DeviceWork::Make(const Key& key, uint32_t row) {
  const StepTimeClass loss = LossOf(static_cast<TimeClass>(classes_[key.meta]));
  StepWork work;
  work.kernel = trace_.names().Name(MetaId(key.meta));
  work.op = OpNameOf(key.op);
  work.category = CategoryOfKernel(work.kernel, work.op);
  WorkKind kind = KindOf(loss);
  if (kind == WorkKind::kOp && work.op.empty()) kind = WorkKind::kKernel;
  const std::string& name = kind == WorkKind::kOp ? work.op : work.kernel;
  work.item = table_->Find(kind, loss, name);
  StepItem& item = table_->item(work.item);
  if (item.place.empty()) item.place = PlaceOf(work.op, row);
  if (item.category == KernelCategory::kOther) item.category = work.category;
  work.shape = ShapeOf(row);
  if (item.shape.empty()) item.shape = work.shape;
  return table_->AddWork(std::move(work));
}

void DeviceWork::Read(const Lane& lane, std::vector<uint32_t>* out) {
  reader_.Seek(lane.first_row);
  Key last;
  uint32_t place = kNone;
  for (uint32_t i = 0; i < lane.size(); ++i) {
    if (classes_[lane.meta[i]] == 0 || lane.dur[i] <= 0) {
      out->push_back(kNone);
      continue;
    }
    const uint32_t row = lane.first_row + i;
    const Key key{reader_.KeyOf(row, lane.meta[i]), lane.meta[i]};
    if (place == kNone || !(key == last)) {
      const auto [it, fresh] = made_.try_emplace(key, kNone);
      if (fresh) it->second = Make(key, row);
      place = it->second;
      last = key;
    }
    out->push_back(place);
  }
}

int64_t DeviceWork::BytesOf(uint32_t row) const {
  if (const auto bytes = stats_.Int(IntStat::kBytes).Find(EventRow(row))) return *bytes;
  const auto text = stats_.Text(StringStat::kMemcpyDetails).Find(EventRow(row));
  return text ? SizeInCopyDetails(stats_.strings->View(*text)).value_or(0) : 0;
}

}  // namespace stepscope::compare
