#include "tests/support/xspace_builder.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/gpu_profile.h"
#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

// 64-bit FNV-1a: enough to notice that a byte changed.
std::uint64_t Hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

TEST_CASE("wire: varints and negative numbers") {
  std::string out;
  PutInt(&out, 1, 300);
  PutInt(&out, 2, -1);
  CHECK(Hex(out) ==
        "08ac02"
        "10ffffffffffffffffff01");
}

TEST_CASE("XSpaceBuilder: fluent, in the order of field numbers") {
  XSpaceBuilder b;
  b.Hostname("h").Error("e");
  b.Plane("p")
      .Id(7)
      .Line(14, "s")
      .TimestampNs(5)
      .Event("k", 1, 2)
      .Stat("c", std::uint64_t{5})
      .Event("k", 3, 0);
  CHECK(Hex(b.Bytes()) ==
        "0a38"
        "0807"
        "120170"
        "1a1b"
        "080e"
        "120173"
        "1805"
        "220c"
        "0801"
        "1001"
        "1802"
        "2204"
        "0801"
        "1805"
        "2204"
        "0801"
        "1003"
        "2209"
        "0801"
        "1205"
        "0801"
        "12016b"
        "2a09"
        "0801"
        "1205"
        "0801"
        "120163"
        "120165"
        "220168");
}

TEST_CASE("XSpaceBuilder: every type of stat") {
  XSpaceBuilder b;
  PlaneBuilder& plane = b.Plane("");
  const auto stat = [&](const StatValue& value) { return Hex(plane.EncodeStat(6, 1, value)); };
  CHECK(stat(-1) ==
        "320d"
        "0801"
        "20ffffffffffffffffff01");
  CHECK(stat(0U) ==
        "3204"
        "0801"
        "1800");
  CHECK(stat(1.0) ==
        "320b"
        "0801"
        "11000000000000f03f");
  CHECK(stat("ab") ==
        "3206"
        "0801"
        "2a026162");
  CHECK(stat(Bytes{"ab"}) ==
        "3206"
        "0801"
        "32026162");
  CHECK(stat(RefId{9}) ==
        "3204"
        "0801"
        "3809");
  plane.StatMetadata(4, "text");
  CHECK(stat(Ref{"text"}) ==
        "3204"
        "0801"
        "3804");
  CHECK(stat(Ref{"other"}) ==
        "3204"
        "0801"
        "3805");
}

TEST_CASE("XSpaceBuilder: explicit ids, metadata stats and raw bytes") {
  PlaneBuilder plane("p");
  plane.EventMetadata(-3, "neg").DisplayName("d").ChildId(1).Stat("s", 1);
  plane.Line(1, "l").Raw("x").Event("neg", 0, 1).Raw("y");
  CHECK(plane.EventMetadata("neg").Id() == -3);
  CHECK(plane.EventMetadata("first").Id() == 1);
  const std::string bytes = plane.Raw("z").Encode();
  CHECK(bytes.find("\x18\x01yx") != std::string::npos);  // each at the end of its message
  CHECK(bytes.back() == 'z');
}

// The hash is that of the bytes which the goldens were made from: the generator must not change
// them.
TEST_CASE("GPU profile: the bytes of the reference generator") {
  GpuProfileOptions options;
  options.steps = 6;
  options.layers = 20;
  std::vector<StepTruth> truth;
  const std::string bytes = MakeGpuProfile(options, &truth);
  CHECK(bytes.size() == 223210);
  CHECK(Hash(bytes) == 0x96b1da64184eee6);
  REQUIRE(truth.size() == 6);
  CHECK(Hash(GpuTruthJson(options.scenario, truth)) == 0x7d53f30cecfe78d1);
}

TEST_CASE("GPU profile: scenarios by name") {
  for (const auto* name :
       {"healthy", "inputbound", "launchbound", "copies", "staggered", "fp32", "fragmented"}) {
    const auto scenario = ParseGpuScenario(name);
    REQUIRE(scenario.has_value());
    CHECK(GpuScenarioName(*scenario) == name);
  }
  CHECK_FALSE(ParseGpuScenario("unheard of").has_value());
}

}  // namespace
}  // namespace stepscope::test
