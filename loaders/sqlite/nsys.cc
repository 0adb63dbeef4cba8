// The tables of `nsys export --type sqlite` (docs/formats.md#nsight-systems). Times are nanoseconds
// since the session began.
#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "loaders/common/track_roles.h"
#include "loaders/sqlite/database_track_builder.h"
#include "model/base/key_table.h"

namespace stepscope::sqlite {
namespace {

using Group = MixedTrackBuilder::Group;
using PlaneKey = MixedTrackBuilder::PlaneKey;

// A serialised id is a machine, a process of 24 bits and a thread of 24 bits. Two processes may
// have the same correlation ids, so the process is made part of them.
constexpr int kPidShift = 24;
constexpr int64_t kIdMask = 0xffffff;
#define STEPSCOPE_CORRELATION(id) "((" id " >> 24 & 16777215) << 32) + (correlationId & 4294967295)"
constexpr const char* kDeviceCorrelation =
    STEPSCOPE_CORRELATION("globalPid") ";correlationId & 4294967295";
constexpr const char* kCallCorrelation = STEPSCOPE_CORRELATION("globalTid");

constexpr IntExpression kNsysKernelInts[] = {
    {IntStat::kCorrelationId, STEPSCOPE_CORRELATION("globalPid")},
    {IntStat::kCorrelationId, "correlationId & 4294967295"},
    {IntStat::kDeviceId, "deviceId"},
    {IntStat::kRegisters, "registersPerThread"},
    {IntStat::kStaticShared, "staticSharedMemory"},
    {IntStat::kDynamicShared, "dynamicSharedMemory"},
    {IntStat::kGridX, "gridX"},
    {IntStat::kGridY, "gridY"},
    {IntStat::kGridZ, "gridZ"},
    {IntStat::kBlockX, "blockX"},
    {IntStat::kBlockY, "blockY"},
    {IntStat::kBlockZ, "blockZ"},
    {IntStat::kCudaGraphExecId, "graphExecId"},
    {IntStat::kCudaGraphExecId, "graphNodeId >> 32"}};
constexpr IntExpression kNsysCopyInts[] = {
    {IntStat::kCorrelationId, STEPSCOPE_CORRELATION("globalPid")},
    {IntStat::kCorrelationId, "correlationId & 4294967295"},
    {IntStat::kDeviceId, "deviceId"},
    {IntStat::kBytes, "bytes"},
    {IntStat::kCudaGraphExecId, "graphNodeId >> 32"}};
constexpr IntExpression kCallInts[] = {
    {IntStat::kCorrelationId, STEPSCOPE_CORRELATION("globalTid")}};
#undef STEPSCOPE_CORRELATION

constexpr std::pair<int64_t, const char*> kCopyDirections[] = {
    {1, "HtoD"}, {2, "DtoH"}, {3, "HtoA"},  {4, "AtoH"},  {5, "AtoA"},  {6, "AtoD"}, {7, "DtoA"},
    {8, "DtoD"}, {9, "HtoH"}, {10, "PtoP"}, {11, "HtoD"}, {12, "DtoH"}, {13, "DtoD"}};
constexpr const char* kMemoryKinds[] = {"Pageable", "Pinned",        "Device",         "Array",
                                        "Managed",  "Device Static", "Managed Static", "Unknown"};
constexpr const char* kSyncKinds[] = {"Synchronization", "Event Sync", "Stream Wait Event",
                                      "Stream Sync", "Context Sync"};
constexpr const char* kOverheads[] = {"Overhead",
                                      "Unknown",
                                      "Driver Compiler",
                                      "Activity Buffer Flush",
                                      "Instrumentation",
                                      "Resource",
                                      "Runtime Triggered Module Loading",
                                      "Lazy Function Loading",
                                      "Command Buffer Full"};

// Kinds of NVTX events. Events whose text was registered before have types of their own.
enum class NvtxKind { kOther, kMark, kPushPop, kStartEnd };
NvtxKind KindOfNvtx(int64_t type) {
  if (type == 34 || type == 65) return NvtxKind::kMark;
  if (type == 59 || type == 70) return NvtxKind::kPushPop;
  return type == 60 || type == 71 ? NvtxKind::kStartEnd : NvtxKind::kOther;
}

template <size_t N>
const char* NameIn(const char* const (&names)[N], int64_t id) {
  return names[id >= 0 && id < static_cast<int64_t>(N) ? id : 0];
}

// A table of calls that threads made, and the category of its events.
struct CallTable {
  const char* table;
  EventCategory category;
};
constexpr CallTable kCallTables[] = {{"CUPTI_ACTIVITY_KIND_RUNTIME", EventCategory::kRuntimeCall},
                                     {"OSRT_API", EventCategory::kHostEvent},
                                     {"CUDNN_EVENTS", EventCategory::kHostEvent},
                                     {"CUBLAS_EVENTS", EventCategory::kHostEvent},
                                     {"MPI_COLLECTIVES_EVENTS", EventCategory::kHostEvent},
                                     {"MPI_P2P_EVENTS", EventCategory::kHostEvent},
                                     {"MPI_START_WAIT_EVENTS", EventCategory::kHostEvent},
                                     {"MPI_OTHER_EVENTS", EventCategory::kHostEvent}};
// Tables without events of their own: their rows describe other rows, or are read elsewhere.
constexpr std::string_view kOtherTables[] = {"ANALYSIS_DETAILS",
                                             "ANALYSIS_FILE",
                                             "CUDA_GRAPH_NODE_EVENTS",
                                             "CUDA_GRAPH_EVENTS",
                                             "DIAGNOSTIC_EVENT",
                                             "GPU_METRICS",
                                             "PROCESSES",
                                             "ProcessStreams",
                                             "StringIds",
                                             "ThreadNames",
                                             "EXPORT_META_DATA",
                                             "NVTX_PAYLOAD_SCHEMAS",
                                             "NVTX_PAYLOAD_SCHEMA_ENTRIES",
                                             "CUDA_CALLCHAINS",
                                             "OSRT_CALLCHAINS"};

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel".
std::string_view WithoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == name.npos || at + 2 == name.size()) return name;
  const bool digits = name.find_first_not_of("0123456789", at + 2) == name.npos;
  return digits ? name.substr(0, at) : name;
}

