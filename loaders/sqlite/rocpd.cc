// The tables of rocprofv3's database (docs/formats.md#rocpd). Their names may end with the id of
// the recording. A row says by itself where it belongs, or refers to a table of tracks in newer
// files; its times are in the row or in a table of timestamps. Times are nanoseconds.
#include <algorithm>
#include <utility>

#include "loaders/common/json_cursor.h"
#include "loaders/common/track_roles.h"
#include "loaders/sqlite/database_track_builder.h"

namespace stepscope::sqlite {
namespace {

using Group = MixedTrackBuilder::Group;
using PlaneKey = MixedTrackBuilder::PlaneKey;

constexpr std::string_view kStringTable = "rocpd_string";

// Expressions for the place and times of an event, the same for all tables (see SelectFirst).
constexpr const char* kBegin = "s.value;e.start";
constexpr const char* kEnd = "f.value;e.\"end\"";
constexpr const char* kProcess = "t.pid;e.pid";
constexpr const char* kThread = "t.tid;e.tid";
constexpr const char* kAgent = "t.agent_id;e.agent_id";
constexpr const char* kStream = "t.stream_id;e.stream_id";
constexpr const char* kQueue = "t.queue_id;e.queue_id";
constexpr const char* kTrackCorrelation = "(t.pid << 32) + (v.stack_id & 4294967295)";
constexpr const char* kOwnCorrelation = "(e.pid << 32) + (v.stack_id & 4294967295)";
constexpr const char* kCorrelation =
    "(t.pid << 32) + (v.stack_id & 4294967295);(e.pid << 32) + (v.stack_id & 4294967295)";

constexpr IntExpression kRocpdKernelInts[] = {
    {IntStat::kCorrelationId, kTrackCorrelation},
    {IntStat::kCorrelationId, kOwnCorrelation},
    {IntStat::kRegisters, "k.arch_vgpr_count"},
    {IntStat::kStaticShared, "k.group_segment_size"},
    {IntStat::kDynamicShared, "e.group_segment_size - k.group_segment_size"},
    {IntStat::kGridX, "e.grid_size_x / e.workgroup_size_x"},
    {IntStat::kGridY, "e.grid_size_y / e.workgroup_size_y"},
    {IntStat::kGridZ, "e.grid_size_z / e.workgroup_size_z"},
    {IntStat::kBlockX, "e.workgroup_size_x"},
    {IntStat::kBlockY, "e.workgroup_size_y"},
    {IntStat::kBlockZ, "e.workgroup_size_z"}};
constexpr IntExpression kRocpdCopyInts[] = {{IntStat::kCorrelationId, kTrackCorrelation},
                                            {IntStat::kCorrelationId, kOwnCorrelation},
                                            {IntStat::kBytes, "e.size"}};
constexpr IntExpression kRegionInts[] = {{IntStat::kCorrelationId, kTrackCorrelation},
                                         {IntStat::kCorrelationId, kOwnCorrelation}};

EventCategory CategoryOfRegion(std::string_view category) {
  if (category.starts_with("MARKER") || category.find("roctx") != category.npos)
    return EventCategory::kUserAnnotation;
  if (category.starts_with("HIP") || category.starts_with("hip"))
    return EventCategory::kRuntimeCall;
  return EventCategory::kHostEvent;
}

// "Memcpy HtoD (Host -> Device)" for "MEMORY_COPY_HOST_TO_DEVICE".
std::string NameOfCopy(std::string_view name) {
  const auto to = name.find("_TO_");
  if (to == name.npos) return "Memcpy " + std::string(name);
  const bool from_host = name.substr(0, to).ends_with("HOST");
  const bool to_host = name.substr(to).starts_with("_TO_HOST");
  const std::string direction = {from_host ? 'H' : 'D', 't', 'o', to_host ? 'H' : 'D'};
  return CopyName(direction, from_host ? "Host" : "Device", to_host ? "Host" : "Device");
}

std::string MemberOf(std::string_view object, std::string_view wanted) {
  std::string found;
  json::ForEachMember(object, [&](std::string_view key, std::string_view value) {
    if (key == wanted && !value.empty() && value.front() == '"') json::Unescape(value, &found);
    if (key == wanted && found.empty()) found = value;
    return key != wanted;
  });
  return found;
}

struct Agent {
  bool gpu = false;
  int64_t number = 0;  // among those of its type
  std::string name;
  int64_t units = 0;
};

// Reads one recording; a file may hold several.
class RocpdReader {
 public:
  RocpdReader(DatabaseTrackBuilder* file, std::string suffix)
      : file_(*file), drafts_(file->drafts), suffix_(std::move(suffix)) {}

