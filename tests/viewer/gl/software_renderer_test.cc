#include "viewer/gl/program.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

TEST_CASE("renderers without a graphics processor are known by their names") {
  CHECK(IsSoftwareRenderer("llvmpipe (LLVM 15.0.6, 256 bits)"));
  CHECK(IsSoftwareRenderer("softpipe"));
  CHECK(IsSoftwareRenderer("Google SwiftShader"));
  CHECK(IsSoftwareRenderer("D3D12 (Microsoft Basic Render Driver)"));
  CHECK(!IsSoftwareRenderer("NVIDIA H200/PCIe/SSE2"));
  CHECK(!IsSoftwareRenderer("Mesa Intel(R) UHD Graphics 620 (KBL GT2)"));
  CHECK(!IsSoftwareRenderer("AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.6, DRM 3.49)"));
  CHECK(!IsSoftwareRenderer(""));
}

}  // namespace
}  // namespace stepscope
