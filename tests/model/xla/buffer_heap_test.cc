#include "model/xla/buffer_heap.h"

#include <doctest/doctest.h>

#include "tests/support/hlo_program.h"
#include "tests/support/wire.h"

namespace stepscope::xla {
namespace {

using test::HloProgram;
using test::IntsField;
using test::PutBytes;
using test::TextField;

std::string Buffer(int64_t id, int64_t size, int64_t instruction, int64_t space = 0) {
  return TextField(1, IntsField(1, {id}) + IntsField(2, {size}) +
                          TextField(3, IntsField(4, {instruction})) + IntsField(4, {space}));
}

// `flags`: fields of the BufferAllocationProto.
std::string Allocation(int64_t index, int64_t size, std::initializer_list<int64_t> buffers,
                       const std::string& flags = "") {
  std::string a = IntsField(1, {index}) + IntsField(2, {size}) + flags;
  int64_t offset = 0;
  for (const int64_t b : buffers) {
    a += TextField(9, IntsField(1, {b}) + IntsField(2, {offset}) + IntsField(3, {64}));
    offset += 64;
  }
  return TextField(3, a);
}

struct Event {
  int64_t kind, buffer, share_with;
  const char* instruction;
};
std::string Trace(std::initializer_list<Event> events) {
  std::string t;
  for (const Event& e : events) {
    t += TextField(1, IntsField(1, {e.kind}) + IntsField(2, {e.buffer}) +
                          TextField(4, e.instruction) + IntsField(5, {e.share_with}));
  }
  return TextField(4, t);
}

constexpr int64_t kAlloc = 0, kFree = 1, kShare = 2;

HloProgram ThreeValues() {
  HloProgram p("m");
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[16]");
  const int64_t b = p.Add("b", "negate", "f32[10]", {a});
  p.Add("c", "negate", "f32[16]", {b});
  return p;
}

TEST_CASE("a heap grows and shrinks with its buffers, above what is always there") {
  HloProgram p = ThreeValues();
  p.Buffers(
      Buffer(1, 100, 1) + Buffer(2, 64, 2) + Buffer(3, 64, 3) +
      Allocation(0, 100, {1}, IntsField(5, {1})) + Allocation(1, 128, {2, 3}) +
      Trace({{kAlloc, 2, 0, "b"}, {kAlloc, 3, 0, "c"}, {kFree, 2, 0, "c"}, {kFree, 3, 0, "c"}}));
  const auto module = p.Module();
  const BufferHeap heap = ReplayHeap(*module, 0, HeapTraces::kAll);
  REQUIRE(heap.points.size() == 5);
  CHECK(heap.points[0].bytes == 100);
  CHECK(heap.points[1].bytes == 164);
  CHECK(heap.points[2].bytes == 228);
  CHECK(heap.points[4].bytes == 100);
  CHECK(heap.peak == 228);
  CHECK(heap.peak_position == 1);
  CHECK(heap.unpadded_peak == 100 + 40 + 64);
  CHECK(heap.total == 228);
  CHECK(heap.indefinite == 100);
  REQUIRE(heap.at_peak.size() == 3);
  CHECK(GroupOf(heap.at_peak[0].allocation) == "Parameter");
  CHECK(GroupOf(heap.at_peak[1].allocation) == "Temporary");
  REQUIRE(heap.spans[1]);
  CHECK(heap.spans[1]->first == 0);
  CHECK(heap.spans[1]->last == 2);
  CHECK(heap.blocks.size() == 3);
}

TEST_CASE("a shared buffer is freed with its last user") {
  HloProgram p = ThreeValues();
  p.Buffers(
      Buffer(1, 64, 2) + Buffer(2, 64, 3) + Allocation(0, 64, {1, 2}) +
      Trace({{kAlloc, 1, 0, "b"}, {kShare, 2, 1, "c"}, {kFree, 1, 0, "c"}, {kFree, 2, 0, "c"}}));
  const auto module = p.Module();
  const BufferHeap heap = ReplayHeap(*module, 0, HeapTraces::kAll);
  CHECK(heap.points[3].bytes == 64);
  CHECK(heap.points[4].bytes == 0);
  CHECK(heap.peak == 64);
}

TEST_CASE("heaps of several allocations of a memory are walked together, by XProf the first") {
  HloProgram p = ThreeValues();
  p.Buffers(Buffer(1, 64, 2) + Buffer(2, 32, 3) + Allocation(0, 64, {1}) + Allocation(1, 32, {2}) +
            Trace({{kAlloc, 1, 0, "b"}, {kFree, 1, 0, "c"}}) +
            Trace({{kAlloc, 2, 0, "b"}, {kFree, 2, 0, "c"}}));
  const auto module = p.Module();
  CHECK(ReplayHeap(*module, 0, HeapTraces::kAll).peak == 96);
  CHECK(ReplayHeap(*module, 0, HeapTraces::kFirst).peak == 64);
}

TEST_CASE("absurd assignments: circles of shares, frees without end, missing buffers, huge sizes") {
  HloProgram p = ThreeValues();
  p.Buffers(Buffer(1, INT64_MAX, 2) + Buffer(2, 1, 77) + Buffer(1, -5, 2) +
            Allocation(0, INT64_MAX, {1, 2, 9}) + Allocation(1, INT64_MAX, {1}) +
            Trace({{kShare, 1, 2, "b"},
                   {kShare, 2, 1, "b"},
                   {kShare, 1, 1, "b"},
                   {kFree, 1, 0, ""},
                   {kFree, 1, 0, ""},
                   {kFree, 2, 0, ""},
                   {kAlloc, 9, 0, "x"},
                   {7, 1, 0, "x"},
                   {kAlloc, 1, 0, "b"},
                   {kAlloc, 1, 0, "b"}}));
  const auto module = p.Module();
  for (const int64_t space : {0, 1}) {
    ReplayHeap(*module, space, HeapTraces::kAll);
    ReplayHeap(*module, space, HeapTraces::kFirst);
  }
  CHECK(module->diagnostics.Find("hlo.missing_buffer")->count == 2);
}

TEST_CASE("who holds the value of an instruction without a buffer") {
  test::HloProgram p("m");
  const int64_t fused = p.Computation("fused");
  const int64_t x = p.Add("x", "parameter", "f32[8]");
  p.Add("inner", "tanh", "f32[8]", {x});
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[8]");
  const int64_t start = p.Add("copy-start", "copy-start", "(f32[8], f32[8], u32[])", {a});
  const int64_t done = p.Add("copy-done", "copy-done", "f32[8]", {start});
  const int64_t cast = p.Add("cast", "bitcast", "f32[2,4]", {done});
  const int64_t fusion = p.Add("fusion", "fusion", "f32[8]", {cast}, {fused});
  p.Add("alone", "add", "f32[8]", {fusion, a});
  const auto buffer = [](int64_t id, int64_t instruction) {
    return test::TextField(1, test::IntsField(1, {id}) + test::IntsField(2, {32}) +
                                  test::TextField(3, test::IntsField(4, {instruction})));
  };
  p.Buffers(buffer(1, start) + buffer(2, fusion));
  const auto m = p.Module();
  const auto holder_of = [&](const char* name) -> std::string {
    const uint32_t holder = BufferHolderOf(*m, m->Find(name));
    return holder == kNone ? std::string() : std::string(m->instructions[holder].name);
  };
  CHECK(holder_of("copy-done") == "copy-start");
  CHECK(holder_of("cast") == "copy-start");
  CHECK(holder_of("inner") == "fusion");
  CHECK(holder_of("fusion").empty());
  CHECK(holder_of("alone").empty());
  CHECK(BufferHolderOf(*m, kNone) == kNone);
}

TEST_CASE("the memory that an instruction of a TPU reserves for itself") {
  HloProgram p("m");
  p.Computation("main");
  const auto config = [](const char* text) { return TextField(43, text); };
  p.Add("a", "parameter", "f32[]", {}, {}, config("{broken used_scoped_memory_configs"));
  p.Add("b", "parameter", "f32[]", {}, {},
        config(R"({"used_scoped_memory_configs":[{"memory_space":"1","size":"4096"},)"
               R"({"memory_space":"0","size":"9999"}]})"));
  const auto module = p.Module();
  CHECK(LargestScopedVmem(*module).bytes == 4096);
  CHECK(LargestScopedVmem(*module).instruction == "b");
}

}  // namespace
}  // namespace stepscope::xla
