#include "model/analysis/ranks/rank_tables.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "model/analysis/tables/in_unit.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

using V = ValueType;

double Percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

std::vector<ColumnDesc> RankColumns() {
  return {
      {"rank", "Rank", Unit::kNone, V::kInt, "its own number, else its place", true},
      {"host", "Host", Unit::kNone, V::kString, ""},
      {"clock_offset_us", "Clock offset", Unit::kUs, V::kReal,
       "how far its clock is ahead of the first rank's, by the ends of common collectives "
       "(median)"},
      {"residual_us", "Residual", Unit::kUs, V::kReal,
       "median distance of its ends from the median end, clocks aligned"},
      {"step_ms_median", "Step", Unit::kMs, V::kReal, "median of the steps that count", true},
      {"late_percent", "Late", Unit::kPercent, V::kReal,
       "steps in which the others waited for it the longest / steps with collectives", true},
      {"late_by_us_median", "Late by", Unit::kUs, V::kReal,
       "after the median arrival of the others; median over collectives that it was late to", true},
      {"cause", "Cause", Unit::kNone, V::kString,
       "what it does longer than the others' median from its last collective to its arrival", true},
      {"cause_event", "Host event", Unit::kNone, V::kString,
       "the event that its host is in meanwhile"},
      {"busy_ms_median", "Busy", Unit::kMs, V::kReal,
       "compute and copies of a step; median of the steps that count"},
      {"steps", "Steps", Unit::kCount, V::kInt, ""},
      {"collectives", "Collectives", Unit::kCount, V::kInt, ""},
      {"missing", "Missing", Unit::kCount, V::kInt, "collectives of its groups without it"},
      {"coordinates", "Coordinates", Unit::kNone, V::kString, "of the file's name"},
      {"device", "Device", Unit::kNone, V::kString, ""}};
}

// How far a rank's clock was ahead of the first rank's when it was recorded.
Ps RecordedOffset(const RankJob& job, size_t rank) {
  const Ps own = job.ranks[rank].clock_taken, first = job.ranks.front().clock_taken;
  return SaturatingAdd(job.clocks[rank].offset, SaturatingSub(own, first));
}

Value MedianMs(const std::vector<RankStep>& steps, Ps RankStep::*field) {
  const std::optional<Ps> median = MedianOfSteps(steps, field);
  return median ? Value(InMs(*median)) : Value();
}

// The calls to which each rank was late, or in which it took part if it never was late.
std::vector<std::vector<EventRow>> RowsOfRanks(const RankJob& job) {
  std::vector<std::vector<EventRow>> late(job.ranks.size()), all(job.ranks.size());
  for (const LateCollective& c : job.lateness.collectives) {
    const CollectiveCall& last = job.calls.calls[c.last];
    if (c.late) late[last.rank].emplace_back(last.row);
  }
  for (const CollectiveCall& call : job.calls.calls) {
    if (late[call.rank].empty()) all[call.rank].emplace_back(call.row);
  }
  for (size_t r = 0; r < late.size(); ++r) {
    if (late[r].empty()) late[r] = std::move(all[r]);
  }
  return late;
}

std::vector<ColumnDesc> CollectiveColumns() {
  return {{"step", "Step", Unit::kNone, V::kInt, "in which the first participant's begins"},
          {"group", "Group", Unit::kNone, V::kString, "the process group, where it is recorded"},
          {"name", "Collective", Unit::kNone, V::kString, "", true},
          {"last_rank", "Last rank", Unit::kNone, V::kInt, "which arrives last", true},
          {"late_by_us", "Late by", Unit::kUs, V::kReal,
           "from the median arrival of the others to the last, clocks aligned", true},
          {"duration_us", "Duration", Unit::kUs, V::kReal,
           "the shortest of all participants: of the one that waits least"},
          {"algorithm_gbps", "Alg. GB/s", Unit::kNone, V::kReal,
           "bytes of the larger side / duration; 1 GB = 10^9 bytes"},
          {"bus_gbps", "Bus GB/s", Unit::kNone, V::kReal,
           "algorithm bandwidth * 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather, "
           "reduce-scatter and all-to-all, 1 else (nccl-tests)"},
          {"missing", "Missing", Unit::kNone, V::kString,
           "ranks of the group that were recording and did not take part"},
          {"cause", "Cause", Unit::kNone, V::kString, "why the last one is late", true},
          {"participants", "Participants", Unit::kCount, V::kInt, "in the trace"},
          {"bytes", "Bytes", Unit::kBytes, V::kInt, "of the larger side, as recorded"}};
}