  void Read() {
    ReadPlaces();
    ReadKernels();
    ReadCopies();
    ReadRegions();
    ReadSamples();
    ReadAllocations();
    ReadCounters();
    NamePlanes();
  }

 private:
  std::string Name(std::string_view table) const { return std::string(table) + suffix_; }
  bool Has(std::string_view table) const { return file_.database().Has(Name(table)); }
  std::string Own(std::string_view table) const { return Quoted(Name(table)) + " AS e"; }
  StringId String(int64_t id) { return file_.TextOf(Name(kStringTable), "string", id); }
  std::string_view View(StringId id) { return file_.builder().strings().View(id); }

  // The FROM clause of a table, joined with the tables that its rows refer to and the file has.
  std::string Joined(std::string_view table) const {
    struct Join {
      std::string_view table;
      const char *alias, *column;
    };
    constexpr Join kJoins[] = {{"rocpd_track", "t", "track_id"},
                               {"rocpd_timestamp", "s", "start_id"},
                               {"rocpd_timestamp", "f", "end_id"},
                               {"rocpd_event", "v", "event_id"},
                               {"rocpd_info_kernel_symbol", "k", "kernel_id"}};
    std::string from = Own(table);
    for (const Join& join : kJoins) {
      const std::string column = std::string("e.") + join.column;
      if (!Has(join.table) ||
          file_.database().Select("SELECT " + column + " FROM " + Own(table)) == nullptr)
        continue;
      from += " LEFT JOIN " + Quoted(Name(join.table)) + " AS " + join.alias + " ON " + join.alias +
              ".rowid = " + column;
    }
    return from;
  }

  size_t AddTable(std::string_view table, std::span<const IntExpression> ints) {
    EventTable t{Name(table), Joined(table), ints, {}};
    for (const char* column : {"name_id", "region_name_id"})
      t.references.push_back({column, Name(kStringTable), "string"});
    t.references.push_back({"kernel_id", Name("rocpd_info_kernel_symbol"), "display_name"});
    for (const char* column : {"agent_id", "src_agent_id", "dst_agent_id"})
      t.references.push_back({column, Name("rocpd_info_agent"), "name"});
    t.references.push_back({"event_id", Name("rocpd_event"), "extdata"});
    file_.tables.push_back(std::move(t));
    return file_.tables.size() - 1;
  }

  // Calls fn(row, rowid, table) for the events of a table that have a begin (see ForRows); `table`
  // is its number in their references.
  template <typename Fn>
  void ForEvents(std::string_view name, std::span<const IntExpression> ints,
                 std::initializer_list<const char*> expressions, Fn fn) {
    if (!Has(name)) return;
    const size_t table = AddTable(name, ints);
    file_.ForRows(Joined(name), expressions, [&](const Query& row, int64_t rowid) {
      if (!row.IsNull(1)) fn(row, rowid, table);
    });
  }

