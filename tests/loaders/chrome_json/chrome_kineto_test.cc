// PyTorch's, TensorFlow's and JAX's traces: devices, streams, steps, memory, typed columns, several
// ranks.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/loaders/chrome_json/chrome_support.h"

namespace stepscope {
namespace {

template <typename T>
std::vector<T> ValuesOf(const SparseColumn<T>& column) {
  std::vector<T> values;
  column.ForAll([&](uint32_t, T value) { values.push_back(value); });
  return values;
}

const char* const kKineto =
    R"json({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA H100","numSms":132,"totalGlobalMem":85018279936}],
"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},"baseTimeNanoseconds":1751410836000000000,"host_name":"node7","traceEvents":[
{"ph":"M","name":"process_name","pid":100,"tid":0,"ts":5.0,"args":{"name":"python3"}},
{"ph":"M","name":"process_labels","pid":100,"tid":0,"ts":5.0,"args":{"labels":"CPU"}},
{"ph":"M","name":"process_name","pid":0,"tid":0,"ts":5.0,"args":{"name":"python3"}},
{"ph":"M","name":"process_labels","pid":0,"tid":0,"ts":5.0,"args":{"labels":"GPU 0"}},
{"ph":"M","name":"process_labels","pid":1,"tid":0,"ts":5.0,"args":{"labels":"GPU 1"}},
{"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":5.0,"args":{"name":"stream 7 "}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":100,"tid":100,"ts":10.0,"dur":80,"args":{"External id":1}},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":100,"tid":100,"ts":12.0,"dur":20,"args":{"External id":2,"Input Dims":[[2, 3], [3, 4]]}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":14.0,"dur":5,"args":{"correlation":77,"External id":2}},
{"ph":"s","id":77,"pid":100,"tid":100,"ts":14.0,"cat":"ac2g","name":"ac2g"},
{"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#4","pid":0,"tid":7,"ts":29.0,"dur":30,"args":{}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":30.0,"dur":12,"args":{"External id":2,"device":0,"stream":7,"correlation":77,
 "registers per thread":32,"shared memory":1024,"grid":[564, 2, 1],"block":[128,1,1],"est. achieved occupancy %":41.5}},
{"ph":"f","id":77,"pid":0,"tid":7,"ts":30.0,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD","pid":0,"tid":7,"ts":45.0,"dur":2,"args":{"bytes":4096,"stream":7}},
{"ph":"X","cat":"python_function","name":"train.py(3): step","pid":0,"tid":0,"ts":9.0,"dur":90,"args":{}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":100,"tid":100,"ts":16.0,"args":{"Total Reserved":300,"Total Allocated":200,"Bytes":128,"Addr":5,"Device Id":0,"Device Type":1}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":100,"tid":100,"ts":15.0,"args":{"Total Reserved":0,"Total Allocated":64,"Bytes":64,"Addr":6,"Device Id":-1,"Device Type":0}},
{"ph":"X","cat":"Trace","name":"PyTorch Profiler (0)",
    "pid" : "Spans", "tid" : "PyTorch Profiler", "ts" : 8.0, "dur" : 100, "args" : {
  "Op count" : 0
}
}
]
})json";

EventCategory CategoryOf(const Trace& trace, EventRow row) {
  return trace.names().metas[trace.set.Meta(row).value].category;
}

