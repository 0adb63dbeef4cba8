#include "model/analysis/graphs/module_tree.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/lookup.h"

namespace stepscope {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";
constexpr size_t kDeepest = 64;  // nested modules that are followed

std::vector<bool> Modules(const Trace& trace) {
  std::vector<bool> wanted;
  for (const EventMeta& meta : trace.names().metas)
    wanted.push_back(!ModuleName(trace.names().strings.View(meta.name)).empty());
  return wanted;
}

}  // namespace

std::string_view ModuleName(std::string_view event_name) {
  if (!event_name.starts_with(kModulePrefix)) return {};
  return event_name.substr(kModulePrefix.size());
}

std::string_view ModuleClass(std::string_view module) {
  const size_t last = module.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == module.size() || module[last] != '_')
    return module;
  return module.substr(0, last);
}

ModuleTree::ModuleTree(const Trace& trace)
    : trace_(trace), ops_(trace, EventCategory::kCpuOp), modules_(trace, Modules(trace)) {
  FindLayers(Modules(trace));
}

EventRow ModuleTree::Outside(EventRow module) const {
  return modules_.Around(Parent(trace_.set, module));
}

std::vector<EventRow> ModuleTree::WayTo(EventRow module) const {
  std::vector<EventRow> way;
  for (; module.valid() && way.size() < kDeepest; module = Outside(module)) way.push_back(module);
  std::reverse(way.begin(), way.end());
  return way;
}

void ModuleTree::FindLayers(const std::vector<bool>& is_module) {
  layer_.assign(is_module.size(), false);
  if (modules_.empty()) return;
  // The first module that was met, by the name of the module around it and its own class.
  std::map<std::pair<std::string_view, std::string_view>, uint32_t> first;
  for (const Lane& lane : trace_.set.lanes) {
    if (lane.kind != LaneKind::kNested) continue;
    for (uint32_t i = 0; i < lane.size(); ++i) {
      const uint32_t meta = lane.meta[i];
      if (!is_module[meta] || layer_[meta]) continue;
      const EventRow outside = Outside(EventRow(lane.first_row + i));
      const std::string_view parent = outside.valid() ? trace_.set.Name(outside) : "";
      const std::string_view own = ModuleClass(ModuleName(trace_.names().Name(MetaId(meta))));
      const auto [it, added] = first.try_emplace({parent, own}, meta);
      if (added || it->second == meta) continue;
      layer_[meta] = layer_[it->second] = true;
    }
  }
}

std::string ModuleTree::PathOf(EventRow module) const {
  std::string path;
  for (const EventRow row : WayTo(module)) {
    if (!path.empty()) path += " / ";
    path += ModuleName(trace_.set.Name(row));
  }
  return path;
}

std::string_view ModuleTree::LayerOf(EventRow module) const {
  for (const EventRow row : WayTo(module)) {
    if (layer_[trace_.set.Meta(row).value]) return ModuleName(trace_.set.Name(row));
  }
  return {};
}

}  // namespace stepscope