  void ReadPlaces() {
    file_.ForRows(Own("rocpd_info_node"), {"hostname;system_name"}, [&](const Query& row, int64_t) {
      if (file_.host_name.empty()) file_.host_name = row.Text(1);
    });
    file_.ForRows(Own("rocpd_info_process"), {"pid", "command"}, [&](const Query& row, int64_t id) {
      pids_[id] = row.Int(1);
      file_.processes[row.Int(1)] = row.Text(2);
    });
    file_.ForRows(Own("rocpd_info_thread"), {"tid", "name"}, [&](const Query& row, int64_t id) {
      threads_[id] = {row.Int(1), std::string(row.Text(2))};
    });
    file_.ForRows(Own("rocpd_info_agent"),
                  {"type", "type_index;logical_index", "product_name", "model_name", "vendor_name",
                   "extdata"},
                  [&](const Query& row, int64_t id) { agents_[id] = AgentOf(row); });
  }

  static Agent AgentOf(const Query& row) {
    Agent agent;
    agent.gpu = row.Text(1) == "GPU";
    agent.number = row.Int(2);
    agent.name = row.Text(row.Text(3).empty() ? 4 : 3);
    const std::string_view vendor = row.Text(5);
    if (!vendor.empty() && agent.name.find(vendor) == agent.name.npos)
      agent.name = std::string(vendor) + " " + agent.name;
    agent.units = std::strtoll(MemberOf(row.Text(6), "cu_count").c_str(), nullptr, 10);
    return agent;
  }

  int64_t PidOf(int64_t id) const {
    const auto it = pids_.find(id);
    return it == pids_.end() ? id : it->second;
  }

  PlaneKey GpuOf(int64_t process, int64_t agent) {
    const auto it = agents_.find(agent);
    const PlaneKey key{PidOf(process), PlaneKind::kGpu,
                       it == agents_.end() ? agent : it->second.number};
    if (it != agents_.end()) devices_.try_emplace(key, agent);
    return key;
  }

  // Columns 1 to 7 are begin, end, process, thread, agent, stream and queue.
  uint32_t Stream(const Query& row, int64_t agent) {
    const bool stream = !row.IsNull(6);
    const int64_t id = row.Int(stream ? 6 : 7);
    return file_.Track(GpuOf(row.Int(3), agent), Group::kStreams, id, TrackKind::kStream,
                       [&] { return "Stream #" + std::to_string(id); });
  }

  uint32_t Thread(int64_t process, int64_t id) {
    const auto known = threads_.find(id);
    const int64_t tid = known == threads_.end() ? id : known->second.first;
    const PlaneKey plane{PidOf(process), PlaneKind::kHostThreads, 0};
    return file_.Track(plane, Group::kThreads, tid, TrackKind::kThread, [&] {
      const std::string name = known == threads_.end() ? "" : known->second.second;
      return (name.empty() ? "Thread " : name + " ") + std::to_string(tid);
    });
  }

  void AddWork(const Query& row, int64_t rowid, size_t table, uint32_t track, uint32_t meta) {
    const auto slice = file_.AddSlice(row, rowid, table, track, meta);
    if (row.Int(8) != 0) drafts_.AddWork(static_cast<uint64_t>(row.Int(8)), slice);
  }

  void ReadKernels() {
    ForEvents("rocpd_kernel_dispatch", kRocpdKernelInts,
              {kBegin, kEnd, kProcess, kThread, kAgent, kStream, kQueue, kCorrelation, "kernel_id",
               "event_id"},
              [&](const Query& row, int64_t rowid, size_t table) {
                const std::string symbols = Name("rocpd_info_kernel_symbol");
                StringId name = file_.TextOf(symbols, "display_name", row.Int(9));
                if (name.value == 0) name = file_.TextOf(symbols, "kernel_name", row.Int(9));
                AddWork(row, rowid, table, Stream(row, row.Int(5)),
                        drafts_.MetaOf(name, EventCategory::kKernel));
                times_.emplace_back(row.Int(10), row.Int(1));
              });
  }