TEST_CASE("chrome kineto: kernels sit on their streams with flows to their launches") {
  const TracePtr trace = Chrome(kKineto);
  CHECK(Dump(*trace) ==
        "GPU 0 / Stream #7 | 0 | 22000000+12000000 gemm\n"
        "GPU 0 / Stream #7 | 0 | 37000000+2000000 Memcpy HtoD\n"
        "GPU 0 / Stream #7 annotations | 0 | 21000000+30000000 ProfilerStep#4\n"
        "GPU 0 / Memory | allocated: 8000000=200.000000\n"
        "GPU 0 / Memory | reserved: 8000000=300.000000\n"
        "Host threads / Thread 0 | 0 | 1000000+90000000 train.py(3): step\n"
        "Host threads / Thread 100 | 0 | 2000000+80000000 ProfilerStep#4\n"
        "Host threads / Thread 100 | 1 | 4000000+20000000 aten::mm\n"
        "Host threads / Thread 100 | 2 | 6000000+5000000 cudaLaunchKernel\n"
        "Host threads / Thread 100 | i | 7000000+0 [memory]\n"
        "Host threads / Thread 100 | i | 8000000+0 [memory]\n"
        "Host threads / CPU memory | allocated: 7000000=64.000000\n"
        "Host threads / CPU memory | reserved: 7000000=0.000000\n"
        "Spans / PyTorch Profiler | 0 | 0+100000000 PyTorch Profiler (0)\n"
        "flow cudaLaunchKernel -> gemm id 77 ac2g\n");
  REQUIRE(trace->hosts.size() == 1);
  CHECK(trace->hosts[0].rank == 3);
  CHECK(trace->HostName(HostId(0)) == "node7 rank 3");
  CHECK(trace->origin_unix_ns == 1'751'410'836'000'008'000);
  const Plane& gpu = trace->planes[0];
  CHECK(gpu.kind == PlaneKind::kGpu);
  CHECK(gpu.device_ordinal == 0);
  CHECK(gpu.subtitle == "NVIDIA H100, 132 SMs");
  CHECK(gpu.stats.size() == 4);
  CHECK(trace->set.tracks[gpu.tracks[0].value].kind == TrackKind::kStream);
  CHECK(trace->set.tracks[gpu.tracks[1].value].derived_in_file);
  CHECK(trace->planes[1].kind == PlaneKind::kHostThreads);
  CHECK(trace->set.tracks[trace->planes[1].tracks[0].value].kind == TrackKind::kPython);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "gemm")) == EventCategory::kKernel);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "Memcpy HtoD")) == EventCategory::kMemcpy);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "cudaLaunchKernel")) == EventCategory::kRuntimeCall);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "ProfilerStep#4")) == EventCategory::kStep);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "[memory]")) == EventCategory::kMemoryEvent);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "train.py(3): step")) ==
        EventCategory::kPythonFunction);
}

TEST_CASE("chrome kineto: arguments become typed columns") {
  const TracePtr trace = Chrome(kKineto);
  const auto table = trace->source->LoadTyped(*trace, {});
  REQUIRE(table.ok());
  const StatTable& stats = **table;
  const EventRow gemm = FindEvent(*trace, "gemm"), mm = FindEvent(*trace, "aten::mm");
  CHECK(stats.Int(IntStat::kCorrelationId).Find(gemm) == 77);
  CHECK(stats.Int(IntStat::kCorrelationId).Find(FindEvent(*trace, "cudaLaunchKernel")) == 77);
  CHECK(stats.Int(IntStat::kExternalId).Find(gemm) == 2);
  CHECK(stats.Int(IntStat::kRegisters).Find(gemm) == 32);
  CHECK(stats.Int(IntStat::kStaticShared).Find(gemm) == 1024);
  CHECK(stats.Int(IntStat::kGridX).Find(gemm) == 564);
  CHECK(stats.Int(IntStat::kGridY).Find(gemm) == 2);
  CHECK(stats.Int(IntStat::kBlockX).Find(gemm) == 128);
  CHECK(stats.Real(RealStat::kOccupancyPct).Find(gemm) == 41.5);
  CHECK(stats.Int(IntStat::kBytes).Find(FindEvent(*trace, "Memcpy HtoD")) == 4096);
  const auto shape = stats.Text(StringStat::kShape).Find(mm);
  REQUIRE(shape.has_value());
  CHECK(stats.strings->View(*shape) == "[[2,3],[3,4]]");
  CHECK(!stats.Int(IntStat::kCorrelationId).Find(mm).has_value());
  // The two allocator events, in order of time.
  const auto& bytes = stats.Int(IntStat::kAllocationBytes);
  CHECK(ValuesOf(bytes) == std::vector<int64_t>{64, 128});
  CHECK(ValuesOf(stats.Int(IntStat::kBytesReserved)) == std::vector<int64_t>{0, 300});
  const auto& device = stats.Text(StringStat::kAllocatorName);
  REQUIRE(device.size() == 2);
  CHECK(stats.strings->View(ValuesOf(device)[0]) == "CPU");
  CHECK(stats.strings->View(ValuesOf(device)[1]) == "GPU 0");
  CHECK(Arg(*trace, gemm, "grid") == "[564,2,1]");
  CHECK(Arg(*trace, gemm, "cat") == "kernel");
}