std::string MissingText(const RankJob& job, const PairedCollective& c) {
  constexpr size_t kMost = 8;
  const std::vector<uint32_t> missing =
      MissingFrom(job.calls, c, job.clocks, job.recording, kMost + 1);
  std::string text;
  for (size_t i = 0; i < std::min(missing.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(job.ranks[missing[i]].number);
  return missing.size() > kMost ? text + ", …" : text;
}

TimeRange SpanOf(std::span<const CollectiveCall> calls) {
  TimeRange span{calls.front().begin, calls.front().end};
  for (const CollectiveCall& call : calls) {
    span.begin = std::min(span.begin, call.begin);
    span.end = std::max(span.end, call.end);
  }
  return span;
}

}  // namespace

Value SpreadPercent(const RankJob& job, Ps RankStep::*field) {
  std::vector<double> medians;
  for (const std::vector<RankStep>& steps : job.steps) {
    const std::optional<Ps> median = MedianOfSteps(steps, field);
    if (median) medians.push_back(InMs(*median));
  }
  std::sort(medians.begin(), medians.end());
  if (medians.size() < 2) return {};
  const double middle = medians[(medians.size() - 1) / 2];
  if (middle <= 0) return {};
  return 100 * (medians.back() - medians.front()) / middle;
}

ResultTable RankTable(const RankJob& job, bool with_events) {
  ResultTable t{"ranks", "Ranks", RankColumns()};
  std::vector<int64_t> calls(job.ranks.size());
  for (const CollectiveCall& call : job.calls.calls) ++calls[call.rank];
  std::vector<std::vector<EventRow>> rows = RowsOfRanks(job);
  for (size_t r = 0; r < job.ranks.size(); ++r) {
    const Rank& rank = job.ranks[r];
    const RankClock& clock = job.clocks[r];
    const RankLateness& late = job.lateness.ranks[r];
    const LateCause& cause = job.causes.ranks[r];
    const bool joined = clock.aligned && clock.component == 0;
    std::vector<Ps> by = late.late_by;
    t.AddRow({rank.number, rank.host_name, joined ? InUs(RecordedOffset(job, r)) : Value(),
              clock.aligned ? InUs(clock.residual) : Value(),
              MedianMs(job.steps[r], &RankStep::total),
              clock.aligned ? Value(Percent(late.steps, job.lateness.steps)) : Value(),
              by.empty() ? Value() : InUs(Median(by)), TextOf(cause), cause.event,
              MedianMs(job.steps[r], &RankStep::busy), static_cast<int64_t>(job.steps[r].size()),
              calls[r], static_cast<int64_t>(late.missing), rank.coordinates, rank.device_names});
    if (with_events) t.links.push_back(LinkTo(EventRows(std::move(rows[r]))));
  }
  return t;
}

ResultTable CollectiveTable(std::span<const RankFacts> facts, const RankJob& job,
                            bool with_events) {
  ResultTable t{"collectives", "Collectives", CollectiveColumns()};
  if (job.listed.size() == kMostListedCollectives)
    t.title += " (the 20,000 with the most lateness)";
  for (size_t i = 0; i < job.listed.size(); ++i) {
    const PairedCollective& c = job.calls.paired[job.listed[i]];
    const LateCollective& late = job.lateness.collectives[job.listed[i]];
    const auto of = job.calls.Of(c);
    const CollectiveCalls::Name& name = job.calls.names[of.front().name];
    const RankCall& first = facts[of.front().rank].calls[of.front().at];
    Value algorithm, bus;
    if (first.bytes >= 0 && late.several && late.transfer > 0) {
      // 1 byte per ps is 10^12 bytes a second. The recorded size of the process group counts, else
      // the number of ranks that take part.
      const double gbps =
          1000 * static_cast<double>(first.bytes) / static_cast<double>(late.transfer);
      algorithm = gbps;
      bus = gbps * BusFactor(name.kind, first.group_size > 0 ? first.group_size
                                                             : static_cast<int64_t>(of.size()));
    }
    t.AddRow({of.front().in_step ? Value(of.front().step) : Value(),
              job.calls.groups[of.front().group].name, name.text,
              late.several ? Value(job.ranks[job.calls.calls[late.last].rank].number) : Value(),
              late.several ? InUs(late.late_by) : Value(),
              late.several ? InUs(late.transfer) : Value(), algorithm, bus,
              late.missing ? MissingText(job, c) : std::string(), TextOf(job.causes.collectives[i]),
              static_cast<int64_t>(c.count), first.bytes >= 0 ? Value(first.bytes) : Value()});
    if (!with_events) continue;
    std::vector<EventRow> rows;
    for (const CollectiveCall& call : of) rows.emplace_back(call.row);
    t.links.push_back(LinkTo(EventRows(std::move(rows))));
    t.links.back().range = SpanOf(of);
  }
  return t;
}

}  // namespace stepscope
