#include "model/analysis/own_peaks.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

std::string ErrorOf(std::string_view text) { return ParseOwnPeaks(text).status().message(); }

}  // namespace

TEST_CASE("Own peaks are read by device and written as they are read") {
  const auto own =
      ParseOwnPeaks(" MY GPU : FP16=989.5  fp32=67 memory=3350;CPU: fp64=0.5 fp64_matrix=1; ");
  REQUIRE(own.ok());
  REQUIRE(own->size() == 2);
  CHECK((*own)[0].device == "MY GPU");
  CHECK((*own)[0].numbers.fp16 == 989.5);
  CHECK((*own)[0].numbers.gbps == 3350);
  CHECK((*own)[0].numbers.fp8 == 0);
  CHECK((*own)[1].numbers.fp64_matrix == 1);
  const std::string text = OwnPeaksText(*own);
  CHECK(text == "MY GPU: fp32=67 fp16=989.5 memory=3350; CPU: fp64=0.5 fp64_matrix=1");
  CHECK(ParseOwnPeaks(text).value() == *own);
  CHECK(ParseOwnPeaks("A: fp4=9000")->front().numbers.fp4 == 9000);
  CHECK(ParseOwnPeaks("")->empty());
  CHECK(ParseOwnPeaks("gfx942:xnack-: int8=1")->front().device == "gfx942:xnack-");
}

TEST_CASE("What is wrong with own peaks is said") {
  CHECK(ErrorOf("fp16=3") == "'fp16=3' has no device; write MY GPU: fp16=100 memory=1000");
  CHECK(ErrorOf("A:") == "'A' has no numbers, as in fp16=100");
  CHECK(ErrorOf("A: fp17=3").starts_with("'fp17' is none of fp64, "));
  for (const char* text : {"A: fp16", "A: fp16=", "A: fp16=0", "A: fp16=-1", "A: fp16=nan",
                           "A: fp16=1e99", "A: fp16=inf", "A: fp16=1x"})
    CHECK(ErrorOf(text).ends_with("needs a number above 0, as in fp16=100"));
}

TEST_CASE("A device is found by whole words, in any case; the first row wins") {
  const auto own = ParseOwnPeaks("L4: fp16=1; h100: fp16=2; H100 PCIe: fp16=3").value();
  const auto of = [&](std::string_view device) {
    const OwnPeaks* found = FindOwnPeaks(own, device);
    return found != nullptr ? found->numbers.fp16 : 0;
  };
  CHECK(of("NVIDIA L40S") == 0);
  CHECK(of("NVIDIA L4") == 1);
  CHECK(of("NVIDIA H100 PCIe") == 2);
  CHECK(of("") == 0);
}

TEST_CASE("Own numbers win one by one, and a 16-bit type stands for the other") {
  PeakNumbers known;
  known.fp32 = 10, known.fp16 = known.bf16 = 100, known.gbps = 1000;
  PeakNumbers own;
  own.bf16 = 50, own.fp64 = 5;
  const PeakNumbers both = WithOwn(known, own);
  CHECK(both.fp32 == 10);
  CHECK(both.bf16 == 50);
  CHECK(both.fp16 == 50);
  CHECK(both.fp64 == 5);
  CHECK(both.fp64_matrix == 5);
  CHECK(both.gbps == 1000);
}

}  // namespace stepscope
