#include "model/analysis/naming/device_type.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"
#include "model/capabilities.h"

namespace stepscope {
namespace {

double Number(const Plane& plane, std::string_view stat) {
  for (const PlaneStat& s : plane.stats) {
    if (s.name != stat) continue;
    if (const auto* i = std::get_if<int64_t>(&s.value)) return static_cast<double>(*i);
    if (const auto* u = std::get_if<uint64_t>(&s.value)) return static_cast<double>(*u);
    if (const auto* d = std::get_if<double>(&s.value)) return *d;
  }
  return 0;
}

std::string Text(const Plane& plane, std::string_view stat) {
  for (const PlaneStat& s : plane.stats) {
    const auto* text = std::get_if<std::string>(&s.value);
    if (s.name == stat && text) return *text;
  }
  return {};
}

std::string NvidiaName(int major, int minor) {
  static constexpr std::array<std::string_view, 11> kByMajor = {
      "", "", "Fermi", "Kepler", "", "Maxwell", "Pascal", "Volta", "Ampere", "Hopper", "Blackwell"};
  if (major < 0 || static_cast<size_t>(major) >= kByMajor.size()) return "Nvidia GPU";
  std::string_view name = kByMajor[static_cast<size_t>(major)];
  if (major == 7 && minor >= 5) name = "Turing";
  if (major == 8 && minor >= 9) name = "Ada Lovelace";
  return name.empty() ? "Nvidia GPU" : "Nvidia GPU (" + std::string(name) + ")";
}

std::string AmdName(const std::string& gpu, int major, int minor) {
  const size_t hex = std::min(gpu.find_first_not_of("0123456789abcdef", 3), gpu.size());
  if (gpu.starts_with("gfx") && hex >= 6) return "AMD GPU - " + gpu.substr(0, hex);
  if (major == 9 && minor == 4) return "AMD GPU - gfx942";
  if (major == 9 && minor == 5) return "AMD GPU - gfx950";
  if (major == 9) return "AMD GPU - gfx-9XX series";
  if (major == 10) return "AMD GPU - gfx-10XX series";
  if (major == 11) return "AMD GPU - gfx-11XX series";
  return "AMD GPU";
}

GpuVendor VendorOfName(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("NVIDIA") || has("Tesla") || has("GeForce") || has("Quadro")) return GpuVendor::kNvidia;
  return has("AMD") || has("Instinct") || has("Radeon") ? GpuVendor::kAmd : GpuVendor::kUnknown;
}

constexpr int64_t kVolta = 7;  // compute capability

}  // namespace

bool IsAmdGpu(const Plane& plane) {
  const DeviceFacts facts = DeviceFactsOf(plane);
  return facts.vendor == GpuVendor::kAmd || facts.name.find("AMD") != std::string::npos;
}

bool HasMatrixUnits(const Plane& plane) {
  if (const int64_t major = ComputeMajorOf(plane); major > 0) return major >= kVolta;
  if (IsAmdGpu(plane)) return true;
  static constexpr std::array<std::string_view, 9> kNames = {"A100", "A10", "L4",    "H100", "H200",
                                                             "B200", "RTX", "GH200", "A6000"};
  return ContainsAny(DeviceFactsOf(plane).name, kNames);
}

DeviceFacts DeviceFactsOf(const Plane& plane) {
  const auto first = [&](std::string_view a, std::string_view b) {
    const double value = Number(plane, a);
    return static_cast<int64_t>(value > 0 ? value : Number(plane, b));
  };
  DeviceFacts facts;
  facts.name = Text(plane, "gpu_device_name");
  if (facts.name.empty()) facts.name = Text(plane, "name");
  facts.memory_bytes = first("memory_size", "totalGlobalMem");
  facts.processors = first("core_count", "numSms");
  facts.vendor = ParseVendor(Text(plane, "device_vendor"));
  if (facts.vendor == GpuVendor::kUnknown) facts.vendor = VendorOfName(facts.name);
  return facts;
}

int64_t ComputeMajorOf(const Plane& plane) {
  for (const PlaneStat& stat : plane.stats) {
    if (stat.name != "compute_cap_major" && stat.name != "computeMajor") continue;
    if (const auto* i = std::get_if<int64_t>(&stat.value)) return *i;
    if (const auto* u = std::get_if<uint64_t>(&stat.value)) return static_cast<int64_t>(*u);
  }
  static constexpr std::array<std::string_view, 4> kVolta = {"V100", "T4", "RTX 20", "Quadro RTX"};
  return ContainsAny(DeviceFactsOf(plane).name, kVolta) ? 7 : 0;
}

std::string DeviceTypeOf(const Trace& trace) {
  for (const Plane& plane : trace.planes) {
    if (plane.kind == PlaneKind::kTpu) {
      std::string type = Text(plane, "device_type_string");
      return type.empty() ? "TPU" : type;
    }
  }
  for (const Plane& plane : trace.planes) {
    if (plane.kind != PlaneKind::kGpu) continue;
    std::string vendor = Text(plane, "device_vendor"), gfx = Text(plane, "gpu_device_name");
    int major = static_cast<int>(Number(plane, "compute_cap_major"));
    int minor = static_cast<int>(Number(plane, "compute_cap_minor"));
    if (vendor == "Nvidia") return NvidiaName(major, minor);
    if (vendor == "AMD") return AmdName(gfx, major, minor);
    std::string name = DeviceFactsOf(plane).name;
    if (CapabilitiesOf(trace).read_by_xprof) return "GPU";
    if (!name.empty()) return name;
    const std::string word = plane.display_name.substr(0, plane.display_name.find(' '));
    return word.empty() ? "GPU" : word;  // "NPU" of "NPU 0"
  }
  return "CPU";
}

std::string DeviceNameOf(const Trace& trace) {
  const auto is = [](PlaneKind kind) { return [kind](const Plane& p) { return p.kind == kind; }; };
  if (std::any_of(trace.planes.begin(), trace.planes.end(), is(PlaneKind::kTpu)))
    return DeviceTypeOf(trace);
  const auto gpu = std::find_if(trace.planes.begin(), trace.planes.end(), is(PlaneKind::kGpu));
  std::string name = gpu != trace.planes.end() ? DeviceFactsOf(*gpu).name : std::string();
  return name.empty() ? DeviceTypeOf(trace) : name;
}

}  // namespace stepscope
