#include "model/analysis/naming/vendor_words.h"

#include <algorithm>
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

// Whole labels and explanations: the classes of a step on TPUs.
constexpr std::pair<std::string_view, std::string_view> kTpuTexts[] = {
    {"Device compute", "Compute"},
    {"kernels", "ops of the cores that wait for nothing"},
    {"Device to device", "Copies on the device"},
    {"copies and fills on devices that no kernel hides",
     "waits for copies within the device, such as copy-done"},
    {"Device collectives", "Collectives"},
    {"NCCL and RCCL kernels that nothing else hides, their waiting included",
     "collective ops, waits for them, and for other cores before them"},
    {"Input", "Copies to the device, infeed"},
    {"device idle while the host waits for input, and copies to the device that nothing hides",
     "waits for copies from the host's memory, such as copy-done, and for infeed"},
    {"Output", "Copies to the host, outfeed"},
    {"copies to the host that nothing hides",
     "waits for copies to the host's memory, such as copy-done, and for outfeed"},
    {"no kernel or copy on the device", "no op on the core"},
    {"the part behind kernels", "the part behind ops that compute"},
};

// Parts of texts: memories.
constexpr std::pair<std::string_view, std::string_view> kTpuWords[] = {
    {"the main memory", "HBM"},
    {"main memory", "HBM"},
    {"Main memory", "HBM"},
    {"on-chip memory", "VMEM"},
    {"of on-chip reads", "of VMEM reads"},
};

void UseTpuWords(std::string* text) {
  for (const auto& [from, to] : kTpuTexts) {
    if (*text != from) continue;
    *text = to;
    return;
  }
  for (const auto& [from, to] : kTpuWords) Replace(text, from, to);
}

bool HasTpus(const Trace& trace) {
  return std::any_of(trace.planes.begin(), trace.planes.end(),
                     [](const Plane& plane) { return plane.kind == PlaneKind::kTpu; });
}

using AmendText = void (*)(std::string*);

void AmendResult(AmendText amend, AnalysisResult* result) {
  for (ResultTable& table : result->tables) {
    for (ColumnDesc& column : table.columns) {
      amend(&column.label);
      amend(&column.how);
    }
  }
  for (Property& property : result->properties) {
    amend(&property.label);
    amend(&property.how);
  }
  for (Finding& finding : result->findings) {
    amend(&finding.text);
    amend(&finding.next_step);
  }
}

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
  if (OnlyAmdGpus(trace)) AmendResult(Amend, result);
  if (HasTpus(trace)) AmendResult(UseTpuWords, result);
}

}  // namespace stepscope
