// Decodes any bytes as an HLO program and computes all that follows from it.
#include "loaders/xla/hlo_decoder.h"
#include "model/xla/buffer_heap.h"
#include "model/xla/cost_model.h"
#include "model/xla/hlo_text.h"
#include "model/xla/neighbourhood.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope;
  const auto module = DecodeHlo({reinterpret_cast<const char*>(data), size}, {});
  if (!module.ok()) return 0;
  const xla::HloModule& m = *module.value();
  const xla::CostModel base(m, xla::CostVariant::kBase), gpu(m, xla::CostVariant::kGpu);
  for (const int64_t space : MemorySpacesOf(m)) ReplayHeap(m, space, xla::HeapTraces::kAll);
  LargestScopedVmem(m);
  ModuleText(m);
  const xla::InstructionUsers users(m);
  for (uint32_t i = 0; i < m.instructions.size() && i < 16; ++i) {
    if (!(base.Of(i).bytes >= 0 && gpu.Of(i).flops >= 0)) __builtin_trap();  // no count is negative
    NeighbourhoodOf(m, users, i, 3);
    StackOf(m, m.instructions[i]);
  }
  return 0;
}
