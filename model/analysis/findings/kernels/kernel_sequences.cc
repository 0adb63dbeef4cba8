#include "model/analysis/findings/kernels/kernel_sequences.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "model/analysis/intervals/lane_merge.h"
#include "model/analysis/naming/kernel_category.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/steps/device_classes.h"
#include "model/analysis/steps/steps.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

// The part of a fused kernel that a kernel is.
enum class Part : uint8_t {
  kOther,
  kProduct,  // a batched matrix multiplication
  kSoftmax,
  kSquare,
  kMean,
  kRsqrt,
  kNegate,
  kConcat,
  kMultiply,
  kFiller,  // another elementwise kernel, or a copy: a scale, a mask, a cast
};

constexpr size_t kMostFillers = 4;  // scale, mask, cast and dropout around a softmax

// "jit(f)/attention/rsqrt", "net/norm/Rsqrt_3" and "aten::rsqrt" are "rsqrt".
std::string PlainOp(std::string_view op) {
  if (op.starts_with("aten::")) return Lower(TorchOpType(op));
  op = op.substr(op.rfind('/') + 1);
  const size_t last = op.find_last_not_of("0123456789");
  if (last != op.npos && last > 0 && op[last] == '_') op = op.substr(0, last);
  std::string plain = Lower(op);
  if (plain.size() > 2 && (plain.ends_with("v2") || plain.ends_with("v3")))
    plain.resize(plain.size() - 2);
  return plain;
}

bool IsBatched(const std::string& op) {
  static constexpr std::array<std::string_view, 8> kOps = {
      "bmm", "baddbmm", "matmul", "batchmatmul", "einsum", "dot_general", "xladot", "custom-call"};
  return op.empty() || std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

Part PartOfOp(const std::string& op) {
  static constexpr std::array<std::pair<std::string_view, Part>, 10> kOps = {
      {{"pow", Part::kSquare},
       {"square", Part::kSquare},
       {"integer_pow", Part::kSquare},
       {"mean", Part::kMean},
       {"rsqrt", Part::kRsqrt},
       {"neg", Part::kNegate},
       {"cat", Part::kConcat},
       {"concat", Part::kConcat},
       {"concatenate", Part::kConcat},
       {"mul", Part::kMultiply}}};
  for (const auto& [name, part] : kOps) {
    if (op == name) return part;
  }
  return Part::kOther;
}

// For kernels whose op is not recorded (graphs): PyTorch's own kernels, in lower case.
Part PartOfKernel(const std::string& kernel) {
  static constexpr std::array<std::pair<std::string_view, Part>, 6> kWords = {
      {{"pow_tensor_scalar", Part::kSquare},
       {"meanops", Part::kMean},
       {"rsqrt_kernel", Part::kRsqrt},
       {"neg_kernel", Part::kNegate},
       {"catarraybatchedcopy", Part::kConcat},
       {"mulfunctor", Part::kMultiply}}};
  for (const auto& [word, part] : kWords) {
    if (kernel.find(word) != std::string::npos) return part;
  }
  return Part::kOther;
}

Part PartOf(std::string_view kernel, std::string_view op_name, KernelCategories* categories) {
  static constexpr std::array<std::string_view, 2> kLogs = {"logsoftmax", "log_softmax"};
  const std::string name = Lower(kernel), op = PlainOp(op_name);
  KernelCategory category = categories->Of(kernel, op_name);
  if (category == KernelCategory::kOther) category = CategoryOfKernel("", op);
  if (category == KernelCategory::kAttention || category == KernelCategory::kCollective)
    return Part::kOther;
  if (category == KernelCategory::kGemm) return IsBatched(op) ? Part::kProduct : Part::kOther;
  if (ContainsAny(name, kLogs) || ContainsAny(op, kLogs)) return Part::kOther;
  const bool softmax =
      name.find("softmax") != std::string::npos || op.find("softmax") != std::string::npos;
  if (softmax) return Part::kSoftmax;
  const Part part = op.empty() ? PartOfKernel(name) : PartOfOp(op);
  if (part != Part::kOther) return part;
  const bool filler = category == KernelCategory::kElementwise || category == KernelCategory::kCopy;
  return filler ? Part::kFiller : Part::kOther;
}

struct Item {
  EventRow row;
  uint32_t step;
  Ps time;
  Part part;
};
using Items = std::vector<Item>;

bool IsFiller(Part part) { return part == Part::kFiller || part == Part::kMultiply; }

// The index of the first item of `wanted` at or after `from`, over at most `most` fillers;
// items.size() if another kernel comes first. `step` is 1 or -1.
size_t Skip(const Items& items, size_t from, int step, size_t most, Part wanted) {
  size_t at = from;
  for (size_t skipped = 0; at < items.size() && skipped <= most; ++skipped) {
    if (items[at].part == wanted) return at;
    if (!IsFiller(items[at].part)) break;
    at += static_cast<size_t>(step);  // wraps to beyond the end before the first
  }
  return items.size();
}

class Sequences {
 public:
  Sequences(PlaneId device, std::vector<KernelSequence>* out) : device_(device), out_(out) {}

  void Add(const Items& items) {
    free_ = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].part == Part::kSoftmax) Attention(items, i);
      if (items[i].part == Part::kRsqrt) Norm(items, i);
      if (items[i].part == Part::kNegate) Rotary(items, i);
    }
  }

 private:
  void Attention(const Items& items, size_t softmax) {
    const size_t first = Skip(items, softmax - 1, -1, kMostFillers, Part::kProduct);
    const size_t last = Skip(items, softmax + 1, 1, kMostFillers, Part::kProduct);
    if (first >= items.size() || last >= items.size()) return;
    KernelSequence* found = Keep(FusedPattern::kAttention, items, first, last);
    if (found == nullptr) return;
    found->products = items[first].time + items[last].time;
    found->first_product = items[first].row;
    found->last_product = items[last].row;
  }
  // [cast] square mean [add epsilon] rsqrt multiply [cast] [multiply by the weights].
  void Norm(const Items& items, size_t rsqrt) {
    const size_t mean = Skip(items, rsqrt - 1, -1, 1, Part::kMean);
    if (mean >= items.size()) return;
    size_t first = Skip(items, mean - 1, -1, 0, Part::kSquare);
    if (first >= items.size()) return;
    if (first > free_ && items[first - 1].part == Part::kFiller) --first;
    size_t last = rsqrt + 1;
    if (last >= items.size() || items[last].part != Part::kMultiply) return;
    const size_t weights = Skip(items, last + 1, 1, 1, Part::kMultiply);
    if (weights < items.size()) last = weights;
    Keep(FusedPattern::kNorm, items, first, last);
  }
  // [multiply by the cosine] negate concatenate multiply add.
  void Rotary(const Items& items, size_t negate) {
    const size_t concat = Skip(items, negate + 1, 1, 1, Part::kConcat);
    if (concat >= items.size()) return;
    const size_t sine = Skip(items, concat + 1, 1, 1, Part::kMultiply);
    if (sine + 1 >= items.size() || items[sine + 1].part != Part::kFiller) return;
    const bool cosine = negate > free_ && items[negate - 1].part == Part::kMultiply;
    Keep(FusedPattern::kRotary, items, negate - (cosine ? 1 : 0), sine + 1);
  }
  // A kernel is part of one sequence at most; null if one has it already.
  KernelSequence* Keep(FusedPattern pattern, const Items& items, size_t first, size_t last) {
    if (first < free_) return nullptr;
    free_ = last + 1;
    KernelSequence& found = out_->emplace_back();
    found.pattern = pattern;
    found.step = items[first].step;
    found.device = device_;
    for (size_t i = first; i <= last; ++i) {
      found.time += items[i].time;
      found.longest = std::max(found.longest, items[i].time);
      found.kernels.push_back(items[i].row);
    }
    return &found;
  }

  const PlaneId device_;
  std::vector<KernelSequence>* out_;
  size_t free_ = 0;  // the first item that no sequence has
};

