// Costs of PyTorch's ops, worked out by hand.
#include "model/analysis/torch/torch_cost.h"

#include <doctest/doctest.h>

#include <string>

namespace stepscope {
namespace {

TorchCost Cost(const char* name, const char* dims, const char* types, const char* concrete = "") {
  const std::optional<TorchCost> cost = CostOf(ParseTorchCall(name, dims, types, concrete));
  CAPTURE(std::string(name));
  REQUIRE(cost);
  return *cost;
}

constexpr const char* kHalf2 = R"(["c10::Half","c10::Half"])";
constexpr const char* kFloat3 = R"(["float","float","float"])";

}  // namespace

TEST_CASE("Products of matrices: two operations for each multiplication, each tensor once") {
  const TorchCost mm = Cost("aten::mm", "[[3,4],[4,5]]", kHalf2);
  CHECK(mm.flops == 2 * 3 * 4 * 5);
  CHECK(mm.bytes == 2 * (3 * 4 + 4 * 5 + 3 * 5));
  CHECK(mm.engine == TorchEngine::kMatrix);
  CHECK_FALSE(mm.estimate);
  const TorchCost addmm = Cost("aten::addmm", "[[5],[3,4],[4,5],[],[]]",
                               R"(["float","float","float","Scalar","Scalar"])");
  CHECK(addmm.flops == 120);
  CHECK(addmm.bytes == 4 * (5 + 12 + 20 + 15));
  const TorchCost bmm = Cost("aten::bmm", "[[7,3,4],[7,4,5]]", kHalf2);
  CHECK(bmm.flops == 7 * 120);
  CHECK(bmm.bytes == 2 * 7 * (12 + 20 + 15));
  const TorchCost baddbmm = Cost("aten::baddbmm", "[[7,3,5],[7,3,4],[7,4,5]]", kFloat3);
  CHECK(baddbmm.flops == 7 * 120);
  CHECK(baddbmm.bytes == 4 * 7 * (15 + 12 + 20 + 15));
  const TorchCost linear = Cost("aten::linear", "[[2,3,4],[5,4],[5]]", kFloat3);
  CHECK(linear.flops == 2 * 6 * 4 * 5);
  CHECK(linear.bytes == 4 * (24 + 20 + 5 + 30));
  CHECK(Cost("aten::matmul", "[[2,3,4],[4,5]]", kHalf2).flops == 2 * 2 * 3 * 4 * 5);
  CHECK(Cost("aten::mv", "[[3,4],[4]]", kHalf2).flops == 24);
  CHECK(Cost("aten::dot", "[[4],[4]]", kHalf2).flops == 8);
  const TorchCost scaled =
      Cost("aten::_scaled_mm", "[[3,4],[4,5]]", R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn"])");
  CHECK(scaled.bytes == 12 + 20 + 15);
  // A byte holds two numbers of FP4.
  const TorchCost packed = Cost("aten::_scaled_mm", "[[3,4],[4,5]]",
                                R"(["c10::Float4_e2m1fn_x2","c10::Float4_e2m1fn_x2"])");
  CHECK(packed.flops == 2 * 3 * 8 * 5);
  CHECK(packed.bytes == 12 + 20 + 15);
}

TEST_CASE("Convolutions count the positions of the output, with padding, stride and dilation") {
  // 8x8 with padding 1, kernel 3, stride 2: 4x4 positions.
  const char* dims = "[[2,6,8,8],[10,6,3,3],[10],[],[],[],[],[],[]]";
  const char* types =
      R"(["float","float","float","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])";
  const TorchCost plain = Cost("aten::convolution", dims, types,
                               R"(["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1"])");
  CHECK(plain.flops == 2.0 * 2 * 10 * 6 * 9 * 16);
  CHECK(plain.bytes == 4 * (2 * 6 * 64 + 10 * 6 * 9 + 10 + 2 * 10 * 16));
  // dilation 2: the kernel spans 5, so 8 + 2 - 5 + 1 = 6 positions a dimension.
  CHECK(Cost("aten::convolution", dims, types,
             R"(["","","","[1, 1]","[1, 1]","[2, 2]","False","[0, 0]","1"])")
            .flops == 2.0 * 2 * 10 * 6 * 9 * 36);
  // 2 groups of 3 channels each.
  CHECK(Cost("aten::convolution", "[[2,6,8,8],[10,3,3,3],[],[],[],[],[],[],[]]", types,
             R"(["","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","2"])")
            .flops == 2.0 * 2 * 10 * 3 * 9 * 64);
  // Transposed: positions of the input; the output is (8 - 1) * 2 + 3 = 17 wide.
  const TorchCost transposed =
      Cost("aten::convolution", "[[2,6,8,8],[6,10,3,3],[10],[],[],[],[],[],[]]", types,
           R"(["","","","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]","1"])");
  CHECK(transposed.flops == 2.0 * 2 * 6 * 10 * 9 * 64);
  CHECK(transposed.bytes == 4 * (2 * 6 * 64 + 6 * 10 * 9 + 10 + 2 * 10 * 17 * 17));
}