int64_t ProcessOf(int64_t global) { return global >> kPidShift; }
int64_t PidOf(int64_t process) { return process & kIdMask; }

class NsysReader {
 public:
  explicit NsysReader(DatabaseTrackBuilder* file) : file_(*file), drafts_(file->drafts) {}

  Status Read() {
    ReadSession();
    for (const bool graphs : {false, true}) ReadKernels(graphs);
    ReadCopies();
    ReadFills();
    ReadSyncs();
    for (const CallTable& calls : kCallTables) ReadCalls(calls);
    ReadRanges();
    ReadOverhead("CUPTI_ACTIVITY_KIND_OVERHEAD");
    ReadOverhead("PROFILER_OVERHEAD");
    ReadMemory();
    ReadMetrics();
    ReadDevices();
    ReadWarnings();
    CountOthers();
    return {};
  }

 private:
  std::string From(std::string_view table) const { return Quoted(table) + " AS e"; }

  // Adds a table of events and returns its number in their references.
  size_t AddTable(const char* name, std::span<const IntExpression> ints) {
    EventTable table{name, From(name), ints, {}};
    for (const char* column : {"demangledName", "shortName", "mangledName", "nameId", "textId"})
      table.references.push_back({column, "StringIds", "value"});
    table.references.push_back({"copyKind", "ENUM_CUDA_MEMCPY_OPER", "label"});
    table.references.push_back({"srcKind", "ENUM_CUDA_MEM_KIND", "label"});
    table.references.push_back({"dstKind", "ENUM_CUDA_MEM_KIND", "label"});
    table.references.push_back({"memKind", "ENUM_CUDA_MEM_KIND", "label"});
    table.references.push_back({"launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE", "label"});
    table.references.push_back({"syncType", "ENUM_CUPTI_SYNC_TYPE", "label"});
    table.references.push_back({"overheadType", "ENUM_CUPTI_OVERHEAD_TYPE", "label"});
    table.references.push_back({"eventType", "ENUM_NSYS_EVENT_TYPE", "label"});
    file_.tables.push_back(std::move(table));
    return file_.tables.size() - 1;
  }

