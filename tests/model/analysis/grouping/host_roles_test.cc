// The roles of host events by their names: true names beside names that look like them.
#include "model/analysis/grouping/host_roles.h"

#include <doctest/doctest.h>

#include <span>

namespace stepscope {
namespace {

HostRole RoleOf(const char* name, EventCategory category = EventCategory::kUnknown) {
  return RoleOfHostEvent(name, category);
}

struct NamePair {
  const char* true_name;
  const char* look_alike;
};

// A pair for each row of the table, in its order.
constexpr NamePair kFirst[] = {
    {"ThreadpoolListener::Record", "MyThreadpoolListener::Record"},
    {"ProfilerStep#3", "LastProfilerStep#3"},
    {"TraceContext", "MyTraceContext"},
    {"PyTorch Profiler (0)", "My PyTorch Profiler"},
    {"end: dot", "weekend: dot"},
    {"FunctionRun", "MyFunctionRun"},
    {"Python GC", "My Python GC"},
    {"$gc collect", "$gc_tools collect"},
    {"gc.collect", "my_gc.collect"},
    {"<built-in function collect>", "<built-in method collect of Metrics object at 0x7f>"},
    {"gc", "gcd"},
    {"GC", "GCN"},
    {"<built-in method synchronize of Event object at 0x7f>",
     "<built-in method synchronize of Stream object at 0x7f>"},
    {"<built-in method synchronize of torch.cuda.Event object at 0x7f>",
     "<built-in method record of torch.cuda.Event object at 0x7f>"},
    {"c10d::barrier", "c10d::allreduce_"},
    {"c10d::monitored_barrier", "c10d::monitored"},
    {"nccl:barrier", "nccl:all_reduce"},
    {"MPI_Barrier", "My_MPI_Barrier"},
    {"CoordinationServiceAgent::WaitAtBarrier", "WaitAtBarrierTest"},
    {"barrier", "barrier_free_sum"},
    {"SaveV2:SaveV2", "MySaveV2"},
    {"model/save/SaveV2:SaveV2", "model/SaveV2:RestoreV2"},
    {"MergeV2Checkpoints", "MyMergeV2Checkpoints"},
    {"model/MergeV2Checkpoints:MergeV2Checkpoints", "model/MergeV2Checkpoints:Other"},
    {"save_checkpoint", "save_checkpoint_plot"},
    {"_save_checkpoint", "_save_checkpoints"},
    {"checkpoint_save", "checkpoint_saved"},
    {"save_pretrained", "save_pretrained_card"},
    {"save_weights", "save_weights_plot"},
    {"<built-in method acquire of _thread.lock object at 0x7f>",
     "<built-in method acquire of Pool object at 0x7f>"},
    {"<built-in method get of _queue.SimpleQueue object at 0x7f>",
     "<built-in method get of dict object at 0x7f>"},
    {"<built-in method recv of _multiprocessing.connection.Connection object at 0x7f>",
     "<built-in method recv of Connection object at 0x7f>"},
    {"<built-in method recv_bytes of _multiprocessing.connection.Connection object at 0x7f>",
     "<built-in method recv_bytes of my_multiprocessing.Connection object at 0x7f>"},
    {"<built-in method poll of _multiprocessing.connection.Connection object at 0x7f>",
     "<built-in method send of _multiprocessing.connection.Connection object at 0x7f>"},
    {"<built-in method acquire of _multiprocessing.SemLock object at 0x7f>",
     "<built-in method release of _multiprocessing.SemLock object at 0x7f>"},
    {"<built-in method poll of select.poll object at 0x7f>",
     "<built-in method poll of Sensor object at 0x7f>"},
    {"<built-in function select>", "<built-in function select_scatter>"},
    {"<built-in method recv of _socket.socket object at 0x7f>",
     "<built-in method recv of Radio object at 0x7f>"},
    {"<built-in method recv_into of _socket.socket object at 0x7f>",
     "<built-in method send of _socket.socket object at 0x7f>"},
    {"<built-in function sleep>", "<built-in function sleepy>"},
    {"<built-in function waitpid>", "<built-in function waitpids>"},
    {"poll", "polls"},
    {"ppoll", "ppolls"},
    {"epoll_wait", "epoll_waits"},
    {"epoll_pwait", "epoll_pwaits"},
    {"sem_wait", "sem_waits"},
    {"sem_timedwait", "sem_timedwaits"},
    {"sem_clockwait", "sem_clockwaits"},
    {"pthread_cond_wait", "pthread_cond_waits"},
    {"pthread_cond_timedwait", "pthread_cond_timedwaits"},
    {"pthread_cond_clockwait", "pthread_cond_clockwaits"},
    {"pthread_join", "pthread_joins"},
    {"pthread_barrier_wait", "pthread_barrier_waits"},
    {"nanosleep", "nanosleeps"},
    {"clock_nanosleep", "clock_nanosleeps"},
    {"usleep", "usleeps"},
    {"sigwait", "sigwaits"},
    {"sigwaitinfo", "sigwaitinfos"},
    {"sigtimedwait", "sigtimedwaits"},
    {"futex", "futexs"},
};
constexpr NamePair kLater[] = {
    {"train/IteratorGetNext:IteratorGetNext", "MyIteratorGetNext"},
    {"input_producer/QueueDequeueManyV2", "MyQueueDequeueManyV2"},
    {"InfeedEnqueue", "NoInfeedEnqueue"},
    {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "enumerate(Data)"},
    {"ExecutorState::Process", "ExecutorState::Process2"},
    {"GpuExecutable::ExecuteThunks", "GpuExecutable::Load"},
    {"[0] CommonPjRtLoadedExecutable::Execute (jit_step)", "Executable::Execute/train"},
    {"aten::item", "aten::item_size"},
    {"aten::_local_scalar_dense", "aten::_local_scalar_dense_backward"},
    {"aten::is_nonzero", "aten::is_nonzero_count"},
    {"block_until_ready", "block_until_ready/train"},
    {"PjRtBuffer::BlockUntilReady", "BlockUntilReadySoon"},
    {"Stream::BlockHostUntilDone", "BlockHostUntilDoneTest"},
    {"BufferSequencingEvent::Execute", "MyBufferSequencingEvent"},
    {"np.asarray(jax.Array)", "np.asarray(jax.Arrays)"},
    {"model/XlaCompileOnDemand", "XlaCompiledRun"},
    {"autotune", "autotune/train"},
    {"GemmFusionAutotuner::Run", "/opt/autotuner/train"},
    {"cudnn_autotuning", "autotuned_step"},
    {"HloPassPipeline::Run", "HloPassFix"},
    {"BuildExecutable", "RebuildExecutables"},
    {"compile_inner (dynamo_timed)", "(dynamo_timed) train"},
    {"CpuCompiler::Compile", "Compiler::Compiled"},
    {"GpuCompiler::Compile(jit_step)", "GpuCompiler::Compiled(jit_step)"},
    {"Compile", "Compiled"},
    {"Iterator::Root::Prefetch", "MyIterator::Root"},
    {"dataloader_next", "dataloaders_of_nobody"},
    {"_MultiProcessingDataLoaderIter.__next__", "DataLoaded"},
    {"preprocess", "sdd_preprocess_splits"},
    {"train/load_batch", "load_batches_and_train"},
    {"data_load", "data_loads"},
    {"wait_for_batch", "wait_for_batches"},
    {"Next_Batch", "next_batches"},
    {"get_batch", "get_batch_size"},
    {"collate", "collate/train"},
    {"collate_fn", "my_collate_fns"},
    {"read_video", "read_videos"},
    {"read_image", "read_images"},
    {"prefetch_to_device", "prefetch_to_devices"},
};

}  // namespace

TEST_CASE("Each row of the table of names finds its own, and not what looks like it") {
  for (const bool first : {true, false}) {
    const auto rows = first ? FirstHostNameRows() : LaterHostNameRows();
    const std::span<const NamePair> pairs = first ? std::span<const NamePair>(kFirst) : kLater;
    REQUIRE(rows.size() == pairs.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(pairs[i].true_name);
      CHECK_FALSE(rows[i].source.empty());
      CHECK(HostNameRowOf(pairs[i].true_name, first) == &rows[i]);
      CHECK(RoleOf(pairs[i].true_name) == rows[i].role);
      CAPTURE(pairs[i].look_alike);
      CHECK(HostNameRowOf(pairs[i].look_alike, first) == nullptr);
      CHECK(RoleOf(pairs[i].look_alike) != rows[i].role);
    }
  }
}

TEST_CASE("Calls of POSIX that wait are no work, and those that write are") {
  CHECK(IsPause(RoleOf("poll")));
  CHECK(IsPause(RoleOf("pthread_cond_timedwait")));
  CHECK(RoleOf("putc") == HostRole::kWork);
}

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
