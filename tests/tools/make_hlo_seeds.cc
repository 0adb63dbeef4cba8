// Writes the seeds of tests/fuzz/corpus/hlo: small HLO programs. make_hlo_seeds FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/hlo_program.h"

namespace {

using stepscope::test::HloProgram;
using stepscope::test::IntsField;
using stepscope::test::TextField;

// A fusion, a loop, a schedule and a heap.
std::string Loop() {
  HloProgram p("jit_loop");
  const int64_t fused = p.Computation("fused");
  const int64_t in = p.Add("in", "parameter", "f32[64]");
  p.Add("out", "tanh", "f32[16]", {p.Add("part", "slice", "f32[16]", {in})});
  const int64_t body = p.Computation("body");
  const int64_t x = p.Add("x", "parameter", "f32[64]");
  p.Add("f", "fusion", "f32[16]", {x}, {fused}, TextField(11, "kLoop"));
  const int64_t main = p.Computation("main");
  const int64_t a = p.Add("a", "parameter", "f32[64]");
  const int64_t w = p.Add("w", "while", "f32[64]", {a}, {body, body});
  p.Schedule(main, {a, w});
  p.Buffers(TextField(1, IntsField(1, {1}) + IntsField(2, {64}) + TextField(3, IntsField(4, {w}))) +
            TextField(3, IntsField(2, {64}) + TextField(9, IntsField(1, {1}))) +
            TextField(4, TextField(1, IntsField(2, {1}) + TextField(4, "w"))));
  return p.Bytes();
}

std::string Convolution() {
  HloProgram p("jit_conv");
  p.Computation("main");
  const int64_t x = p.Add("x", "parameter", "bf16[2,10,4]");
  const int64_t k = p.Add("k", "parameter", "bf16[3,4,5]");
  const std::string dims = IntsField(3, {1}) + IntsField(4, {2}) + IntsField(6, {0}) +
                           IntsField(8, {2}) + IntsField(10, {2}) + IntsField(11, {1}) +
                           IntsField(12, {1});
  p.Add("y", "custom-call", "(bf16[2,8,5], u8[1000])", {x, k}, {},
        stepscope::test::WindowField({{3, 1, 0, 0, 1, 2}}) + TextField(16, dims) +
            TextField(28, "__cudnn$convForward"));
  return p.Bytes();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::puts("make_hlo_seeds FOLDER") > 0 ? 2 : 1;
  const std::filesystem::path folder = argv[1];
  std::ofstream(folder / "loop", std::ios::binary) << Loop();
  std::ofstream(folder / "convolution", std::ios::binary) << Convolution();
  return 0;
}