  // Calls fn(row, rowid, table) for the events of a table that have a begin (see ForRows); `table`
  // is its number in their references.
  template <typename Fn>
  void ForEvents(const char* name, std::span<const IntExpression> ints,
                 std::initializer_list<const char*> expressions, Fn fn) {
    if (!file_.database().Has(name)) return;
    const size_t table = AddTable(name, ints);
    file_.ForRows(From(name), expressions, [&](const Query& row, int64_t rowid) {
      if (!row.IsNull(1)) fn(row, rowid, table);
    });
  }

  StringId String(int64_t id) { return file_.TextOf("StringIds", "value", id); }

  void ReadSession() {
    file_.ForRows(From("TARGET_INFO_SESSION_START_TIME"), {"utcEpochNs"},
                  [&](const Query& row, int64_t) { file_.unix_ns = row.Int(1); });
    file_.ForRows(From("TARGET_INFO_SYSTEM_ENV"), {"name", "value"},
                  [&](const Query& row, int64_t) {
                    if (row.Text(1) == "Hostname") file_.host_name = row.Text(2);
                  });
    file_.ForRows(From("PROCESSES"), {"globalPid", "name"}, [&](const Query& row, int64_t) {
      file_.processes[ProcessOf(row.Int(1))] = row.Text(2);
    });
    file_.ForRows(From("ThreadNames"), {"globalTid", "nameId"},
                  [&](const Query& row, int64_t) { threads_[row.Int(1)] = row.Int(2); });
  }

  uint32_t Stream(int64_t global_pid, int64_t device, int64_t stream, Group group) {
    const PlaneKey plane{ProcessOf(global_pid), PlaneKind::kGpu, device};
    const TrackKind kind = group == Group::kStreams ? TrackKind::kStream : TrackKind::kOther;
    return file_.Track(plane, group, stream, kind, [&] {
      std::string name = "Stream #" + std::to_string(stream);
      if (stream < 0 || stream == 0xffffffff) name = "Context";
      return group == Group::kSync ? name + " synchronisation" : name;
    });
  }

  uint32_t Thread(int64_t global_tid, Group group = Group::kThreads) {
    const PlaneKey plane{ProcessOf(global_tid), PlaneKind::kHostThreads, 0};
    const int64_t tid = global_tid & kIdMask;
    const TrackKind kind = group == Group::kRanges ? TrackKind::kNvtx : TrackKind::kThread;
    return file_.Track(plane, group, tid, kind, [&] {
      const auto named = threads_.find(global_tid);
      std::string name(named == threads_.end()
                           ? std::string_view()
                           : file_.builder().strings().View(String(named->second)));
      name += (name.empty() ? "Thread " : " ") + std::to_string(tid);
      return group == Group::kRanges ? name + " ranges" : name;
    });
  }

  // Reads kernels, or (`graphs`) whole graphs, which nsys may record instead of their kernels.
  void ReadKernels(bool graphs) {
    const char* name = graphs ? "CUPTI_ACTIVITY_KIND_GRAPH_TRACE" : "CUPTI_ACTIVITY_KIND_KERNEL";
    ForEvents(name, kNsysKernelInts,
              {"start", "\"end\"", "deviceId", "streamId", "globalPid",
               "demangledName;shortName;name", "graphId", kDeviceCorrelation},
              [&](const Query& row, int64_t rowid, size_t table) {
                const StringId called =
                    graphs ? file_.Intern("CUDA graph " + std::to_string(row.Int(7)))
                           : String(row.Int(6));
                AddWork(row, table, rowid, called, EventCategory::kKernel, 8);
              });
  }

