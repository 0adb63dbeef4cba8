#include "viewer/core/vendor_words.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace stepscope {
namespace {

bool IsAmd(const Plane& plane) { return plane.subtitle.find("AMD") != std::string::npos; }

// Whether all GPUs are AMD's, and there are some.
bool OnlyAmd(const Trace& trace) {
  bool any = false;
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu) continue;
    if (!IsAmd(plane)) return false;
    any = true;
  }
  return any;
}

void Replace(std::string* text, std::string_view from, std::string_view to) {
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size()))
    text->replace(at, from.size(), to);
}

void Amend(std::string* text) {
  if (text->starts_with("TC ")) text->replace(0, 2, "Matrix");
  Replace(text, "Tensor Core", "Matrix Core");
}

}  // namespace

void UseVendorWords(const Trace& trace, AnalysisResult* result) {
  if (!OnlyAmd(trace)) return;
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
