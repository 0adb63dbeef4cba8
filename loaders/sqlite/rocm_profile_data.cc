// The tables of rocmProfileData (.rpd; docs/formats.md#rocmprofiledata): calls of host threads in
// rocpd_api, work of GPUs in rocpd_op, and in rocpd_api_ops which call queued which work. The facts
// of launches are in tables by call. Times are nanoseconds of a clock of the machine.
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "loaders/common/track_roles.h"
#include "loaders/sqlite/database_track_builder.h"

namespace stepscope::sqlite {
namespace {

using Group = MixedTrackBuilder::Group;
using PlaneKey = MixedTrackBuilder::PlaneKey;

constexpr std::string_view kApi = "rocpd_api", kOp = "rocpd_op";
constexpr IntExpression kCallInts[] = {{IntStat::kCorrelationId, "e.rowid"}};

constexpr IntStat kLaunchStats[] = {
    IntStat::kCorrelationId, IntStat::kBytes,  IntStat::kGridX,
    IntStat::kGridY,         IntStat::kGridZ,  IntStat::kBlockX,
    IntStat::kBlockY,        IntStat::kBlockZ, IntStat::kStaticShared};
constexpr size_t kLaunchFacts = std::size(kLaunchStats);

// What is known of a call, in the order of kLaunchStats.
struct Launch {
  std::array<int64_t, kLaunchFacts> facts;
  Launch() { facts.fill(LinkedInts::kNone); }
};

// Rows about the recorder itself.
bool IsOfRecorder(std::string_view name) {
  return name.ends_with("::writeRows") || name == "hcc_activity_callback" || name == "rpdflush" ||
         name == "run_to_completion";
}

// "Memcpy HtoD (Host -> Device)" for "CopyHostToDevice".
std::string CopyNameOf(std::string_view type) {
  type.remove_prefix(std::string_view("Copy").size());
  const size_t to = type.find("To");
  if (to == type.npos) return "Memcpy " + std::string(type);
  const bool from_host = type.substr(0, to) == "Host", to_host = type.substr(to) == "ToHost";
  const std::string direction = {from_host ? 'H' : 'D', 't', 'o', to_host ? 'H' : 'D'};
  return CopyName(direction, from_host ? "Host" : "Device", to_host ? "Host" : "Device");
}

EventCategory CategoryOfOp(std::string_view type) {
  if (type.starts_with("Copy")) return EventCategory::kMemcpy;
  if (type.starts_with("Fill")) return EventCategory::kMemset;
  const bool waits = type.find("Barrier") != type.npos || type.find("Marker") != type.npos;
  return waits ? EventCategory::kOverhead : EventCategory::kKernel;
}

class ProfileDataReader {
 public:
  explicit ProfileDataReader(DatabaseTrackBuilder* file)
      : file_(*file),
        drafts_(file->drafts),
        texts_(file->database().Has("rocpd_ustring") ? "rocpd_ustring" : "rocpd_string") {}

  void Read() {
    ReadLaunches();
    ReadLinks();
    ReadCalls();
    ReadOps();
    ReadMonitor();
    drafts_.ForPlanes([&](const PlaneKey& key, Plane& plane) {
      if (!plane.name.valid()) file_.NamePlane(key, "", key.process, &plane);
    });
  }

 private:
  static std::string Own(std::string_view table) { return Quoted(table) + " AS e"; }
  StringId String(int64_t id) { return file_.TextOf("rocpd_string", "string", id); }
  std::string_view View(StringId id) { return file_.builder().strings().View(id); }

  void ReadLaunches() {
    file_.ForRows(Own("rocpd_kernelapi"),
                  {"api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY",
                   "workgroupZ", "groupSegmentSize"},
                  [&](const Query& row, int64_t) {
                    Launch& launch = launches_[row.Int(1)];
                    for (int i = 0; i < 7; ++i)
                      if (!row.IsNull(i + 2))
                        launch.facts[static_cast<size_t>(i) + 2] = row.Int(i + 2);
                  });
    file_.ForRows(Own("rocpd_copyapi"), {"api_ptr_id", "size"},
                  [&](const Query& row, int64_t) { launches_[row.Int(1)].facts[1] = row.Int(2); });
  }