  // Adds work on a device. Columns 1 to 5 are begin, end, device, stream and process; column
  // `correlation` holds the correlation id.
  void AddWork(const Query& row, size_t table, int64_t rowid, StringId name, EventCategory category,
               int correlation) {
    const uint32_t track = Stream(row.Int(5), row.Int(3), row.Int(4), Group::kStreams);
    if (track != last_work_) work_.insert({ProcessOf(row.Int(5)), PlaneKind::kGpu, row.Int(3)});
    last_work_ = track;
    const auto slice = file_.AddSlice(row, rowid, table, track, drafts_.MetaOf(name, category));
    if (row.Int(correlation) != 0)
      drafts_.AddWork(static_cast<uint64_t>(row.Int(correlation)), slice);
  }

  void ReadCopies() {
    std::map<std::tuple<int64_t, int64_t, int64_t>, StringId> names;
    ForEvents("CUPTI_ACTIVITY_KIND_MEMCPY", kNsysCopyInts,
              {"start", "\"end\"", "deviceId", "streamId", "globalPid", "copyKind", "srcKind",
               "dstKind", kDeviceCorrelation},
              [&](const Query& row, int64_t rowid, size_t table) {
                const auto key = std::tuple(row.Int(6), row.Int(7, -1), row.Int(8, -1));
                const auto [it, added] = names.try_emplace(key, StringId(0));
                if (added) it->second = file_.Intern(NameOfCopy(key));
                AddWork(row, table, rowid, it->second, EventCategory::kMemcpy, 9);
              });
  }

  static std::string NameOfCopy(const std::tuple<int64_t, int64_t, int64_t>& key) {
    const auto [kind, from, to] = key;
    const char* direction = FindValue(kCopyDirections, kind, "Unknown");
    if (from < 0 || to < 0) return CopyName(direction, {}, {});
    return CopyName(direction, NameIn(kMemoryKinds, from), NameIn(kMemoryKinds, to));
  }

  void ReadFills() {
    ForEvents(
        "CUPTI_ACTIVITY_KIND_MEMSET", kNsysCopyInts,
        {"start", "\"end\"", "deviceId", "streamId", "globalPid", "memKind", kDeviceCorrelation},
        [&](const Query& row, int64_t rowid, size_t table) {
          const char* kind = NameIn(kMemoryKinds, row.Int(6, 2));
          AddWork(row, table, rowid, file_.Intern(std::string("Memset (") + kind + ")"),
                  EventCategory::kMemset, 7);
        });
  }

  // Marks of synchronisation always say device 0. Where the process uses only others, they belong
  // to the first of those.
  int64_t DeviceOfSync(int64_t global_pid, int64_t device) const {
    const PlaneKey said{ProcessOf(global_pid), PlaneKind::kGpu, device};
    if (work_.contains(said)) return device;
    const auto first = work_.lower_bound({said.process, PlaneKind::kGpu, INT64_MIN});
    const bool own = first != work_.end() && first->process == said.process;
    return own && first->kind == PlaneKind::kGpu ? first->number : device;
  }

  void ReadSyncs() {
    ForEvents(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", kNsysCopyInts,
        {"start", "\"end\"", "deviceId", "streamId", "globalPid", "syncType"},
        [&](const Query& row, int64_t rowid, size_t table) {
          const StringId name = file_.Intern(NameIn(kSyncKinds, row.Int(6)));
          drafts_.AddSlice(
              Stream(row.Int(5), DeviceOfSync(row.Int(5), row.Int(3)), row.Int(4), Group::kSync),
              row.Int(1), row.Int(2, row.Int(1)), drafts_.MetaOf(name, EventCategory::kOverhead),
              EventFile::RefOf(table, rowid));
        });
  }

