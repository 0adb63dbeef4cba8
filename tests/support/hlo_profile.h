// The bytes of HloTrace (hlo_trace.h), for programs without doctest.
#pragma once

#include <initializer_list>
#include <string>

#include "tests/support/hlo_program.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::test {

inline std::string HloBuffer(int64_t id, int64_t size, int64_t instruction) {
  return TextField(
      1, IntsField(1, {id}) + IntsField(2, {size}) + TextField(3, IntsField(4, {instruction})));
}

inline std::string HloAllocation(int64_t index, int64_t size, std::initializer_list<int64_t> of,
                                 const std::string& flags = "") {
  std::string a = IntsField(1, {index}) + IntsField(2, {size}) + flags;
  int64_t offset = 0;
  for (const int64_t b : of) {
    a += TextField(9, IntsField(1, {b}) + IntsField(2, {offset}) + IntsField(3, {16384}));
    offset += 16384;
  }
  return TextField(3, a);
}

inline std::string HeapEventField(int64_t kind, int64_t buffer, const char* instruction) {
  return TextField(1, IntsField(1, {kind}) + IntsField(2, {buffer}) + TextField(4, instruction));
}

// a, b -> dot.1 (with b) -> add.1 (with a) -> neg.1, and a fusion of a computation of its own.
inline HloProgram StepProgram() {
  HloProgram p("jit_step");
  const int64_t fused = p.Computation("fused");
  const int64_t x = p.Add("x", "parameter", "f32[64,64]");
  p.Add("tanh.1", "tanh", "f32[64,64]", {x});
  p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[64,64]"),
                b = p.Add("b", "parameter", "f32[64,64]");
  const std::string source =
      TextField(7, TextField(2, "jit(step)/dot") + TextField(3, "model.py") + IntsField(4, {12}));
  const int64_t c = p.Add("dot.1", "dot", "f32[64,64]", {a, b}, {},
                          TextField(30, IntsField(1, {1}) + IntsField(2, {0})) + source);
  const int64_t d = p.Add("add.1", "add", "f32[64,64]", {c, a});
  const int64_t e = p.Add("fusion.1", "fusion", "f32[64,64]", {d}, {fused}, TextField(11, "kLoop"));
  p.Add("neg.1", "negate", "f32[64,64]", {e});
  p.Buffers(HloBuffer(1, 16384, a) + HloBuffer(2, 16384, c) + HloBuffer(3, 16384, d) +
            HloAllocation(0, 16384, {1}, IntsField(5, {1})) + HloAllocation(1, 32768, {2, 3}) +
            TextField(4, HeapEventField(0, 2, "dot.1") + HeapEventField(0, 3, "add.1") +
                             HeapEventField(1, 2, "add.1") + HeapEventField(1, 3, "neg.1")));
  return p;
}

// `dot_us`: how long each dot.1 takes.
inline std::string MakeHloProfile(int64_t dot_us = 20) {
  constexpr int64_t kUs = 1'000'000;  // ps
  XSpaceBuilder space;
  PlaneBuilder& plane = space.Plane("/device:GPU:0");
  plane.Stat("peak_teraflops_per_second", 10.0);
  plane.Stat("memory_bandwidth", uint64_t{1'000'000'000'000});
  LineBuilder& line = plane.Line(14, "Stream #14(Compute)");
  const auto add = [&](const char* kernel, int64_t at, int64_t us, const char* op) {
    line.Event(kernel, at * kUs, us * kUs)
        .Stat("hlo_op", op)
        .Stat("hlo_module", "jit_step")
        .Stat("program_id", int64_t{7});
  };
  for (const int64_t t : {0, 100}) {
    add("gemm", t, dot_us, "dot.1");
    add("add", t + dot_us, 5, "add.1");
  }
  space.Plane("/host:metadata")
      .EventMetadata(7, "jit_step(7)")
      .Stat("Hlo Proto", Bytes{StepProgram().Bytes()});
  return space.Bytes();
}

}  // namespace stepscope::test