  void ReadCopies() {
    ForEvents("rocpd_memory_copy", kRocpdCopyInts,
              {kBegin, kEnd, kProcess, kThread, kAgent, kStream, kQueue, kCorrelation, "e.name_id",
               "dst_agent_id", "src_agent_id"},
              [&](const Query& row, int64_t rowid, size_t table) {
                const StringId name = file_.Intern(NameOfCopy(View(String(row.Int(9)))));
                AddWork(row, rowid, table, Stream(row, DeviceOfCopy(row)),
                        drafts_.MetaOf(name, EventCategory::kMemcpy));
              });
  }

  // The GPU that takes part, the target if both do.
  int64_t DeviceOfCopy(const Query& row) const {
    for (const int column : {10, 11}) {
      const auto agent = agents_.find(row.Int(column));
      if (agent != agents_.end() && agent->second.gpu) return agent->first;
    }
    return row.Int(5);
  }

  void ReadRegions() {
    ForEvents(
        "rocpd_region", kRegionInts,
        {kBegin, kEnd, kProcess, kThread, "e.name_id", "v.category_id", "v.extdata", kCorrelation},
        [&](const Query& row, int64_t rowid, size_t table) {
          const EventCategory category = CategoryOfRegion(View(CategoryName(row.Int(6))));
          const auto slice = file_.AddSlice(row, rowid, table, Thread(row.Int(3), row.Int(4)),
                                            MetaOfRegion(row, category));
          if (category == EventCategory::kRuntimeCall && row.Int(8) != 0)
            drafts_.AddCall(static_cast<uint64_t>(row.Int(8)), slice);
        });
  }

  StringId CategoryName(int64_t id) {
    if (Has("rocpd_info_category")) return file_.TextOf(Name("rocpd_info_category"), "name", id);
    return String(id);
  }

  // A marker is named by its message, because the region's name is the call that made the marker.
  uint32_t MetaOfRegion(const Query& row, EventCategory category) {
    StringId name = String(row.Int(5));
    if (category == EventCategory::kUserAnnotation) {
      const std::string message = MemberOf(row.Text(7), "message");
      if (!message.empty()) name = file_.Intern(message);
      category = naming::RoleOfCategory("user_annotation", View(name)).category;
    }
    return drafts_.MetaOf(name, category);
  }

  // Reads the times of samples: sampled counters refer to them by event.
  void ReadSamples() {
    constexpr std::string_view kName = "rocpd_sample";
    if (!Has(kName)) return;
    std::string from = Joined(kName);
    if (Has("rocpd_timestamp"))
      from += " LEFT JOIN " + Quoted(Name("rocpd_timestamp")) + " AS i ON i.rowid = e.timestamp_id";
    file_.ForRows(from, {"i.value;e.timestamp", "event_id"}, [&](const Query& row, int64_t) {
      if (!row.IsNull(1)) times_.emplace_back(row.Int(2), row.Int(1));
    });
  }

  void ReadAllocations() {
    struct Change {
      int64_t at, address, bytes;
      bool free;
    };
    std::map<PlaneKey, std::vector<Change>> changes;
    file_.ForRows(Joined("rocpd_memory_allocate"),
                  {kBegin, kProcess, kAgent, "address", "e.size", "e.type", "e.level"},
                  [&](const Query& row, int64_t) {
                    const auto agent = agents_.find(row.Int(3));
                    const bool real = row.IsNull(7) || row.Text(7) == "REAL";
                    if (row.IsNull(1) || !real || agent == agents_.end() || !agent->second.gpu)
                      return;
                    changes[GpuOf(row.Int(2), row.Int(3))].push_back(
                        {row.Int(1), row.Int(4), row.Int(5), row.Text(6) == "FREE"});
                  });
    for (auto& [plane, list] : changes) {
      std::unordered_map<int64_t, int64_t> live;  // bytes, by address
      file_.AddAllocated(plane, std::move(list), [&live](const Change& change, int64_t bytes) {
        int64_t& at_address = live[change.address];
        // A second allocation takes the first one's place.
        bytes = SaturatingSub(bytes, at_address);
        at_address = change.free ? 0 : change.bytes;
        return SaturatingAdd(bytes, at_address);
      });
    }
  }