  void ReadCalls(const CallTable& calls) {
    const bool cuda = calls.category == EventCategory::kRuntimeCall;
    std::unordered_map<int64_t, uint32_t> metas;  // by name
    ForEvents(calls.table,
              cuda ? std::span<const IntExpression>(kCallInts) : std::span<const IntExpression>(),
              {"start", "\"end\"", "globalTid", "nameId;textId", kCallCorrelation},
              [&](const Query& row, int64_t rowid, size_t table) {
                const auto [it, added] = metas.try_emplace(row.Int(4), 0);
                if (added) it->second = MetaOfCall(row.Int(4), calls.category);
                const auto slice =
                    file_.AddSlice(row, rowid, table, Thread(row.Int(3)), it->second);
                if (cuda && row.Int(5) != 0)
                  drafts_.AddCall(static_cast<uint64_t>(row.Int(5)), slice);
              });
  }

  uint32_t MetaOfCall(int64_t name, EventCategory category) {
    const std::string called(WithoutVersion(file_.builder().strings().View(String(name))));
    return drafts_.MetaOf(file_.Intern(called), category);
  }

  void ReadRanges() {
    ForEvents("NVTX_EVENTS", {}, {"start", "\"end\"", "globalTid", "eventType", "text", "textId"},
              [&](const Query& row, int64_t rowid, size_t table) {
                const NvtxKind kind = KindOfNvtx(row.Int(4));
                if (kind == NvtxKind::kOther) return;
                AddRange(row, kind, EventFile::RefOf(table, rowid));
              });
  }

  void AddRange(const Query& row, NvtxKind kind, uint64_t ref) {
    const uint32_t meta = row.IsNull(5)
                              ? MetaOfRange(file_.builder().strings().View(String(row.Int(6))))
                              : MetaOfRange(row.Text(5));
    const bool over = kind == NvtxKind::kStartEnd;  // may overlap what else the thread does
    const uint32_t track = Thread(row.Int(3), over ? Group::kRanges : Group::kThreads);
    if (kind == NvtxKind::kMark) return drafts_.AddInstant(track, row.Int(1), meta, ref);
    if (row.IsNull(2))
      file_.Count("nsys.range_without_end", Severity::kInfo,
                  "NVTX ranges were open when the recording ended: they are shown without length",
                  "table NVTX_EVENTS");
    drafts_.AddSlice(track, row.Int(1), row.Int(2, row.Int(1)), meta, ref);
  }

  uint32_t MetaOfRange(std::string_view text) {
    const auto op = OpOfRange(text);
    const bool annotation = !op || op->find('#') != op->npos;
    const std::string_view name = op.value_or(text);
    const char* cat = annotation ? "user_annotation" : "cpu_op";
    const EventCategory category = naming::RoleOfCategory(cat, name).category;
    return drafts_.MetaOf(file_.Intern(name), category);
  }

  void ReadOverhead(const char* name) {
    ForEvents(name, {}, {"start", "\"end\"", "globalTid", "overheadType"},
              [&](const Query& row, int64_t rowid, size_t table) {
                if (row.IsNull(3)) return;
                const StringId called = file_.Intern(NameIn(kOverheads, row.Int(4)));
                file_.AddSlice(row, rowid, table, Thread(row.Int(3)),
                               drafts_.MetaOf(called, EventCategory::kOverhead));
              });
  }

