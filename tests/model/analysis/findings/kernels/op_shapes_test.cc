#include "model/analysis/findings/kernels/op_shapes.h"

#include <doctest/doctest.h>

#include <string>

namespace stepscope {

TEST_CASE("Recorded shapes are read as far as they are whole") {
  const OpShapes shapes = ParseShapes("[[2304], [25096, 768], [768, 2304], [], []]");
  CHECK(shapes.tensors == std::vector<Dims>{{2304}, {25096, 768}, {768, 2304}});
  CHECK(ParseShapes("[[[8, 1, 768], [8, 3136, 768]], []]").tensors ==
        std::vector<Dims>{{8, 1, 768}, {8, 3136, 768}});
  CHECK(ParseShapes("").tensors.empty());
  CHECK(ParseShapes("[[12, 3").tensors.empty());  // cut off
  CHECK(ParseShapes("[[99999999999999999999999, 2]]").tensors ==
        std::vector<Dims>{{1000000000, 2}});
  CHECK(ParseShapes(std::string(100'000, '[')).tensors.empty());
}

TEST_CASE("A product has two operations for each multiplication of its matrices") {
  const auto flops = [](const char* text) { return ProductFlops(ParseShapes(text)); };
  CHECK(flops("[[128, 64], [64, 32]]") == 2.0 * 128 * 64 * 32);                // aten::mm
  CHECK(flops("[[32], [128, 64], [64, 32], [], []]") == 2.0 * 128 * 64 * 32);  // aten::addmm
  CHECK(flops("[[96, 128, 64], [96, 64, 32]]") == 2.0 * 96 * 128 * 64 * 32);   // aten::bmm
  CHECK(flops("[[4, 128, 64], [32, 64], [32]]") == 2.0 * 4 * 128 * 64 * 32);   // aten::linear
  CHECK(flops("[[128, 64], [63, 32]]") == 0);                                  // they do not fit
  CHECK(flops("[[128], [64]]") == 0);
  CHECK(flops("") == 0);
}

}  // namespace stepscope