  // An op that several calls share belongs to the first of them.
  void ReadLinks() {
    file_.ForRows(Own("rocpd_api_ops"), {"api_id", "op_id"}, [&](const Query& row, int64_t) {
      call_of_op_.try_emplace(row.Int(2), row.Int(1));
      process_of_call_.try_emplace(row.Int(1), 0);
    });
  }

  uint32_t Thread(int64_t process, int64_t thread) {
    return file_.Track({process, PlaneKind::kHostThreads, 0}, Group::kThreads, thread,
                       TrackKind::kThread, [&] { return "Thread " + std::to_string(thread); });
  }

  size_t AddTable(std::string_view table, std::span<const IntExpression> ints) {
    EventTable t{std::string(table), Own(table), ints, {}};
    for (const char* column :
         {"apiName_id", "category_id", "domain_id", "description_id", "opType_id"})
      t.references.push_back({column, "rocpd_string", "string"});
    t.references.push_back({"args_id", texts_, "string"});
    file_.tables.push_back(std::move(t));
    return file_.tables.size() - 1;
  }

  // Kernel grids are in blocks, but for calls that count threads.
  void CountGridInBlocks(std::string_view call, int64_t id) {
    const auto launch = launches_.find(id);
    const bool threads = call.starts_with("hipExt") || call.starts_with("hipHcc");
    if (launch == launches_.end() || !threads) return;
    for (size_t axis = 0; axis < 3; ++axis) {
      int64_t& grid = launch->second.facts[2 + axis];
      const int64_t block = launch->second.facts[5 + axis];
      if (grid > 0 && block > 0) grid = (grid + block - 1) / block;
    }
  }

  void ReadCalls() {
    const size_t calls = AddTable(kApi, kCallInts), others = AddTable(kApi, {});
    file_.ForRows(Own(kApi), {"start", "e.\"end\"", "pid", "tid", "apiName_id", "args_id"},
                  [&](const Query& row, int64_t id) {
                    if (row.IsNull(1)) return;
                    if (process_ < 0) process_ = row.Int(3);
                    const std::string_view name = View(String(row.Int(5)));
                    if (name == "UserMarker" || name == "UserRange") {
                      AddMarker(row, id, others);
                    } else if (IsOfRecorder(name)) {
                      AddOn(row, id, others, String(row.Int(5)), EventCategory::kOverhead);
                    } else {
                      AddCall(row, id, calls, name);
                    }
                  });
  }

  MixedTrackBuilder::Slice AddOn(const Query& row, int64_t id, size_t table, StringId name,
                                 EventCategory category) {
    return file_.AddSlice(row, id, table, Thread(row.Int(3), row.Int(4)),
                          drafts_.MetaOf(name, category));
  }

  void AddCall(const Query& row, int64_t id, size_t table, std::string_view name) {
    const bool runtime = name.starts_with("hip") || name.starts_with("hsa");
    CountGridInBlocks(name, id);
    const auto slice = AddOn(row, id, table, String(row.Int(5)),
                             runtime ? EventCategory::kRuntimeCall : EventCategory::kHostEvent);
    const auto linked = process_of_call_.find(id);
    if (linked == process_of_call_.end()) return;
    linked->second = row.Int(3);
    drafts_.AddCall(static_cast<uint64_t>(id), slice);
  }

  // A marker is named by its text; one without a length is an instant.
  void AddMarker(const Query& row, int64_t id, size_t table) {
    const StringId text = file_.TextOf(texts_, "string", row.Int(6));
    const std::optional<std::string_view> op = OpOfRange(View(text));
    const StringId name = op ? file_.Intern(std::string(*op)) : text;
    const EventCategory category =
        op ? EventCategory::kCpuOp : naming::RoleOfCategory("user_annotation", View(name)).category;
    if (row.Int(2) > row.Int(1)) {
      AddOn(row, id, table, name, category);
    } else {
      drafts_.AddInstant(Thread(row.Int(3), row.Int(4)), row.Int(1), drafts_.MetaOf(name, category),
                         EventFile::RefOf(table, id));
    }
  }

  // The GPU of an op, as the process of its call sees it.
  PlaneKey GpuOf(const Query& row, int64_t call) {
    const auto process = process_of_call_.find(call);
    const int64_t pid =
        process == process_of_call_.end() || process->second == 0 ? process_ : process->second;
    const PlaneKey gpu{std::max<int64_t>(pid, 0), PlaneKind::kGpu, row.Int(3)};
    gpus_.try_emplace(row.Int(3), gpu);
    return gpu;
  }

