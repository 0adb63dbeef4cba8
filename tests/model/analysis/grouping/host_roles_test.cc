// The roles of host events by their names: true names beside names that look like them.
#include "model/analysis/grouping/host_roles.h"

#include <doctest/doctest.h>

namespace stepscope {
namespace {

HostRole RoleOf(const char* name, EventCategory category = EventCategory::kUnknown) {
  return RoleOfHostEvent(name, category);
}

}  // namespace

TEST_CASE("Garbage collection is Python's, not every collector's") {
  for (const char* name :
       {"Python GC", "gc.collect", "gc", "$gc collect", "<built-in function collect>"}) {
    CAPTURE(name);
    CHECK(RoleOf(name) == HostRole::kGarbage);
  }
  for (const char* name : {"PythonRefManager::CollectGarbage", "collect", "gc_collect_stats",
                           "/home/me/metrics.py(3): collect", "aten::collect",
                           "<built-in method collect of Metrics object at 0x7f>"}) {
    CAPTURE(name);
    CHECK(RoleOf(name) != HostRole::kGarbage);
  }
}

TEST_CASE("Saving a checkpoint is not checkpointing of activations, nor loading") {
  for (const char* name :
       {"torch/serialization.py(944): save",
        "/usr/lib/python3/site-packages/torch/serialization.py(944): save",
        "torch/distributed/checkpoint/state_dict_saver.py(80): save",
        "torch/distributed/checkpoint/state_dict_saver.py(180): async_save",
        "safetensors/torch.py(250): save_file", "transformers/trainer.py(3000): _save_checkpoint",
        "/home/me/train.py(90): save_checkpoint", "$checkpoint_manager.py:900 save",
        "$model_checkpoint.py:300 _save_model", "save_checkpoint", "SaveV2:SaveV2",
        "model/save/SaveV2:SaveV2"}) {
    CAPTURE(name);
    CHECK(RoleOf(name) == HostRole::kSave);
  }
  for (const char* name :
       {"torch/utils/checkpoint.py(300): checkpoint", "torch/serialization.py(1300): load",
        "torch/distributed/checkpoint/state_dict_loader.py(80): load", "CheckpointFunction",
        "aten::save_for_backward", "/home/me/checkpoint.py(3): save_plot", "RestoreV2:RestoreV2",
        "$checkpoint.py:9 restore", "save"}) {
    CAPTURE(name);
    CHECK(RoleOf(name) != HostRole::kSave);
  }
}

TEST_CASE("A barrier waits for other ranks") {
  for (const char* name : {"torch/distributed/distributed_c10d.py(4100): barrier", "c10d::barrier",
                           "nccl:barrier", "MPI_Barrier", "CoordinationServiceAgent::WaitAtBarrier",
                           "barrier", "$multihost_utils.py:100 sync_global_devices"}) {
    CAPTURE(name);
    CHECK(RoleOf(name) == HostRole::kBarrier);
  }
  for (const char* name :
       {"insert_barrier_ops", "/home/me/barrier.py(3): main", "barrier_free_sum",
        "torch/distributed/distributed_c10d.py(2500): all_reduce", "OptimizationBarrier"}) {
    CAPTURE(name);
    CHECK(RoleOf(name) != HostRole::kBarrier);
  }
}

TEST_CASE("Waiting for an event is not waiting for a stream or a device") {
  const EventCategory call = EventCategory::kRuntimeCall;
  CHECK(RoleOf("cudaEventSynchronize", call) == HostRole::kEvent);
  CHECK(RoleOf("hipEventSynchronize", call) == HostRole::kEvent);
  CHECK(RoleOf("<built-in method synchronize of Event object at 0x7f>") == HostRole::kEvent);
  CHECK(RoleOf("cudaStreamSynchronize", call) == HostRole::kSync);
  CHECK(RoleOf("cudaDeviceSynchronize", call) == HostRole::kSync);
  CHECK(RoleOf("cudaStreamWaitEvent", call) == HostRole::kRuntime);
  CHECK(RoleOf("<built-in method synchronize of Stream object at 0x7f>") != HostRole::kEvent);
}

TEST_CASE("The runtime's work between ops is told from Python") {
  for (const char* name : {"ExecutorState::Process", "TFE_Py_FastPathExecute_C", "EagerExecute",
                           "PjitFunction(step)", "KernelAndDeviceFunc::Run"}) {
    CAPTURE(name);
    CHECK(IsRuntimeWork(name, EventCategory::kUnknown));
  }
  for (const char* name : {"train", "$train.py:12 main", "convert_to_tensor", "aten"}) {
    CAPTURE(name);
    CHECK_FALSE(IsRuntimeWork(name, EventCategory::kUnknown));
  }
  CHECK_FALSE(IsRuntimeWork("Optimizer::step", EventCategory::kUserAnnotation));
}

}  // namespace stepscope
