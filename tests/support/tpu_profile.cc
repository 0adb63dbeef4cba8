#include "tests/support/tpu_profile.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "model/time.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::test {
namespace {

constexpr int64_t kMs = kPsPerMs, kNs = kPsPerNs;
constexpr int64_t kAhead = 3 * kMs;      // of the session's clock
constexpr int64_t kFirstRun = 10 * kMs;  // on the core's clock
constexpr int64_t kBytes = int64_t{8} << 20;

struct OpText {
  const char* name;
  const char* category;
  const char* text;
};
constexpr OpText kOps[] = {
    {"copy-start", "copy-start",
     "%copy-start = (f32[2097152]{0}, f32[2097152]{0:S(5)}, u32[]{:S(2)}) "
     "copy-start(f32[2097152]{0:S(5)} %param)"},
    {"copy-start.2", "copy-start",
     "%copy-start.2 = (f32[2097152]{0}, f32[2097152]{0:S(5)}, u32[]{:S(2)}) "
     "copy-start(f32[2097152]{0:S(5)} %param.1)"},
    {"copy-done", "copy-done",
     "%copy-done = f32[2097152]{0} copy-done((f32[2097152]{0}, f32[2097152]{0:S(5)}, "
     "u32[]{:S(2)}) %copy-start)"},
    {"fusion", "loop fusion",
     "%fusion = f32[2097152]{0} fusion(f32[2097152]{0} %copy-done), kind=kLoop, calls=%fused"},
    {"copy-start.1", "copy-start",
     "%copy-start.1 = (f32[2097152]{0:S(5)}, f32[2097152]{0}, u32[]{:S(2)}) "
     "copy-start(f32[2097152]{0} %fusion)"},
    {"copy-done.2", "copy-done",
     "%copy-done.2 = f32[2097152]{0} copy-done((f32[2097152]{0}, f32[2097152]{0:S(5)}, "
     "u32[]{:S(2)}) %copy-start.2)"},
    {"copy-done.1", "copy-done",
     "%copy-done.1 = f32[2097152]{0:S(5)} copy-done((f32[2097152]{0:S(5)}, f32[2097152]{0}, "
     "u32[]{:S(2)}) %copy-start.1)"},
};
constexpr const char* kHloAllReduce =
    "%all-reduce = f32[8]{0} all-reduce(f32[8]{0} %param), to_apply=%add";

// Writes the lines of one core.
class Core {
 public:
  Core(PlaneBuilder* plane, const TpuProfileOptions& options) : plane_(*plane), options_(options) {
    for (int64_t symbol = 1; const OpText& op : kOps) Describe(op, 7, symbol++);
    Describe({"all-reduce", "all-reduce", kHloAllReduce}, 5, 1);
  }

  void Write() {
    auto& modules = Line(1, "XLA Modules");
    auto& ops = Line(2, "XLA Ops");
    modules.Event("jit_init(5)", kFirstRun - 6 * kMs + kAhead, 3 * kMs);
    Line(3, "XLA TraceMe").Event("barrier-cores", kFirstRun - 6 * kMs + kAhead, kMs);
    Add(&ops, kHloAllReduce, kFirstRun - 5 * kMs, 2 * kMs, 0, 0);
    auto* steps = options_.steps_line ? &Line(4, "Steps") : nullptr;
    auto* async = options_.async_line ? &Line(5, "Async XLA Ops") : nullptr;
    for (int64_t k = 0; k < options_.runs; ++k) {
      const int64_t begin = kFirstRun + 10 * kMs * k;
      modules.Event("jit_f(7)", begin + kAhead, 9 * kMs);
      if (steps != nullptr) steps->Event(std::to_string(k), begin + kAhead, 9 * kMs);
      Run(&ops, begin, k % 3 == 2 ? options_.bend_ps : 0);
      if (async != nullptr) Copies(async, begin + kAhead);
    }
  }

 private:
  LineBuilder& Line(int64_t id, std::string_view name) {
    if (!options_.late_names) return plane_.Line(id, name);
    std::string late;
    PutBytes(&late, 2, name);
    return plane_.Line(id, "").Raw(late);
  }

  void Describe(const OpText& op, int64_t program, int64_t symbol) {
    plane_.EventMetadata(op.text)
        .DisplayName(op.name)
        .Stat("program_id", program)
        .Stat("symbol_id", symbol)
        .Stat("hlo_category", op.category)
        .Stat("bytes_accessed", kBytes);
  }

  // `late` and `longer`: how the session's clock errs.
  void Add(LineBuilder* ops, const char* text, int64_t begin, int64_t duration, int64_t late,
           int64_t longer) {
    ops->Event(text, begin + kAhead + late, std::max<int64_t>(1, duration + longer))
        .Stat("device_offset_ps", begin)
        .Stat("device_duration_ps", duration);
  }

  void Run(LineBuilder* ops, int64_t begin, int64_t bend) {
    Add(ops, kOps[0].text, begin, kNs, 0, 0);
    Add(ops, kOps[1].text, begin + kNs, kNs, 0, 0);
    Add(ops, kOps[2].text, begin + 2 * kNs, 4 * kMs - 2 * kNs, 0, bend);
    Add(ops, kOps[3].text, begin + 4 * kMs, 2 * kMs, bend, -bend);
    Add(ops, kOps[4].text, begin + 6 * kMs, kNs, 0, 0);
    Add(ops, kOps[5].text, begin + 6 * kMs + kNs, kMs - kNs, 0, 0);
    Add(ops, kOps[6].text, begin + 7 * kMs, 2 * kMs, 0, 0);
  }

  void Copies(LineBuilder* async, int64_t begin) {
    const auto copy = [&](const OpText& start, const char* done, int64_t at, int64_t end) {
      auto& metadata = plane_.EventMetadata(std::string(start.text) + " ");
      metadata.DisplayName("async-copy")
          .Stat("program_id", int64_t{7})
          .Stat("symbol_id", int64_t{1});
      async->Event(std::string(start.text) + " ", begin + at, end - at).Stat("hlo_op", done);
    };
    copy(kOps[0], "copy-done", 0, 4 * kMs);
    copy(kOps[1], "copy-done.2", kNs, 7 * kMs);
    copy(kOps[4], "copy-done.1", 6 * kMs, 9 * kMs);
  }

  PlaneBuilder& plane_;
  const TpuProfileOptions options_;
};

}  // namespace

std::string MakeTpuProfile(const TpuProfileOptions& options) {
  XSpaceBuilder space;
  space.Hostname("h");
  for (int64_t c = 0; c < 2; ++c) {
    auto& plane = space.Plane("/device:TPU:" + std::to_string(c)).Id(c);
    plane.Stat("device_type_string", "TPU v6 Lite");
    Core(&plane, options).Write();
  }
  return space.Bytes();
}

}  // namespace stepscope::test