TEST_CASE("chrome tensorflow: processes and threads get the roles of their XSpace counterparts") {
  const TracePtr trace = Chrome(
      R"({"displayTimeUnit":"ns","traceEvents":[)"
      R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},{"ph":"M","pid":701,"name":"process_name","args":{"name":"/host:CPU"}},)"
      R"({"ph":"M","pid":1,"tid":5,"name":"thread_name","args":{"name":"Steps"}},{"ph":"M","pid":1,"tid":6,"name":"thread_name","args":{"name":"XLA Ops"}},)"
      R"json({"ph":"M","pid":1,"tid":14,"name":"thread_name","args":{"name":"Stream #14(Kernel)"}},{"ph":"M","pid":701,"tid":3,"name":"thread_name","args":{"name":"python"}},)json"
      R"({"ph":"X","pid":1,"tid":5,"ts":1,"dur":9,"name":"4"},{"ph":"X","pid":1,"tid":6,"ts":1,"dur":9,"name":"fusion.1","args":{"hlo_op":"fusion.1","hlo_module":"jit_step","group_id":"4"}},)"
      R"({"ph":"X","pid":1,"tid":14,"ts":1,"dur":2,"name":"gemm","args":{"kernel_details":"regs:32","correlation_id":"9"}},)"
      R"({"ph":"X","pid":1,"tid":14,"ts":4,"dur":2,"name":"MemcpyH2D"},{"ph":"X","pid":701,"tid":3,"ts":0.5,"dur":20,"name":"$train.py:3 step"},)"
      R"({"ph":"X","pid":701,"tid":3,"ts":1,"dur":2,"name":"train","args":{"step_num":"4"}},{}]})");
  REQUIRE(trace->planes.size() == 2);
  const Plane& gpu = trace->planes[0];
  CHECK(gpu.kind == PlaneKind::kGpu);
  CHECK(gpu.display_name == "GPU 0");
  const auto kind = [&](size_t i) { return trace->set.tracks[gpu.tracks[i].value].kind; };
  REQUIRE(gpu.tracks.size() == 3);
  CHECK(kind(0) == TrackKind::kSteps);
  CHECK(kind(1) == TrackKind::kXlaOps);
  CHECK(kind(2) == TrackKind::kStream);
  CHECK(trace->set.tracks[gpu.tracks[1].value].derived_in_file);
  CHECK(!trace->set.tracks[gpu.tracks[2].value].derived_in_file);
  CHECK(trace->planes[1].kind == PlaneKind::kHostThreads);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "gemm")) == EventCategory::kKernel);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "MemcpyH2D")) == EventCategory::kMemcpy);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "4")) == EventCategory::kStep);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "train")) == EventCategory::kHostEvent);
  CHECK(CategoryOf(*trace, FindEvent(*trace, "$train.py:3 step")) ==
        EventCategory::kPythonFunction);
  const auto stats = trace->source->LoadTyped(*trace, {});
  REQUIRE(stats.ok());
  CHECK((*stats)->Int(IntStat::kStepNum).Find(FindEvent(*trace, "train")) == 4);
  CHECK((*stats)->Int(IntStat::kGroupId).Find(FindEvent(*trace, "fusion.1")) == 4);
  CHECK((*stats)->Int(IntStat::kCorrelationId).Find(FindEvent(*trace, "gemm")) == 9);
  const auto module = (*stats)->Text(StringStat::kHloModule).Find(FindEvent(*trace, "fusion.1"));
  REQUIRE(module.has_value());
  CHECK((*stats)->strings->View(*module) == "jit_step");
}