  // Makes counters of what was allocated while recording, less what was freed.
  void ReadMemory() {
    struct Change {
      int64_t at, bytes;
    };
    std::map<PlaneKey, std::vector<Change>> changes;
    file_.ForRows(From("CUDA_GPU_MEMORY_USAGE_EVENTS"),
                  {"start", "globalPid", "deviceId", "bytes", "memoryOperationType"},
                  [&](const Query& row, int64_t) {
                    const int64_t bytes =
                        row.Int(5) == 0 ? row.Int(4) : SaturatingSub(0, row.Int(4));
                    const PlaneKey plane{ProcessOf(row.Int(2)), PlaneKind::kGpu, row.Int(3)};
                    changes[plane].push_back({row.Int(1), bytes});
                  });
    for (auto& [plane, list] : changes) {
      file_.AddAllocated(plane, std::move(list), [](const Change& change, int64_t bytes) {
        return SaturatingAdd(bytes, change.bytes);
      });
    }
  }

  // Sampled hardware counters belong to a device and to no process: they are shown with the first
  // process that uses the device.
  void ReadMetrics() {
    std::map<std::pair<int64_t, int64_t>, std::string> names;  // by type and metric
    file_.ForRows(From("TARGET_INFO_GPU_METRICS"), {"typeId", "metricId", "metricName"},
                  [&](const Query& row, int64_t) {
                    names[{row.Int(1), row.Int(2)}] = row.Text(3);
                  });
    std::map<std::pair<int64_t, int64_t>, uint32_t> tracks;
    file_.ForRows(From("GPU_METRICS"), {"timestamp;start", "typeId", "metricId", "value"},
                  [&](const Query& row, int64_t) {
                    const std::pair key(row.Int(2), row.Int(3));
                    const auto [it, added] = tracks.try_emplace(key, 0);
                    if (added) it->second = MetricTrack(key, names[key]);
                    drafts_.AddSample(it->second, row.Int(1), row.Real(4));
                  });
  }

  uint32_t MetricTrack(const std::pair<int64_t, int64_t>& key, const std::string& name) {
    const int64_t device = key.first & 0xff;
    PlaneKey plane{0, PlaneKind::kGpu, device};
    for (const int64_t process : drafts_.DeviceProcesses()) {
      const PlaneKey used{process, PlaneKind::kGpu, device};
      if (drafts_.HasPlane(used)) {
        plane = used;
        break;
      }
    }
    return file_.Counter(plane, SaturatingAdd(SaturatingMul(key.first, 4096), key.second + 1),
                         name.empty() ? "Metric " + std::to_string(key.second) : name);
  }

  // Reads names and sizes of devices, under the names that PyTorch's traces give them.
  void ReadDevices() {
    std::map<int64_t, std::vector<PlaneStat>> gpus;  // by nsys' number
    file_.ForRows(From("TARGET_INFO_GPU"),
                  {"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor",
                   "memoryBandwidth", "clockRate", "chipName", "uuid"},
                  [&](const Query& row, int64_t) { gpus[row.Int(1)] = FactsOf(row); });
    std::map<std::pair<int64_t, int64_t>, int64_t> numbers;  // by process and its device
    file_.ForRows(From("TARGET_INFO_CUDA_DEVICE"), {"pid", "cudaId", "gpuId"},
                  [&](const Query& row, int64_t) {
                    numbers[{row.Int(1) & kIdMask, row.Int(2)}] = row.Int(3);
                  });
    drafts_.ForPlanes([&](const PlaneKey& key, Plane& plane) {
      file_.NamePlane(key, file_.processes[key.process], PidOf(key.process), &plane);
      if (key.kind != PlaneKind::kGpu) return;
      const auto number = numbers.find({PidOf(key.process), key.number});
      const auto gpu = gpus.find(number == numbers.end() ? key.number : number->second);
      if (gpu == gpus.end()) return;
      plane.stats = gpu->second;
      Describe(&plane);
    });
  }

