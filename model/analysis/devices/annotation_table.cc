// Device time by the annotation around the launch: by what the program said that it was doing.
#include <algorithm>
#include <unordered_map>

#include "model/analysis/devices/device_tables.h"
#include "model/analysis/intervals/enclosing.h"
#include "model/analysis/tables/in_unit.h"

namespace stepscope {
namespace {

// Names of annotations; all steps have one name.
class AnnotationNames {
 public:
  explicit AnnotationNames(const NameTable& names) : names_(names), wanted_(names.metas.size()) {
    for (size_t m = 0; m < wanted_.size(); ++m) {
      const EventCategory c = names.metas[m].category;
      wanted_[m] = c == EventCategory::kUserAnnotation ||
                   (c == EventCategory::kStep &&
                    names.Name(MetaId(static_cast<uint32_t>(m))).starts_with("ProfilerStep#"));
    }
  }
  const std::vector<bool>& wanted() const { return wanted_; }
  std::string_view Of(MetaId meta) const {
    const std::string_view name = names_.Name(meta);
    const bool step = names_.metas[meta.value].category == EventCategory::kStep;
    return step ? name.substr(0, name.find('#')) : name;
  }

 private:
  const NameTable& names_;
  std::vector<bool> wanted_;
};

struct AnnotationSum {
  std::string_view name;
  Ps time = 0;
  std::vector<EventRow> rows;
};

}  // namespace

ResultTable AnnotationTable(AnalysisContext& context, const DeviceEvents& events) {
  const Trace& trace = context.trace();
  using V = ValueType;
  ResultTable t{"by_annotation",
                "By annotation",
                {{"name", "Annotation", Unit::kNone, V::kString,
                  "the innermost user annotation that encloses the launch, on its thread; steps "
                  "are one"},
                 {"count", "Count", Unit::kCount, V::kInt, "kernels, copies and fills"},
                 {"timeMs", "Device time", Unit::kMs, V::kReal, "sum of durations, all devices"},
                 {"share", "Share of time", Unit::kFraction, V::kReal, "of all device events"}}};
  const AnnotationNames names(trace.names());
  const Enclosing annotations(trace, names.wanted());
  if (annotations.empty()) return t;
  Enclosing::Reader reader(annotations);
  std::vector<uint32_t> place(trace.names().metas.size(), 0);  // by MetaId: index + 1
  std::vector<AnnotationSum> sums(1);                          // the first is for no annotation
  std::unordered_map<std::string_view, uint32_t> places;
  double all = 0;
  for (const PlaneId device : events.devices()) {
    events.ForEach(device, [&](const DeviceEvent& e) {
      const EventRow around = reader.Around(e.launch);
      uint32_t at = 0;
      if (around.valid()) {
        const MetaId meta = trace.set.Meta(around);
        if (place[meta.value] == 0) {
          const std::string_view name = names.Of(meta);
          const auto [it, added] = places.try_emplace(name, static_cast<uint32_t>(sums.size()));
          if (added) sums.push_back({name, 0, {}});
          place[meta.value] = it->second + 1;
        }
        at = place[meta.value] - 1;
      }
      sums[at].time += e.length();
      sums[at].rows.emplace_back(e.row);
      all += static_cast<double>(e.length());
    });
  }
  std::erase_if(sums, [](const AnnotationSum& s) { return s.rows.empty(); });
  std::stable_sort(sums.begin(), sums.end(), [](const AnnotationSum& a, const AnnotationSum& b) {
    return a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  for (AnnotationSum& s : sums) {
    const double time = static_cast<double>(s.time);
    t.AddRow({s.name.empty() ? SharedText("(no annotation)") : SharedText(s.name),
              static_cast<int64_t>(s.rows.size()), InMs(s.time), time / all});
    t.links.push_back(LinkTo(EventRows(std::move(s.rows))));
  }
  return t;
}

}  // namespace stepscope
