#include "viewer/core/look/name_cache.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace stepscope;  // NOLINT

namespace {

std::vector<std::string> Distinct(std::vector<std::string_view> names) {
  return DistinctNames(names);
}

}  // namespace

TEST_CASE("names that are short and different stay") {
  CHECK(Distinct({"MatMul", "Relu", "MatMul"}) ==
        std::vector<std::string>{"MatMul", "Relu", "MatMul"});
  CHECK(Distinct({}).empty());
}

TEST_CASE("ops of two layers get the layer's name") {
  CHECK(Distinct({"gradient_tape/model/dense_1/MatMul", "gradient_tape/model/dense_2/MatMul",
                  "model/dense_1/BiasAdd"}) ==
        std::vector<std::string>{"MatMul \u00b7 dense_1", "MatMul \u00b7 dense_2", "BiasAdd"});
}

TEST_CASE("kernels that differ in a template argument get it") {
  const auto names =
      Distinct({"void at::native::vectorized_elementwise_kernel<4, "
                "at::native::CUDAFunctor_add<float>>(int)",
                "void at::native::vectorized_elementwise_kernel<4, "
                "at::native::CUDAFunctor_add<c10::Half>>(int)"});
  CHECK(names[0] != names[1]);
  CHECK(names[0].ends_with("float"));
  CHECK(names[1].ends_with("Half"));
}

TEST_CASE("without a part that tells all apart, the names keep what differs") {
  const auto names = Distinct({"a/x/1/f", "a/x/2/f", "a/y/1/f", "a/y/2/f"});
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == 4);
  CHECK(names[0] == "f \u00b7 x 1");
}

TEST_CASE("many similar names stay short and take no quadratic time") {
  std::vector<std::string> wholes;
  for (int i = 0; i < 20'000; ++i)
    wholes.push_back("model/layer_" + std::to_string(i) + "/attention/MatMul");
  const std::vector<std::string_view> views(wholes.begin(), wholes.end());
  const auto names = DistinctNames(views);
  CHECK(names[7] == "MatMul \u00b7 layer_7");
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("words in brackets stay together and are no parameters") {
  CHECK(Distinct({"Comm", "Comm(Not Overlapped)"}) ==
        std::vector<std::string>{"Comm", "Comm(Not Overlapped)"});
}