TEST_CASE("The backward of a convolution costs its forward for each gradient that is asked for") {
  const char* dims = "[[2,10,8,8],[2,6,8,8],[10,6,3,3],[],[],[],[],[],[],[],[]]";
  const char* types =
      R"(["float","float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar",""])";
  const auto cost = [&](const char* mask) {
    return Cost("aten::convolution_backward", dims, types,
                (R"(["","","","","[1, 1]","[1, 1]","[1, 1]","False","[0, 0]","1",")" +
                 std::string(mask) + "\"]")
                    .c_str());
  };
  const double forward = 2.0 * 2 * 10 * 6 * 9 * 64;
  const double grad = 4 * 2 * 10 * 64, x = 4 * 2 * 6 * 64, w = 4 * 10 * 6 * 9;
  CHECK(cost("[True, True, False]").flops == 2 * forward);
  CHECK(cost("[True, True, False]").bytes == grad + 2 * x + 2 * w);
  CHECK(cost("[False, True, True]").flops == forward);
  CHECK(cost("[False, True, True]").bytes == grad + x + 2 * w);
}

TEST_CASE("Attention: scores and values, half of them where it is causal") {
  const char* types =
      R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar","Scalar","Scalar"])";
  const char* dims = "[[2,4,16,8],[2,4,16,8],[2,4,16,8],[],[],[],[]]";
  const double all = 2.0 * 2 * 4 * 16 * 16 * (8 + 8);
  const TorchCost full = Cost("aten::_scaled_dot_product_flash_attention", dims, types,
                              R"(["","","","0.","False","False",""])");
  CHECK(full.flops == all);
  CHECK(full.bytes == 2 * 4 * 2 * 4 * 16 * 8 + 4 * 2 * 4 * 16);
  const TorchCost causal = Cost("aten::_scaled_dot_product_flash_attention", dims, types,
                                R"(["","","","0.","True","False",""])");
  CHECK(causal.flops == all / 2);
  CHECK(causal.flops_uncut == all);
  // [batch, sequence, heads, dim]
  const TorchCost inner = Cost(
      "aten::_flash_attention_forward", "[[2,16,4,8],[2,16,4,8],[2,16,4,8],[],[],[],[],[],[],[]]",
      R"(["c10::Half","c10::Half","c10::Half","","","Scalar","Scalar","Scalar","Scalar","Scalar"])",
      R"(["","","","","","16","16","0.","True","False"])");
  CHECK(inner.flops == all / 2);
  // The heads of the queries count, whatever the keys have.
  CHECK(Cost("aten::_scaled_dot_product_efficient_attention",
             "[[2,4,16,8],[2,2,32,8],[2,2,32,8],[],[],[],[]]", types,
             R"(["","","","","True","0.","True"])")
            .flops == 2.0 * 2 * 4 * 16 * 32 * 16);
  const TorchCost backward = Cost(
      "aten::_scaled_dot_product_flash_attention_backward",
      "[[2,4,16,8],[2,4,16,8],[2,4,16,8],[2,4,16,8],[2,4,16,8],[2,4,16],[],[],[],[],[],[]]",
      R"(["c10::Half","c10::Half","c10::Half","c10::Half","c10::Half","float","","","Scalar","Scalar","Scalar","Scalar"])",
      R"(["","","","","","","","","16","16","0.","False"])");
  CHECK(backward.flops == 2.0 * 2 * 4 * 16 * 16 * (3 * 8 + 2 * 8));
}

