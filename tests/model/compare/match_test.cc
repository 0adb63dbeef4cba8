#include "model/compare/match.h"

#include <doctest/doctest.h>

#include <set>

#include "model/compare/contributions.h"

namespace stepscope::compare {
namespace {

Matchable Kernel(const char* name, const char* op, KernelCategory category, double count = 1) {
  Matchable m;
  m.name = name;
  m.op = op;
  m.category = category;
  m.count = count;
  m.time = 100;
  return m;
}

// The name in `b` of the item that `a` calls `name`, or "".
std::string PartnerOf(const std::vector<Matchable>& a, const std::vector<Matchable>& b,
                      const char* name, std::string* by = nullptr) {
  for (const MatchedPair& pair : Match(a, b)) {
    if (pair.a == MatchedPair::kNone || a[pair.a].name != name || pair.b == MatchedPair::kNone)
      continue;
    if (by != nullptr) *by = pair.by;
    return std::string(b[pair.b].name);
  }
  return {};
}

}  // namespace

TEST_CASE("Kernels of two vendors are matched by their op") {
  const std::vector<Matchable> a{Kernel("Cijk_Ailk_Bljk_HHS", "aten::mm", KernelCategory::kGemm),
                                 Kernel("add_kernel", "aten::add", KernelCategory::kElementwise)};
  const std::vector<Matchable> b{
      Kernel("vectorized_add", "aten::add", KernelCategory::kElementwise),
      Kernel("sm90_xmma_gemm_f16f16", "aten::mm", KernelCategory::kGemm)};
  std::string by;
  CHECK(PartnerOf(a, b, "Cijk_Ailk_Bljk_HHS", &by) == "sm90_xmma_gemm_f16f16");
  CHECK(by == "op");
  CHECK(PartnerOf(a, b, "add_kernel") == "vectorized_add");
}

TEST_CASE("Renamed kernels that nothing but their launch tells apart are matched by its shape") {
  std::vector<Matchable> a{Kernel("old_a", "", KernelCategory::kGemm, 3),
                           Kernel("old_b", "", KernelCategory::kGemm, 3)};
  std::vector<Matchable> b{Kernel("new_b", "", KernelCategory::kGemm, 3),
                           Kernel("new_a", "", KernelCategory::kGemm, 3)};
  std::string by;
  CHECK(PartnerOf(a, b, "old_a", &by).empty());  // two candidates, which nothing tells apart
  a[0].shape = b[1].shape = "8,1,1 256,1,1";
  a[1].shape = b[0].shape = "64,1,1 128,1,1";
  CHECK(PartnerOf(a, b, "old_a", &by) == "new_a");
  CHECK(by == "launch shape");
  CHECK(PartnerOf(a, b, "old_b") == "new_b");
  b[1].category = KernelCategory::kReduction;  // another kind of work, which never matches
  CHECK(PartnerOf(a, b, "old_a") != "new_a");
}

TEST_CASE("Without an op the nearest place in the call tree, then the kind of work, decide") {
  const std::vector<std::string> inner{"attention", "layer"}, outer{"layer"}, other{"head"};
  std::vector<Matchable> a{Kernel("flash_v2", "", KernelCategory::kAttention),
                           Kernel("old_gemm", "", KernelCategory::kGemm, 3)};
  std::vector<Matchable> b{Kernel("fmha_cutlass", "", KernelCategory::kAttention),
                           Kernel("new_gemm", "", KernelCategory::kGemm, 3)};
  a[0].place = &inner;
  b[0].place = &outer;
  std::string by;
  CHECK(PartnerOf(a, b, "flash_v2", &by) == "fmha_cutlass");
  CHECK(by == "place");
  CHECK(PartnerOf(a, b, "old_gemm", &by) == "new_gemm");
  CHECK(by == "kind of work and count");
  b[1].count = 9;  // another number of calls, so that nothing connects the two
  CHECK(PartnerOf(a, b, "old_gemm").empty());
  b[0].place = &other;
  a[0].category = KernelCategory::kNormalisation;
  CHECK(PartnerOf(a, b, "flash_v2").empty());
}

TEST_CASE("Names that differ in numbers only match, and each item is used once") {
  const std::vector<Matchable> a{Kernel("fused_add_3", "", KernelCategory::kElementwise),
                                 Kernel("fused_add_5", "", KernelCategory::kElementwise)};
  const std::vector<Matchable> b{Kernel("fused_add_4", "", KernelCategory::kElementwise),
                                 Kernel("fused_add_5", "", KernelCategory::kElementwise)};
  CHECK(PartnerOf(a, b, "fused_add_5") == "fused_add_5");
  CHECK(PartnerOf(a, b, "fused_add_3") == "fused_add_4");
  std::vector<Matchable> many_a, many_b;
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back("k" + std::to_string(i * 7 % 100) + "_x");
  for (int i = 0; i < 100; ++i) {
    many_a.push_back(Kernel(names[static_cast<size_t>(i)].c_str(), "op", KernelCategory::kOther));
    many_b.push_back(
        Kernel(names[static_cast<size_t>(99 - i)].c_str() + 1, "op", KernelCategory::kOther));
  }
  std::set<uint32_t> of_a, of_b;
  for (const MatchedPair& pair : Match(many_a, many_b)) {
    if (pair.a != MatchedPair::kNone) CHECK(of_a.insert(pair.a).second);
    if (pair.b != MatchedPair::kNone) CHECK(of_b.insert(pair.b).second);
  }
  CHECK(of_a.size() == 100);
  CHECK(of_b.size() == 100);
}

TEST_CASE("A scope around the model changes nothing") {
  const std::vector<Matchable> a{Kernel("net/dense_1/MatMul", "", KernelCategory::kOther),
                                 Kernel("net/dense_1/BiasAdd", "", KernelCategory::kOther)};
  const std::vector<Matchable> b{Kernel("Call/net/dense_1/BiasAdd", "", KernelCategory::kOther),
                                 Kernel("Call/net/dense_1/MatMul", "", KernelCategory::kOther)};
  std::string by;
  CHECK(PartnerOf(a, b, "net/dense_1/MatMul", &by) == "Call/net/dense_1/MatMul");
  CHECK(by == "end of the name");
  CHECK(PartnerOf(a, b, "net/dense_1/BiasAdd") == "Call/net/dense_1/BiasAdd");
}

TEST_CASE("Names of layers become a pattern that keeps what they have in common") {
  CHECK(PatternOf({"stage1/block1/conv", "stage1/block22/conv"}) == "stage1/block*/conv");
  CHECK(PatternOf({"a#1/b2"}) == "a#1/b2");
  CHECK(PatternOf({"a#1/b2", "a#3/b2"}) == "a#*/b2");
  CHECK(PatternOf({}).empty());
}

}  // namespace stepscope::compare