TEST_CASE("chrome kineto: every category of Kineto has its kind and place") {
  struct Case {
    const char* cat;
    EventCategory category;
    const char* place;
  };
  const Case cases[] = {
      {"kernel", EventCategory::kKernel, "GPU 1 / Stream #2"},
      {"gpu_memcpy", EventCategory::kMemcpy, "GPU 1 / Stream #2"},
      {"gpu_memset", EventCategory::kMemset, "GPU 1 / Stream #2"},
      {"gpu_user_annotation", EventCategory::kGpuUserAnnotation,
       "Process 1 / Stream #2 annotations"},
      {"cuda_sync", EventCategory::kOverhead, "Process 1 / Stream #2 synchronisation"},
      {"cuda_runtime", EventCategory::kRuntimeCall, "Host threads / Thread 2"},
      {"cuda_driver", EventCategory::kRuntimeCall, "Host threads / Thread 2"},
      {"hip_runtime", EventCategory::kRuntimeCall, "Host threads / Thread 2"},
      {"hip_driver", EventCategory::kRuntimeCall, "Host threads / Thread 2"},
      {"xpu_runtime", EventCategory::kRuntimeCall, "Host threads / Thread 2"},
      {"cpu_op", EventCategory::kCpuOp, "Host threads / Thread 2"},
      {"python_function", EventCategory::kPythonFunction, "Host threads / Thread 2"},
      {"user_annotation", EventCategory::kUserAnnotation, "Host threads / Thread 2"},
      {"overhead", EventCategory::kOverhead, "Host threads / Thread 2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.cat);
    const TracePtr trace =
        Chrome(std::string(R"([{"ph":"X","pid":1,"tid":2,"ts":1,"dur":1,"name":"e","cat":")") +
               c.cat + "\"}]");
    CHECK(CategoryOf(*trace, FindEvent(*trace, "e")) == c.category);
    CHECK(Dump(*trace).starts_with(std::string(c.place) + " | "));
  }
}

TEST_CASE("chrome kineto: ranks of one run are aligned by their base times") {
  const auto rank = [](int number, const char* base) {
    return R"({"distributedInfo":{"rank":)" + std::to_string(number) +
           R"(},"traceEvents":[{"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":1.5,"dur":1,"name":"op)" +
           std::to_string(number) + R"("}],"baseTimeNanoseconds":)" + base + "}";
  };
  std::vector<InputFile> files(2);
  const std::string texts[] = {rank(1, "1751410836000002000"), rank(0, "1751410836000000000")};
  for (size_t i = 0; i < 2; ++i) {
    files[i].path = "rank" + std::to_string(i) + ".json";
    files[i].opened = MakeByteSource(files[i].path, texts[i], 1 << 20).value();
  }
  TraceBuilder builder;
  Progress progress;
  REQUIRE(ChromeLoader().load(builder, files, {}, {}, progress).ok());
  const Result<TracePtr> trace = builder.Finish();
  REQUIRE(trace.ok());
  REQUIRE((*trace)->hosts.size() == 2);
  CHECK((*trace)->hosts[0].rank == 0);
  CHECK(Dump(**trace) ==
        "Host threads / Thread 1 | 0 | 500000+1000000 op0\n"
        "Host threads / Thread 1 | 0 | 2500000+1000000 op1\n");
  CHECK(Arg(**trace, FindEvent(**trace, "op1"), "cat") == "cpu_op");
}