TEST_CASE("Elementwise ops are estimates: operations an element, each tensor once") {
  const TorchCost add = Cost("aten::add", "[[8,1,4],[5,4],[]]", R"(["float","float","Scalar"])");
  CHECK(add.flops == 8 * 5 * 4);
  CHECK(add.bytes == 4 * (8 * 4 + 5 * 4 + 8 * 5 * 4));
  CHECK(add.engine == TorchEngine::kVector);
  CHECK(add.estimate);
  CHECK(Cost("aten::mul", "[[8,4],[]]", R"(["c10::BFloat16","double"])").bytes == 2 * 2 * 32 + 8);
  CHECK(Cost("aten::eq", "[[8,4],[]]", R"(["long int","Scalar"])").bytes == 8 * 32 + 32);
  const TorchCost gelu = Cost("aten::gelu", "[[8,4],[]]", R"(["c10::Half",""])");
  CHECK(gelu.flops == 8 * 32);
  CHECK(gelu.bytes == 2 * 2 * 32);
  CHECK(Cost("aten::sum", "[[8,4],[],[]]", R"(["float","","Scalar"])").bytes == 4 * 32);
  CHECK(Cost("aten::copy_", "[[8,4],[8,4],[]]", R"(["float","c10::Half","Scalar"])").bytes ==
        6 * 32);
  CHECK(Cost("aten::_softmax", "[[8,4],[],[]]", R"(["float","Scalar","Scalar"])").flops == 160);
  CHECK(Cost("aten::native_layer_norm", "[[8,4],[],[4],[4],[]]",
             R"(["float","ScalarList","float","float","Scalar"])")
            .bytes == 4 * (32 + 4 + 4 + 32));
}

TEST_CASE("Indexing moves what it gives, and views cost nothing") {
  const TorchCost embedding = Cost("aten::embedding", "[[100,16],[2,5],[],[],[]]",
                                   R"(["c10::Half","long int","Scalar","Scalar","Scalar"])");
  CHECK(embedding.flops == 0);
  CHECK(embedding.bytes == 2 * (2 * 5 * 16) * 2 + 8 * 10);
  CHECK(Cost("aten::index_select", "[[100,16],[],[7]]", R"(["float","Scalar","long int"])",
             R"(["","0",""])")
            .bytes == 2 * 7 * 16 * 4 + 8 * 7);
  CHECK(Cost("aten::view", "[[8,4],[]]", R"(["float","ScalarList"])").bytes == 0);
}

TEST_CASE("What does not fit a formula has no cost, and hostile shapes do no harm") {
  const auto none = [](const char* name, const char* dims, const char* types) {
    return !CostOf(ParseTorchCall(name, dims, types, "")).has_value();
  };
  CHECK(none("aten::mm", "[[3,4],[5,6]]", kHalf2));
  CHECK(none("aten::mm", "[[3,4]]", kHalf2));
  CHECK(none("aten::mm", "", ""));
  CHECK(none("aten::nothing_known", "[[3,4]]", kHalf2));
  CHECK(none("aten::convolution", "[[2,6],[10,6,3,3]]", kHalf2));
  CHECK(none("aten::convolution_backward", "[[1],[2]]", kHalf2));
  CHECK(none("aten::index_select", "[[],[],[]]", kFloat3));
  CHECK(none("aten::_scaled_dot_product_flash_attention", "[[1],[1],[1]]", kFloat3));
  CHECK(CostOf(ParseTorchCall("aten::mm", "[[99999999999999999999,4],[4,99999999999999999999]]",
                              kHalf2, ""))
            ->flops > 0);
  CHECK(ParseTorchCall("x", "]]]][[[[[3", "[\"", "\"").args.size() <= 1);
  CHECK_FALSE(HasTorchCost("aten::nothing_known"));
  CHECK(HasTorchCost("aten::zero_"));
}

}  // namespace stepscope