// By event row: its Part, where that is not kOther. Empty if no sequence can be there.
std::vector<Part> PartsOf(const Trace& trace, std::span<const KernelGroup> kernels) {
  std::vector<Part> of_kernel(kernels.size());
  KernelCategories categories;
  bool anchor = false;
  for (size_t k = 0; k < kernels.size(); ++k) {
    const Part part = of_kernel[k] = PartOf(kernels[k].name, kernels[k].op_name, &categories);
    anchor = anchor || part == Part::kSoftmax || part == Part::kRsqrt || part == Part::kNegate;
  }
  if (!anchor) return {};
  std::vector<Part> parts(trace.set.rows);
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (of_kernel[k] == Part::kOther) continue;
    for (const EventRow row : kernels[k].rows) parts[row.value] = of_kernel[k];
  }
  return parts;
}

// The kernels of a stream that begin in a step. Fills and copies of the device's copy engine are
// between them and say nothing: a multiplication may clear its workspace.
Items ItemsOf(const TrackSet& set, const Track& stream, const std::vector<StepWindow>& windows,
              const std::vector<Part>& parts, const std::vector<uint8_t>& classes) {
  std::vector<const Lane*> lanes;
  for (const Lane& lane : set.LanesOf(stream)) lanes.push_back(&lane);
  Items items;
  size_t w = 0;
  ForEachByStart(lanes, [&](const Lane& lane, uint32_t i) {
    const auto c = static_cast<TimeClass>(classes[lane.meta[i]]);
    const bool kernel = c == TimeClass::kCompute16 || c == TimeClass::kCompute32;
    if (lane.dur[i] <= 0 || (!kernel && c != TimeClass::kCollectives)) return;
    while (w < windows.size() && windows[w].span.end <= lane.start[i]) ++w;
    if (w == windows.size() || !windows[w].span.Contains(lane.start[i])) return;
    const EventRow row(lane.first_row + i);
    items.push_back({row, windows[w].step, lane.dur[i], parts[row.value]});
  });
  return items;
}

}  // namespace

std::vector<KernelSequence> FindKernelSequences(AnalysisContext& context, const StepDatabase& db,
                                                std::span<const KernelGroup> kernels) {
  const Trace& trace = context.trace();
  std::vector<KernelSequence> found;
  const std::vector<Part> parts = PartsOf(trace, kernels);
  if (parts.empty()) return found;
  const std::vector<uint8_t>& classes = context.Get<DeviceClasses>().of_meta;
  std::set<PlaneId> devices;
  for (const DeviceStep& d : db.device_steps) devices.insert(d.device);
  for (const PlaneId device : devices) {
    const std::vector<StepWindow> windows = StepWindowsOf(db, device);
    Sequences sequences(device, &found);
    for (const TrackId id : trace.planes[device.value].tracks) {
      const Track& track = trace.set.tracks[id.value];
      CheckStop();
      if (track.derived_in_file) continue;
      sequences.Add(ItemsOf(trace.set, track, windows, parts, classes));
    }
  }
  return found;
}

}  // namespace stepscope
