// Programs of a million instructions, sane and absurd: what they take of memory is stated here.
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loaders/xla/hlo_decoder.h"
#include "model/xla/buffer_heap.h"
#include "model/xla/cost_model.h"
#include "model/xla/hlo_text.h"
#include "model/xla/neighbourhood.h"
#include "tests/support/hlo_program.h"
#include "tests/support/sanitized.h"
#include "tests/support/wide_profile.h"

namespace stepscope::xla {
namespace {

using test::HloProgram;
using test::IntsField;
using test::TextField;

constexpr uint32_t kMany = kSanitized ? 100'000 : 1'000'000;

size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

struct Used {
  std::shared_ptr<const HloModule> module;
  double module_bytes = 0, all_bytes = 0;  // an instruction; all: with costs and users
};

// Decodes the program and does with it what pages do.
Used Use(std::string proto) {
  Used used;
  proto.shrink_to_fit();
  const size_t before = BytesInUse() - proto.capacity();
  auto module = DecodeHlo(std::move(proto), {});
  REQUIRE(module.ok());
  used.module = *module;
  const auto each = [&] {
    return static_cast<double>(BytesInUse() - before) /
           static_cast<double>(std::max<size_t>(1, used.module->instructions.size()));
  };
  used.module_bytes = each();
  const CostModel base(*used.module, CostVariant::kBase), gpu(*used.module, CostVariant::kGpu);
  const InstructionUsers users(*used.module);
  used.all_bytes = each();
  const auto last = static_cast<uint32_t>(used.module->instructions.size() - 1);
  const Neighbourhood around = NeighbourhoodOf(*used.module, users, last, 12);
  CHECK(around.nodes.size() <= kMostGraphNodes);
  return used;
}

void CheckMemory(const Used& used, double module_limit, double all_limit) {
  MESSAGE("bytes an instruction: " << used.module_bytes << ", with costs " << used.all_bytes);
  if (kSanitized) return;  // its allocator has no such numbers
  CHECK(used.module_bytes < module_limit);
  CHECK(used.all_bytes < all_limit);
}

std::string Name(const char* prefix, uint32_t i) { return prefix + std::to_string(i); }

}  // namespace

TEST_CASE("A program of a million instructions takes 400 bytes for each, its file included") {
  const Used used = Use(test::WideProgram(kMany));
  CHECK(used.module->instructions.size() > kMany - 10);
  CHECK(used.module->computations.size() > kMany / 10);
  CheckMemory(used, 400, 500);
}

TEST_CASE("A million instructions that lead in circles, to each other and to what is not there") {
  HloProgram p("m");
  p.Computation("main");
  for (uint32_t i = 0; i < kMany; ++i) {
    const int64_t next = i + 2, missing = int64_t{1} << 40;
    p.Add(Name("i", i), "add", "f32[8]", {next, i + 1, missing, 1}, {7, 100, -1});
  }
  const Used used = Use(p.Bytes());
  CHECK(used.module->instructions.size() == kMany);
  CHECK(used.module->diagnostics.problems() > 0);
  CheckMemory(used, 400, 500);
}

TEST_CASE("A million instructions of shapes that no memory holds") {
  HloProgram p("m");
  p.Computation("main");
  const std::string vast = "f32[4611686018427387904,4611686018427387904,4611686018427387904]";
  int64_t last = p.Add("p", "parameter", vast);
  for (uint32_t i = 0; i < kMany; ++i) last = p.Add("n", "tanh", vast, {last});
  const Used used = Use(p.Bytes());
  CheckMemory(used, 400, 500);
  const CostModel costs(*used.module, CostVariant::kGpu);
  const Cost& cost = costs.Of(static_cast<uint32_t>(kMany / 2));
  CHECK(std::isfinite(cost.flops));
  CHECK(std::isfinite(cost.bytes));
}

TEST_CASE("A schedule of a million names that do not exist, and of the same name again") {
  HloProgram p("m");
  const int64_t main = p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "f32[8]");
  p.Add("y", "tanh", "f32[8]", {x});
  std::vector<int64_t> names(kMany, x);
  for (uint32_t i = 0; i < kMany / 2; ++i) names[i] = int64_t{1000} + i;
  p.Schedule(main, names);
  p.Schedule(main + 1, names);
  const Used used = Use(p.Bytes());
  const Computation& entry = used.module->computations[0];
  CHECK_FALSE(entry.scheduled);
  CHECK(entry.sequence.size() == 2);
  CHECK(used.module->diagnostics.problems() > 0);
}

TEST_CASE("A million buffers and events of a heap that name no instruction") {
  HloProgram p("m");
  p.Computation("main");
  p.Add("x", "parameter", "f32[8]");
  std::string buffers;
  for (uint32_t i = 0; i < kMany / 4; ++i) {
    buffers += TextField(1, IntsField(1, {i}) + IntsField(2, {INT64_MAX}) +
                                TextField(3, IntsField(4, {int64_t{1} << 50})));
    buffers += TextField(3, IntsField(2, {-5}) + TextField(9, IntsField(1, {i + 1})));
    buffers += TextField(
        4, TextField(1, IntsField(1, {i % 3}) + IntsField(2, {i + 7}) + TextField(4, "nowhere")));
  }
  p.Buffers(buffers);
  const Used used = Use(p.Bytes());
  REQUIRE(used.module->instructions.size() == 1);
  for (const HeapTraces traces : {HeapTraces::kAll, HeapTraces::kFirst}) {
    const BufferHeap heap = ReplayHeap(*used.module, 0, traces);
    CHECK(heap.peak >= 0);
    CHECK(heap.peak <= kMostElements);
  }
}

}  // namespace stepscope::xla