  // Reads hardware counters: each value belongs to a dispatch or a sample.
  void ReadCounters() {
    std::sort(times_.begin(), times_.end());
    std::unordered_map<int64_t, uint32_t> tracks;  // by counter
    file_.ForRows(Own("rocpd_info_pmc"), {"pid", "agent_id", "symbol;name"},
                  [&](const Query& row, int64_t id) {
                    const auto agent = agents_.find(row.Int(2));
                    const bool gpu = agent != agents_.end() && agent->second.gpu;
                    const PlaneKey plane =
                        gpu ? GpuOf(row.Int(1), row.Int(2))
                            : PlaneKey{PidOf(row.Int(1)), PlaneKind::kHostThreads, 0};
                    counters_[id] = {plane, std::string(row.Text(3))};
                  });
    file_.ForRows(
        Own("rocpd_pmc_event"), {"event_id", "pmc_id", "value"}, [&](const Query& row, int64_t) {
          const auto counter = counters_.find(row.Int(2));
          const auto at =
              std::lower_bound(times_.begin(), times_.end(), std::pair(row.Int(1), INT64_MIN));
          if (counter == counters_.end() || at == times_.end() || at->first != row.Int(1)) return;
          const auto [it, added] = tracks.try_emplace(row.Int(2), 0);
          if (added)
            it->second = file_.Counter(counter->second.first, SaturatingAdd(row.Int(2), 1),
                                       counter->second.second);
          drafts_.AddSample(it->second, at->second, row.Real(3));
        });
  }

  void NamePlanes() {
    drafts_.ForPlanes([&](const PlaneKey& key, Plane& plane) {
      if (plane.name.valid()) return;
      file_.NamePlane(key, ProgramOf(file_.processes[key.process]), key.process, &plane);
      if (key.kind != PlaneKind::kGpu) return;
      const auto device = devices_.find(key);
      if (device != devices_.end()) Describe(agents_[device->second], &plane);
    });
  }

  // The program of a command line: "./bin/gemm -m=1" is gemm.
  static std::string ProgramOf(std::string_view command) {
    const std::string_view path = command.substr(0, command.find(' '));
    return std::string(path.substr(path.rfind('/') + 1));
  }

  static void Describe(const Agent& agent, Plane* plane) {
    plane->subtitle = agent.name;
    plane->stats.push_back({"name", agent.name});
    if (agent.units <= 0) return;
    plane->stats.push_back({"numSms", agent.units});
    plane->subtitle += ", " + std::to_string(agent.units) + " CUs";
  }

  DatabaseTrackBuilder& file_;
  MixedTrackBuilder& drafts_;
  std::string suffix_;
  std::unordered_map<int64_t, int64_t> pids_;                             // by row
  std::unordered_map<int64_t, std::pair<int64_t, std::string>> threads_;  // number and name, by row
  std::unordered_map<int64_t, Agent> agents_;
  std::map<PlaneKey, int64_t> devices_;  // agents, by plane
  std::vector<std::pair<int64_t, int64_t>>
      times_;  // events that counters refer to, and their times
  std::unordered_map<int64_t, std::pair<PlaneKey, std::string>> counters_;
};

// The endings of the recordings' table names, found by their tables of strings.
std::vector<std::string> SuffixesOf(const Database& database) {
  constexpr size_t kMost = 10;  // their tables of events are numbered (EventFile::kTables)
  std::vector<std::string> suffixes;
  for (const std::string& name : database.tables()) {
    if (name.starts_with(kStringTable) && suffixes.size() < kMost)
      suffixes.push_back(name.substr(kStringTable.size()));
  }
  return suffixes;
}

}  // namespace

bool IsRocpd(const Database& database) { return !SuffixesOf(database).empty(); }

Status ReadRocpd(DatabaseTrackBuilder* file) {
  for (const std::string& suffix : SuffixesOf(file->database())) RocpdReader(file, suffix).Read();
  return {};
}

}  // namespace stepscope::sqlite
