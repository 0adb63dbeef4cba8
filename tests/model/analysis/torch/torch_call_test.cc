#include "model/analysis/torch/torch_call.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("Recorded arguments: tensors, lists of tensors, scalars") {
  const TorchCall call =
      ParseTorchCall("aten::cat", "[[[128, 1], [128, 196]], [], [3, 4], []]",
                     R"(["TensorList", "Scalar", "float", "double"])", R"(["", "1", "", ""])");
  REQUIRE(call.args.size() == 4);
  CHECK(call.args[0].tensors.size() == 2);
  CHECK(call.args[0].tensors[1] == TorchDims{128, 196});
  CHECK(call.args[1].tensors.empty());
  CHECK(call.args[1].concrete == "1");
  CHECK(call.Has(2, 2));
  CHECK_FALSE(call.Has(2, 3));
  CHECK(call.BytesOf(2) == 48);
  CHECK(call.Has(3));  // a tensor without dimensions
  CHECK(call.BytesOf(3) == 8);
  CHECK(call.BytesOf(9) == 0);
}

TEST_CASE("Sizes of types, and numbers in texts") {
  CHECK(BytesOfType("c10::Float8_e5m2") == 1);
  CHECK(BytesOfType("c10::complex<double>") == 16);
  CHECK(BytesOfType("nothing") == 0);
  CHECK(NumbersIn("[16, 3]") == std::vector<int64_t>{16, 3});
  CHECK(NumbersIn("True").empty());
}

}  // namespace stepscope