TEST_CASE("A device has the name of its kind, which the categories of events tell") {
  const std::pair<const char*, const char*> rows[] = {{"cuda_runtime", "GPU 0"},
                                                      {"hip_runtime", "GPU 0"},
                                                      {"xpu_runtime", "XPU 0"},
                                                      {"mtia_runtime", "MTIA 0"},
                                                      {"privateuse1_runtime", "Accelerator 0"}};
  for (const auto& [cat, name] : rows) {
    const TracePtr trace = Chrome(std::string(R"([
{"ph":"X","cat":")") + cat + R"(","name":"launch","pid":9,"tid":1,"ts":1,"dur":1},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":4,"dur":2}])");
    CAPTURE(cat);
    CHECK(trace->planes[0].display_name == name);
  }
}

TEST_CASE("A label or the name of a device says what devices are called") {
  constexpr const char* kKernel =
      R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":4,"dur":2})";
  const auto name = [&](const std::string& text) { return Chrome(text)->planes[0].display_name; };
  const auto labelled = [&](const char* label) {
    return name(
        std::string(R"([{"ph":"M","name":"process_labels","pid":0,"tid":0,"ts":0,"args":)") +
        R"({"labels":")" + label + "\"}}," + kKernel + "]");
  };
  const auto called = [&](const char* device) {
    return name(std::string(R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":")") + device +
                R"("}],"traceEvents":[)" + kKernel + "]}");
  };
  CHECK(labelled("HPU 0") == "HPU 0");
  CHECK(labelled("XPU 0") == "XPU 0");
  CHECK(labelled("GPU 0") == "GPU 0");
  CHECK(labelled("HPUs of ours") == "GPU 0");
  CHECK(called("Intel Gaudi 2 HL-225") == "HPU 0");
  CHECK(
      name(
          R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"Ascend 910B"}],"traceEvents":[)"
          R"({"ph":"X","cat":"privateuse1_runtime","name":"launch","pid":9,"tid":1,"ts":1,"dur":1},)" +
          std::string(kKernel) + "]}") == "NPU 0");
  CHECK(called("NVIDIA H100 80GB HBM3") == "GPU 0");
}

TEST_CASE("Work of other accelerators is device work, ranges of the profiler lie beside it") {
  const TracePtr trace = Chrome(R"([
{"ph":"X","cat":"hpu_op","name":"matmul","pid":0,"tid":7,"ts":1,"dur":2},
{"ph":"X","cat":"mtia_ccp_events","name":"gemm","pid":0,"tid":7,"ts":4,"dur":2},
{"ph":"X","cat":"cuda_profiler_range","name":"range","pid":0,"tid":7,"ts":1,"dur":9},
{"ph":"X","cat":"mtia_insight","name":"insight","pid":9,"tid":1,"ts":1,"dur":1}])");
  const auto category = [&](const char* name) {
    return trace->names().metas[trace->set.Meta(FindEvent(*trace, name)).value].category;
  };
  CHECK(category("matmul") == EventCategory::kKernel);
  CHECK(category("gemm") == EventCategory::kKernel);
  CHECK(category("range") == EventCategory::kGpuUserAnnotation);
  CHECK(category("insight") == EventCategory::kHostEvent);
  CHECK(trace->planes[0].kind == PlaneKind::kGpu);
}

TEST_CASE(
    "A series without a name, as Kineto's hardware counters have, is named after its counter") {
  const TracePtr trace = Chrome(R"([
{"ph":"C","cat":"hardware_counters","name":"sm__cycles_active.avg","pid":"GPU 0 Counters","tid":7,
 "ts":1000,"args":{"":0.5}},
{"ph":"C","cat":"hardware_counters","name":"sm__cycles_active.avg","pid":"GPU 0 Counters","tid":7,
 "ts":1010,"args":{"":1.5}}])");
  REQUIRE(trace->set.tracks.size() == 1);
  REQUIRE(trace->set.tracks[0].counters.size() == 1);
  const CounterSeries& series = trace->set.tracks[0].counters[0];
  CHECK(trace->names().strings.View(series.name) == "sm__cycles_active.avg");
  CHECK(series.value == std::vector<double>{0.5, 1.5});
}

}  // namespace
}  // namespace stepscope
