// The examples of docs/rules.md#op-names and more.
#include "model/analysis/naming/op_name.h"

#include <doctest/doctest.h>

namespace stepscope {

TEST_CASE("Op names parse as XProf parses them") {
  struct Case {
    std::string_view text;
    OpCategory category;
    std::string_view name, type;
  };
  for (const Case& c : {
           Case{"a/MatMul:MatMul", OpCategory::kTensorFlow, "a/MatMul", "MatMul"},
           Case{"train/foo_12:", OpCategory::kJax, "train/foo_12", "foo"},
           Case{"train/12:", OpCategory::kTensorFlow, "train/12", "12"},
           Case{"jit(f)/conv_general_dilated:", OpCategory::kJax, "jit(f)/conv_general_dilated",
                "conv_general_dilated"},
           Case{"x:foo[3]", OpCategory::kJax, "x", "foo"},
           Case{"Iterator::Root::Map", OpCategory::kTfData, "Iterator::Root::Map", "Dataset"},
           Case{"memcpyhtod#1", OpCategory::kMemcpy, "memcpyhtod#1", "MemcpyHToD"},
           Case{"_FusedMatMul:_FusedMatMul", OpCategory::kUnknown, "_FusedMatMul:_FusedMatMul", ""},
           Case{"a b:Foo", OpCategory::kUnknown, "a b:Foo", ""},
           Case{"x:Foo[3]", OpCategory::kUnknown, "x:Foo[3]", ""},
           Case{"XlaModule:#p#", OpCategory::kUnknown, "XlaModule:#p#", ""},
           Case{"foo", OpCategory::kUnknown, "foo", ""},
           Case{"", OpCategory::kUnknown, "", ""},
       }) {
    CAPTURE(c.text);
    const OpName op = ParseOpName(c.text);
    CHECK(op.category == c.category);
    CHECK(op.name == c.name);
    CHECK(op.type == c.type);
  }
}

TEST_CASE("PyTorch ops: variants of one operation have one type") {
  const std::pair<const char*, const char*> cases[] = {
      {"aten::add_", "add"},
      {"aten::add", "add"},
      {"aten::_softmax", "_softmax"},
      {"aten::__and__", "__and__"},
      {"aten::conv2d", "conv2d"},
      {"c10d::allreduce_", "allreduce"},
      {"AddmmBackward0", "AddmmBackward"},
      {"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward"},
      {"autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "AccumulateGrad"},
      {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "DataLoader"},
      {"detach", "detach"},
      {"_", "_"},
      {"aten::", "aten::"},
      {"", ""}};
  for (const auto& [name, type] : cases) {
    CAPTURE(name);
    CHECK(TorchOpType(name) == type);
  }
  CHECK(TorchKernelType("Memcpy HtoD (Pageable -> Device)") == "Memcpy");
  CHECK(TorchKernelType("Memset (Device)") == "Memset");
  CHECK(TorchKernelType("ncclDevKernel_AllReduce_Sum_f16_RING_LL") == "Collective");
  CHECK(TorchKernelType("void at::native::vectorized_elementwise_kernel<4>") == "Kernel");
}

TEST_CASE("Known host events come before op names") {
  CHECK(ClassifyHostEvent("ExecutorState::Process") == HostEventType::kExecutorProcess);
  CHECK(ClassifyHostEvent("MemoryAllocation") == HostEventType::kOtherKnown);
  CHECK(ClassifyHostEvent("a:Add") == HostEventType::kTfOpRun);
  CHECK(ClassifyHostEvent("a:add") == HostEventType::kNone);  // JAX names get no type
  CHECK(IsImplicitRoot(HostEventType::kFunctionRun));
  CHECK_FALSE(IsImplicitRoot(HostEventType::kTraceContext));
}

}  // namespace stepscope
