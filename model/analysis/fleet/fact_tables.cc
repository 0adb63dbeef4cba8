#include <algorithm>

#include "model/analysis/fleet/fleet_tables.h"

namespace stepscope {
namespace {

using V = ValueType;

const ColumnDesc kPlace = {"rank", "Rank", Unit::kNone, V::kInt,
                           "its number, else its place in the profile"};

Value Known(int64_t value) { return value < 0 ? Value() : Value(value); }
int64_t NumberOfRank(const Rank& rank) {
  if (rank.own_number >= 0) return rank.own_number;
  return rank.file_number >= 0 ? rank.file_number : rank.place;
}

ResultTable Ranks(std::span<const RankFacts> facts) {
  ResultTable t{"ranks",
                "Ranks",
                {kPlace,
                 {"host", "Host", Unit::kNone, V::kString, ""},
                 {"file_name", "File", Unit::kNone, V::kString, ""},
                 {"coordinates", "Coordinates", Unit::kNone, V::kString, ""},
                 {"devices", "Devices", Unit::kNone, V::kString, ""},
                 {"peak_bytes", "Memory peak", Unit::kBytes, V::kInt, ""},
                 {"capacity_bytes", "Memory", Unit::kBytes, V::kInt, ""}}};
  for (const RankFacts& f : facts) {
    t.AddRow({NumberOfRank(f.rank), f.rank.host_name, f.rank.file, f.rank.coordinates,
              f.rank.device_names, Known(f.peak_bytes), Known(f.capacity_bytes)});
  }
  return t;
}

ResultTable Steps(std::span<const RankFacts> facts) {
  ResultTable t{"rank_steps",
                "Steps",
                {kPlace,
                 {"step", "Step", Unit::kNone, V::kInt, ""},
                 {"begin_ps", "Begin", Unit::kPs, V::kInt, ""},
                 {"dur_ps", "Time", Unit::kPs, V::kInt, "mean over the rank's devices"},
                 {"busy_ps", "Busy", Unit::kPs, V::kInt, "compute and copies"},
                 {"counts", "In averages", Unit::kNone, V::kBool, ""}}};
  for (const RankFacts& f : facts) {
    for (const RankStep& s : f.steps)
      t.AddRow({NumberOfRank(f.rank), s.number, s.span.begin, s.total, s.busy, s.counts});
  }
  return t;
}

ResultTable Calls(std::span<const RankFacts> facts) {
  ResultTable t{"collectives",
                "Collectives",
                {kPlace,
                 {"step", "Step", Unit::kNone, V::kInt, ""},
                 {"call", "Call", Unit::kNone, V::kInt, "its place among the rank's"},
                 {"group", "Group", Unit::kNone, V::kString, "the process group"},
                 {"group_ranks", "Members", Unit::kNone, V::kString, "as recorded"},
                 {"name", "Collective", Unit::kNone, V::kString, ""},
                 {"begin_ps", "Begin", Unit::kPs, V::kInt, ""},
                 {"dur_ps", "Duration", Unit::kPs, V::kInt, "waiting included"},
                 {"work_ps", "Work before", Unit::kPs, V::kInt, "since earlier collectives ended"},
                 {"bytes", "Bytes", Unit::kBytes, V::kInt, ""}}};
  for (const RankFacts& f : facts) {
    for (size_t i = 0; i < f.calls.size(); ++i) {
      const RankCall& c = f.calls[i];
      const bool grouped = c.group != RankCall::kNoGroup;
      t.AddRow({NumberOfRank(f.rank), c.in_step ? Value(c.step) : Value(), static_cast<int64_t>(i),
                grouped ? f.groups[c.group].name : std::string(),
                grouped ? f.groups[c.group].ranks : std::string(), f.names[c.name], c.begin,
                c.end - c.begin, c.begin - c.since, Known(c.bytes)});
    }
  }
  return t;
}

ResultTable Waits(std::span<const RankFacts> facts) {
  ResultTable t{"waits",
                "Before collectives",
                {kPlace,
                 {"call", "Call", Unit::kNone, V::kInt, "in the table of collectives"},
                 {"loss", "Class", Unit::kNone, V::kString, ""},
                 {"dur_ps", "Time", Unit::kPs, V::kInt, ""}}};
  for (const RankFacts& f : facts) {
    for (const RankWait& w : f.waits)
      t.AddRow({NumberOfRank(f.rank), static_cast<int64_t>(w.call), IdOf(w.loss), w.time});
  }
  return t;
}

ResultTable Kernels(std::span<const RankFacts> facts) {
  ResultTable t{"rank_kernels",
                "Kernels",
                {kPlace,
                 {"kernel", "Kernel", Unit::kNone, V::kString, ""},
                 {"count", "Count", Unit::kCount, V::kInt, ""},
                 {"total_ps", "Total", Unit::kPs, V::kInt, ""},
                 {"median_ps", "Median", Unit::kPs, V::kInt, "of one run"}}};
  for (const RankFacts& f : facts) {
    for (const RankKernel& k : f.kernels)
      t.AddRow({NumberOfRank(f.rank), k.name, k.count, k.total, k.median});
  }
  return t;
}

}  // namespace

std::vector<ResultTable> FactTables(std::span<const RankFacts> facts) {
  return {Ranks(facts), Steps(facts), Calls(facts), Waits(facts), Kernels(facts)};
}

}  // namespace stepscope
