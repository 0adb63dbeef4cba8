#include "model/analysis/naming/short_label.h"

#include <doctest/doctest.h>

using namespace stepscope;  // NOLINT

TEST_CASE("arguments are cut first, but not what only looks like arguments") {
  CHECK(WithoutArguments("EigenMetaKernel<scalar_max_op<half>>") == "EigenMetaKernel");
  CHECK(WithoutArguments("f<a<b>>(c)::g<d>") == "f::g");
  CHECK(WithoutArguments("Tensor::operator->") == "Tensor::operator->");
  CHECK(WithoutArguments("[memory]") == "[memory]");
  CHECK(WithoutArguments("unclosed<abc") == "unclosed");
  CHECK(WithoutArguments("") == "");
}

TEST_CASE("words in brackets are no arguments") {
  CHECK(WithoutArguments("Comm(Not Overlapped)") == "Comm(Not Overlapped)");
  CHECK(MakeShortForms("Comm(Not Overlapped)").middle == "Comm(Not Overlapped)");
  CHECK(WithoutArguments("f(unsigned int)") == "f");
  CHECK(WithoutArguments("(anonymous namespace)::f(long long)") == "(anonymous namespace)::f");
  CHECK(WithoutArguments("Memcpy DtoH (Device -> Pinned)") == "Memcpy DtoH");
  CHECK(WithoutArguments("f(const Tensor)") == "f");
}

TEST_CASE("namespaces and paths are cut next, but not those inside arguments") {
  CHECK(WithoutNamespaces("a::b::c<d::e>") == "c<d::e>");
  CHECK(WithoutNamespaces("resnet50/conv2_block1/Conv2D:Conv2D") == "Conv2D:Conv2D");
  CHECK(WithoutNamespaces("void at::native::kernel(int)") == "kernel(int)");
  CHECK(WithoutNamespaces("trailing/") == "trailing/");
  CHECK(WithoutNamespaces("a::") == "a::");
}

TEST_CASE("a name in a sentence fits into it") {
  CHECK(InSentence("gemv2T_kernel_val<float>") == "gemv2T_kernel_val<float>");
  const std::string arguments(400, 'x');
  CHECK(InSentence("void at::native::elementwise_kernel<" + arguments + ">(int)") ==
        "elementwise_kernel");
  CHECK(InSentence(arguments) == std::string(80, 'x') + "\u2026");
}

TEST_CASE("kernel names keep the word that people use for them") {
  const ShortForms fprop =
      MakeShortForms("ampere_fp16_s16816fprop_optimized_128x128_ldg8_stages_32x5_nhwc");
  CHECK(fprop.tiny == "fprop");
  CHECK(fprop.middle == "s16816fprop");
  CHECK(MakeShortForms("bn_fw_tr_1C11_kernel_NHWC").middle == "bn_fw_tr_1C11");
  CHECK(MakeShortForms("ncclDevKernel_AllReduce_Sum_f16_RING_LL").tiny == "AllReduce");
  CHECK(MakeShortForms("gloo:all_reduce").tiny == "all_reduce");
  CHECK(MakeShortForms("async-collective/all-gather.12").tiny == "all-gather");
  CHECK(MakeShortForms("$train.py:12 fit").middle == "fit");
}

TEST_CASE("a kernel that is called Kernel goes by its argument") {
  const ShortForms forms = MakeShortForms(
      "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64>(Params)");
  CHECK(forms.middle.find("gemm") != std::string::npos);
  CHECK(forms.middle.find("Kernel") == std::string::npos);
  CHECK(MakeShortForms("a::Kernel<f<1, 2>, float>").middle == "f");
  CHECK(MakeShortForms("Kernel2").middle == "Kernel2");
  CHECK(MakeShortForms("EigenMetaKernel<half>").middle == "EigenMetaKernel");
}

TEST_CASE("kernels that are called Kernel may be inside one another, but not without end") {
  CHECK(MakeShortForms("Kernel<a::Kernel2<f<1>>>").middle == "f");
  constexpr int kDepth = 100'000;
  std::string name;
  for (int i = 0; i < kDepth; ++i) name += "Kernel<";
  name += "f" + std::string(kDepth, '>');
  CHECK(MakeShortForms(name).middle == "Kernel");
}

TEST_CASE("PyTorch's elementwise and reduce kernels are named by their operation") {
  const auto middle = [](const std::string& name) { return MakeShortForms(name).middle; };
  const std::string at = "void at::native::";
  CHECK(middle(at + "vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
                    "std::array<char*, 3ul> >(int)") == "vectorized_elementwise add");
  CHECK(middle(at + "elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
                    "BinaryFunctor<float, at::native::binary_internal::MulFunctor<float> > > >") ==
        "elementwise Mul");
  CHECK(middle(at + "vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda(X&)::{l}>") ==
        "vectorized_elementwise rsqrt");
  CHECK(middle(at + "reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<f> > >")
            .ends_with(" Mean"));
  CHECK(middle("plain_elementwise_kernel") == "plain_elementwise");
}

TEST_CASE("a Python frame is named by its function") {
  CHECK(MakeShortForms("torch/nn/modules/module.py(1743): _call_impl").middle == "_call_impl");
  CHECK(MakeShortForms("nn.Module: Qwen2Model_0").middle == "Qwen2Model_0");
  CHECK(MakeShortForms("<built-in function _cuda_synchronize>").middle == "_cuda_synchronize");
  CHECK(MakeShortForms("<built-in method conv2d of type object at 0x7f>").middle == "conv2d");
  CHECK(MakeShortForms("<string>(1): <module>").middle != "");
}

TEST_CASE("the tiny form has at least four letters or is empty") {
  for (const char* name : {"abc", "a_b", "x::y", "", "1234", "add"}) {
    const ShortForms forms = MakeShortForms(name);
    CHECK((forms.tiny.empty() || forms.tiny.size() >= 4));
  }
}

TEST_CASE("cutting never splits a character and leaves no dangling separator") {
  const std::string text = "M\xC3\xBCller_run";
  CHECK(CutEnd(text, 2) == "M");
  CHECK(CutEnd(text, 3) == "M\xC3\xBC");
  CHECK(CutEnd("fused_conv", 6) == "fused");
  CHECK(CutEnd("abc", 100) == "abc");
}
