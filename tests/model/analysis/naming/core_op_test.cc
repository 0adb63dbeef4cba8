#include "model/analysis/naming/core_op.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("What a TPU op waits for follows from its category and its memory spaces") {
  const char* in =
      "%copy-done = f32[8]{0} copy-done((f32[8]{0}, f32[8]{0:S(5)}, u32[]{:S(2)}) %copy-start)";
  const char* out =
      "%copy-done.1 = f32[8]{0:S(5)} copy-done((f32[8]{0:S(5)}, f32[8]{0}, u32[]{:S(2)}) %c.1)";
  const char* on = "%copy-done.2 = f32[8]{0:S(1)} copy-done((f32[8]{0:S(1)}, f32[8]{0}) %c.2)";
  CHECK(WorkOf("copy-done", in) == CoreWork::kCopyFromHost);
  CHECK(WorkOf("copy-done", out) == CoreWork::kCopyToHost);
  CHECK(WorkOf("copy-done", on) == CoreWork::kCopyOnDevice);
  CHECK(WorkOf("copy-start", in) == CoreWork::kCompute);
  CHECK(WorkOf("all-reduce-done", "") == CoreWork::kCollective);
  CHECK(WorkOf("all-reduce-start", "") == CoreWork::kCompute);
  CHECK(WorkOf("all-reduce fusion", "") == CoreWork::kCollective);
  CHECK(WorkOf("async-done", "%a = f32[8]{0} async-done((f32[8]{0}) %s), calls=%all-gather.3") ==
        CoreWork::kCollective);
  CHECK(WorkOf("async-done", "%a = f32[8]{0} async-done((f32[8]{0:S(5)}, f32[8]{0}) %s)") ==
        CoreWork::kCopyFromHost);
  CHECK(WorkOf("recv-done", "") == CoreWork::kCollective);
  CHECK(WorkOf("host recv-done", "") == CoreWork::kCopyFromHost);
  CHECK(WorkOf("host send", "") == CoreWork::kCopyToHost);
  CHECK(WorkOf("infeed", "") == CoreWork::kInfeed);
  CHECK(WorkOf("outfeed", "") == CoreWork::kOutfeed);
  CHECK(WorkOf("convolution fusion", in) == CoreWork::kCompute);
  CHECK(WorkOf("", "") == CoreWork::kCompute);
}

TEST_CASE("An op that waits names the op that started the work last among its operands") {
  CHECK(LastOperandOf("%d = f32[8]{0} copy-done((f32[8]{0}, u32[]{:S(2)}) %copy-start.2)") ==
        "copy-start.2");
  CHECK(LastOperandOf("%f = f32[8]{0} fusion(f32[8]{0} %a, f32[8]{0} %b), calls=%c") == "b");
  CHECK(LastOperandOf("no text of an instruction").empty());
  CHECK(LastOperandOf("%broken = f32[8").empty());
  CHECK(LastOperandOf("").empty());
}

}  // namespace stepscope
