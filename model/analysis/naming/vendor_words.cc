#include "model/analysis/naming/vendor_words.h"

#include <string_view>
#include <utility>
#include <variant>

#include "model/analysis/naming/kernel_rules.h"

namespace stepscope {
namespace {

bool IsAmd(const Plane& plane) {
  for (const PlaneStat& s : plane.stats) {
    const auto* text = std::get_if<std::string>(&s.value);
    if (s.name == "device_vendor" && text != nullptr) return ParseVendor(*text) == GpuVendor::kAmd;
  }
  return plane.subtitle.find("AMD") != std::string::npos;
}

void Replace(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size()))
    text->replace(at, from.size(), to);
}

void Amend(std::string* text) { *text = InAmdWords(std::move(*text)); }

}  // namespace

bool OnlyAmdGpus(const Trace& trace) {
  bool any = false;
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu) continue;
    if (!IsAmd(plane)) return false;
    any = true;
  }
  return any;
}

std::string InAmdWords(std::string text) {
  if (text.starts_with("TC ")) text.replace(0, 2, "Matrix");
  Replace(&text, "Tensor Core", "Matrix Core");
  return text;
}

void UseVendorWords(const Trace& trace, AnalysisResult* result) {
  if (!OnlyAmdGpus(trace)) return;
  for (ResultTable& table : result->tables) {
    for (ColumnDesc& column : table.columns) {
      Amend(&column.label);
      Amend(&column.how);
    }
  }
  for (Property& property : result->properties) {
    Amend(&property.label);
    Amend(&property.how);
  }
  for (Finding& finding : result->findings) {
    Amend(&finding.text);
    Amend(&finding.next_step);
  }
}

}  // namespace stepscope