  static std::vector<PlaneStat> FactsOf(const Query& row) {
    static constexpr const char* kNames[] = {"name",         "totalGlobalMem", "numSms",
                                             "computeMajor", "computeMinor",   "memoryBandwidth",
                                             "clockRate",    "chipName",       "uuid"};
    std::vector<PlaneStat> facts;
    for (int i = 0; i < static_cast<int>(std::size(kNames)); ++i) {
      const int column = i + 2;
      if (row.IsNull(column)) continue;
      if (row.IsText(column)) {
        facts.push_back({kNames[i], std::string(row.Text(column))});
      } else {
        facts.push_back({kNames[i], row.Int(column)});
      }
    }
    return facts;
  }

  static void Describe(Plane* plane) {
    for (const PlaneStat& stat : plane->stats) {
      if (stat.name == "name") plane->subtitle = std::get<std::string>(stat.value);
      if (stat.name == "numSms" && std::holds_alternative<int64_t>(stat.value))
        plane->subtitle += ", " + std::to_string(std::get<int64_t>(stat.value)) + " SMs";
    }
  }

  void ReadWarnings() {
    constexpr size_t kMost = 100;
    file_.ForRows(From("DIAGNOSTIC_EVENT"), {"severity", "text"}, [&](const Query& row, int64_t) {
      std::vector<std::string>& warnings = file_.builder().trace().warnings;
      if (row.Int(1) > 1 && warnings.size() < kMost) warnings.emplace_back(row.Text(2));
    });
  }

  // Counts tables that have rows and are not read.
  void CountOthers() {
    for (const std::string& name : file_.database().tables()) {
      const auto begins = [&](std::string_view text) { return name.starts_with(text); };
      if (begins("ENUM_") || begins("META_DATA") || begins("TARGET_INFO") || begins("sqlite_"))
        continue;
      const bool other = std::find(std::begin(kOtherTables), std::end(kOtherTables), name) !=
                         std::end(kOtherTables);
      const bool read = std::any_of(file_.tables.begin(), file_.tables.end(),
                                    [&](const EventTable& table) { return table.name == name; });
      if (other || read) continue;
      const auto query = file_.database().Select("SELECT rowid FROM " + From(name) + " LIMIT 1");
      if (query != nullptr && query->Next())
        file_.Count("nsys.table_not_read", Severity::kInfo, "Tables of events that are not read",
                    "table " + name);
    }
  }

  DatabaseTrackBuilder& file_;
  MixedTrackBuilder& drafts_;
  std::set<PlaneKey> work_;  // devices that did work
  uint32_t last_work_ = UINT32_MAX;
  std::unordered_map<int64_t, int64_t> threads_;  // id of the name, by serialised thread
};

}  // namespace

std::optional<std::string_view> OpOfRange(std::string_view text) {
  for (const std::string_view mark : {", op_id = ", ", seq = ", ", sizes = "}) {
    if (const size_t at = text.find(mark); at != text.npos) {
      const std::string_view name = text.substr(0, at);
      return name.substr(0, name.find(", seq = "));
    }
  }
  return std::nullopt;
}

// Exports of 2021 have no META_DATA tables; which other tables there are depends on what was
// traced.
bool IsNsys(const Database& database) {
  static constexpr std::string_view kBegins[] = {"META_DATA_", "CUPTI_ACTIVITY_KIND_",
                                                 "TARGET_INFO_"};
  static constexpr std::string_view kNames[] = {"EXPORT_META_DATA", "NVTX_EVENTS", "OSRT_API",
                                                "ThreadNames"};
  const auto is_own = [](const std::string& table) {
    const auto begins = [&](std::string_view text) { return table.starts_with(text); };
    return std::any_of(std::begin(kBegins), std::end(kBegins), begins) ||
           std::find(std::begin(kNames), std::end(kNames), table) != std::end(kNames);
  };
  const std::vector<std::string>& tables = database.tables();
  return database.Has("StringIds") && std::any_of(tables.begin(), tables.end(), is_own);
}

Status ReadNsys(DatabaseTrackBuilder* file) { return NsysReader(file).Read(); }

}  // namespace stepscope::sqlite