  void ReadOps() {
    const size_t table = AddTable(kOp, {});
    LinkedInts linked;
    linked.stats.assign(std::begin(kLaunchStats), std::end(kLaunchStats));
    file_.ForRows(Own(kOp),
                  {"start", "e.\"end\"", "gpuId", "queueId", "description_id", "opType_id"},
                  [&](const Query& row, int64_t id) {
                    if (row.IsNull(1)) return;
                    const auto call = call_of_op_.find(id);
                    const int64_t api = call == call_of_op_.end() ? -1 : call->second;
                    const auto slice = AddOp(row, id, table, GpuOf(row, api));
                    if (api < 0) return;
                    drafts_.AddWork(static_cast<uint64_t>(api), slice);
                    Link(id, api, &linked);
                  });
    file_.tables[table].linked = std::move(linked);
  }

  MixedTrackBuilder::Slice AddOp(const Query& row, int64_t id, size_t table, const PlaneKey& gpu) {
    const StringId type = String(row.Int(6));
    const EventCategory category = CategoryOfOp(View(type));
    StringId name = String(row.Int(5));
    if (category == EventCategory::kMemcpy) {
      name = file_.Intern(CopyNameOf(View(type)));
    } else if (View(name).empty()) {
      name = category == EventCategory::kMemset ? file_.Intern("Memset (Device)") : type;
    }
    const int64_t queue = row.Int(4);
    const bool waits = category == EventCategory::kOverhead;
    const uint32_t track = file_.Track(
        gpu, waits ? Group::kSync : Group::kStreams, queue,
        waits ? TrackKind::kOther : TrackKind::kStream,
        [&] { return "Queue #" + std::to_string(queue) + (waits ? " synchronisation" : ""); });
    return file_.AddSlice(row, id, table, track, drafts_.MetaOf(name, category));
  }

  void Link(int64_t op, int64_t api, LinkedInts* linked) {
    const auto launch = launches_.find(api);
    Launch known = launch == launches_.end() ? Launch() : launch->second;
    known.facts[0] = api;
    linked->rowids.push_back(op);
    linked->values.insert(linked->values.end(), known.facts.begin(), known.facts.end());
  }

  // Samples of GPUs that have work: others have a row for each GPU of the machine.
  void ReadMonitor() {
    std::map<std::pair<int64_t, StringId>, uint32_t> tracks;
    file_.ForRows(Own("rocpd_monitor"), {"start", "deviceType", "deviceId", "monitorType", "value"},
                  [&](const Query& row, int64_t) {
                    const auto gpu = gpus_.find(row.Int(3));
                    double value = 0;
                    const std::string text(row.Text(5));
                    const auto end = text.data() + text.size();
                    const bool number = std::from_chars(text.data(), end, value).ptr != text.data();
                    if (row.IsNull(1) || row.Text(2) != "gpu" || gpu == gpus_.end() || !number)
                      return;
                    const StringId kind = file_.Intern(row.Text(4));
                    const auto [it, added] = tracks.try_emplace({row.Int(3), kind}, 0);
                    if (added)
                      it->second = file_.Counter(gpu->second, static_cast<int64_t>(kind.value) + 1,
                                                 View(kind));
                    drafts_.AddSample(it->second, row.Int(1), value);
                  });
  }

  DatabaseTrackBuilder& file_;
  MixedTrackBuilder& drafts_;
  std::string texts_;                                     // the table of long texts
  int64_t process_ = -1;                                  // of the first call
  std::unordered_map<int64_t, Launch> launches_;          // by call
  std::unordered_map<int64_t, int64_t> call_of_op_;       // by op
  std::unordered_map<int64_t, int64_t> process_of_call_;  // of calls that queued work
  std::map<int64_t, PlaneKey> gpus_;                      // by number
};

}  // namespace

bool IsRocmProfileData(const Database& database) { return database.Has(kApi) || database.Has(kOp); }

Status ReadRocmProfileData(DatabaseTrackBuilder* file) {
  ProfileDataReader(file).Read();
  return {};
}

}  // namespace stepscope::sqlite
